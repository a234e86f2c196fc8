(* Reads a certificate (docs/certificate.md), makes the functions that the checker asks, and runs it. What is here is outside
   the theorem: it says of which problem the theorem then speaks, and its functions must be functions: the tables that
   they look things up in are never changed once the checker runs. *)

exception Unreadable of string
exception Refused of string

let unreadable format = Printf.ksprintf (fun s -> raise (Unreadable s)) format

(* Reading. *)

let magic = "halma refutes 01"

(* Of a pipe, too, whose length is not known. *)
let everything channel =
  let all = Buffer.create 65536 and part = Bytes.create 65536 in
  let rec go () =
    let n = input channel part 0 (Bytes.length part) in
    if n > 0 then begin
      Buffer.add_subbytes all part 0 n;
      go ()
    end
  in
  go ();
  Buffer.contents all

type input = { text : string; mutable at : int }

let number input =
  let rec go shift sum =
    if input.at >= String.length input.text then unreadable "it ends early, at byte %d" input.at;
    let byte = Char.code input.text.[input.at] in
    input.at <- input.at + 1;
    if shift > 56 || (shift = 56 && byte land 0x7f > 31) then unreadable "a number of more than 61 bits before byte %d" input.at;
    let sum = sum lor ((byte land 0x7f) lsl shift) in
    if byte land 0x80 <> 0 then go (shift + 7) sum
    else if byte = 0 && shift > 0 then unreadable "a number with an idle byte before byte %d" input.at
    else sum
  in
  go 0 0

let bounded input what most =
  let n = number input in
  if n > most then unreadable "%s is %d, more than %d, before byte %d" what n most input.at;
  n

(* In order of the file, which List.init does not promise. *)
let several count read =
  let rec go i all = if i = 0 then List.rev all else go (i - 1) (read () :: all) in
  go count []

let flag input what = bounded input what 1 = 1

(* Keys: the number of a set of cells c_1 < ... < c_k is C(c_1, 1) + ... + C(c_k, k). *)

let choose = Array.make_matrix 130 130 0

let binomials cells men =
  for n = 0 to cells do
    for k = 0 to men + 1 do
      choose.(n).(k) <-
        (if k = 0 then 1
         else if n = 0 then 0
         else
           let sum = choose.(n - 1).(k - 1) + choose.(n - 1).(k) in
           if sum < 0 || sum >= 1 lsl 61 then 1 lsl 61 else sum)
    done
  done;
  if choose.(cells).(men) >= 1 lsl 61 then unreadable "its states do not fit numbers of 61 bits"

let key men cells =
  let sum = ref 0 in
  for i = 0 to men - 1 do
    sum := !sum + choose.(cells.(i)).(i + 1)
  done;
  !sum

(* Tables of numbers by number, with open addressing: the number of what was entered first is 0, and so on. *)
module Index = struct
  type t = { mutable slots : int array; mutable entered : int array; mutable count : int }

  let create () = { slots = Array.make 1024 (-1); entered = Array.make 512 0; count = 0 }

  let slot t key =
    let mask = Array.length t.slots - 1 in
    let at = ref ((key * 0x1e3779b97f4a7c15) lsr 20 land mask) in
    while t.slots.(!at) >= 0 && t.entered.(t.slots.(!at)) <> key do
      at := (!at + 1) land mask
    done;
    !at

  let find t key = t.slots.(slot t key)

  let add t key =
    let at = slot t key in
    if t.slots.(at) >= 0 then false
    else begin
      if t.count = Array.length t.entered then begin
        let entered = Array.make (2 * t.count) 0 in
        Array.blit t.entered 0 entered 0 t.count;
        t.entered <- entered;
        t.slots <- Array.make (4 * t.count) (-1);
        for i = 0 to t.count - 1 do
          t.slots.(slot t entered.(i)) <- i
        done
      end;
      let at = slot t key in
      t.entered.(t.count) <- key;
      t.slots.(at) <- t.count;
      t.count <- t.count + 1;
      true
    end
end

(* Families of levels. *)

type states = { index : Index.t; mutable levels : Bytes.t; mutable men : Bytes.t }

let unrank count men key cells =
  let rest = ref key in
  for j = men downto 1 do
    let c = ref ((if j = men then count else cells.(j)) - 1) in
    while choose.(!c).(j) > !rest do decr c done;
    cells.(j - 1) <- !c;
    rest := !rest - choose.(!c).(j)
  done

let family input name count men most =
  let index = Index.create () in
  let levels = Buffer.create 4096 and all = Buffer.create 65536 in
  let cells = Array.make (men + 1) 0 in
  let levels_here = bounded input ("the number of levels of " ^ name) 250 in
  for level = 0 to levels_here - 1 do
    let states = number input in
    let before = ref 0 in
    for i = 0 to states - 1 do
      let step = number input in
      if step = 0 && i > 0 then unreadable "two like states on level %d of %s, before byte %d" level name input.at;
      before := !before + step;
      if !before >= most then unreadable "a state that there is not, on level %d of %s, before byte %d" level name input.at;
      (* On several levels: it counts on the first. *)
      if Index.add index !before then begin
        Buffer.add_char levels (Char.chr level);
        unrank count men !before cells;
        for j = 0 to men - 1 do Buffer.add_char all (Char.chr cells.(j)) done
      end
    done
  done;
  { index; levels = Buffer.to_bytes levels; men = Buffer.to_bytes all }

(* Tables of distances. *)

type distances = { places : Index.t; mutable far : Bytes.t }

let far = 1000

let () =
  let started = Unix.gettimeofday () in
  let damage, file =
    match Array.to_list Sys.argv with
    | [ _; file ] -> (None, file)
    | [ _; "--damage-table"; which; file ] -> (Some (int_of_string which), file)
    | _ -> prerr_endline "usage: checker [--damage-table N] FILE"; exit 2
  in
  try
    let text =
      try
        let channel = open_in_bin file in
        Fun.protect ~finally:(fun () -> close_in channel) (fun () -> everything channel)
      with Sys_error e -> unreadable "%s" e
    in
    let input = { text; at = String.length magic } in
    if String.length text < input.at || String.sub text 0 input.at <> magic then
      unreadable "it does not begin with \"%s\"" magic;
    let cells = bounded input "the number of cells" 128 in
    let places = several cells (fun () -> let x = bounded input "x" 255 in (x, bounded input "y" 255)) in
    let directions = bounded input "the number of directions" 64 in
    let directions =
      several directions (fun () -> let x = bounded input "dx" 16 in (x - 8, bounded input "dy" 16 - 8)) in
    let jumps_only = flag input "jumps only" in
    let men = bounded input "the number of men" (min 64 cells) in
    let cell () = bounded input "a cell" (cells - 1) in
    let start = several men cell in
    let target = several men cell in
    let length = bounded input "the length" 249 in
    let fixing = bounded input "the order of K" 16 in
    let permutation () = Array.of_list (several cells cell) in
    let fixing = several fixing permutation in
    let classes = bounded input "the number of classes" 32 in
    let class_of = Array.of_list (several cells (fun () -> bounded input "a class" (classes - 1))) in
    let leading = flag input "leading" in
    let mirror = if leading then permutation () else [||] in
    let offset = if leading then bounded input "the offset" 1000 else 0 in
    let values = if leading then Array.of_list (several classes (fun () -> bounded input "a value" 2000)) else [||] in
    let meeting = bounded input "the meeting level" length in
    let behind = flag input "the bound behind" in
    binomials cells men;
    let most = choose.(cells).(men) in
    let first = family input "the first levels" cells men most in
    let ahead = family input "the levels ahead" cells men most in
    let back = family input "the levels from the target" cells men most in
    if input.at <> String.length text then unreadable "%d bytes too many" (String.length text - input.at);
    (* The theorem allows it; but who reads "9 by 9" would be misled. *)
    if List.length (List.sort_uniq compare places) < cells then raise (Refused "two cells are at one place");
    let xy = Array.of_list places in
    let room = Array.make (max classes 1) 0 in
    Array.iter (fun q -> room.(q) <- room.(q) + 1) class_of;
    (* What the checker finds complete: steps and jumps of cells and classes. *)
    let at = Hashtbl.create 512 in
    Array.iteri (fun i place -> Hashtbl.replace at place i) xy;
    let around f = Array.map (fun (x, y) -> List.filter_map (f x y) directions) xy in
    let steps = around (fun x y (dx, dy) -> Hashtbl.find_opt at (x + dx, y + dy)) in
    let jumps =
      around (fun x y (dx, dy) ->
          match (Hashtbl.find_opt at (x + dx, y + dy), Hashtbl.find_opt at (x + (2 * dx), y + (2 * dy))) with
          | Some o, Some d -> Some (o, d)
          | _ -> None)
    in
    let class_steps = Array.make (max classes 1) [] and class_jumps = Array.make (max classes 1) [] in
    for c = 0 to cells - 1 do
      let q = class_of.(c) in
      class_steps.(q) <- List.sort_uniq compare (List.map (fun d -> class_of.(d)) steps.(c) @ class_steps.(q));
      class_jumps.(q) <-
        List.sort_uniq compare (List.map (fun (o, d) -> (class_of.(o), class_of.(d))) jumps.(c) @ class_jumps.(q))
    done;
    (* A histogram's number: its entries as digits. *)
    let radix = Array.map (fun r -> min r men + 1) room in
    let product = Array.fold_left (fun p r -> if p > (1 lsl 60) / r then unreadable "too many histograms" else p * r) 1 radix in
    ignore product;
    let digits h =
      let rec go h q weight sum =
        match h with [] -> sum | x :: t -> if x >= radix.(q) then -1 else go t (q + 1) (weight * radix.(q)) (sum + (x * weight))
      in
      go h 0 1 0
    in
    let undigits number =
      let rec go q rest = if q = classes then [] else (rest mod radix.(q)) :: go (q + 1) (rest / radix.(q)) in
      go 0 number
    in
    let table t =
      let look h = let number = digits h in if number < 0 then -1 else Index.find t.places number in
      { Checker.t_count = t.places.Index.count;
        t_get = (fun i -> undigits t.places.Index.entered.(i));
        t_find = (fun h -> let i = look h in if i < 0 then max_int else i);
        t_dist = (fun h -> let i = look h in if i < 0 then far else Char.code (Bytes.get t.far i)) }
    in
    let none = table { places = Index.create (); far = Bytes.empty } in
    let fixing_functions = List.map (fun k c -> k.(c)) fixing in
    let family s =
      let scratch = Array.make men 0 in
      let sorted k y =
        List.iteri
          (fun i c ->
            let c = Array.unsafe_get k c in
            let j = ref i in
            while !j > 0 && scratch.(!j - 1) > c do
              scratch.(!j) <- scratch.(!j - 1);
              decr j
            done;
            scratch.(!j) <- c)
          y;
        key men scratch
      in
      let find y =
        let rec go i best least = function
          | [] -> (best, least)
          | k :: rest ->
            let number = sorted k y in
            if number < least then go (i + 1) i number rest else go (i + 1) best least rest
        in
        let k, least = go 0 0 max_int fixing in
        (k, Index.find s.index least)
      in
      for i = 0 to s.index.Index.count - 1 do
        let state = List.init men (fun j -> Char.code (Bytes.get s.men ((i * men) + j))) in
        if snd (find state) <> i then
          raise (Refused (Printf.sprintf "state %d is not the least of its class under K" s.index.Index.entered.(i)))
      done;
      ( { Checker.f_count = s.index.Index.count;
          f_get =
            (fun i ->
              let rec go j l = if j < 0 then l else go (j - 1) (Char.code (Bytes.unsafe_get s.men ((i * men) + j)) :: l) in
              if i < s.index.Index.count then go (men - 1) [] else []);
          f_level = (fun i -> Char.code (Bytes.get s.levels i));
          f_find = (fun y -> let k, i = find y in (k, if i < 0 then max_int else i)) },
        fun y -> snd (find y) >= 0 )
    in
    let first, _ = family first in
    let ahead, tag = family ahead in
    let back, _ = family back in
    let half = if leading then length / 2 else 0 in
    let base =
      { Checker.c_problem = { Checker.cells = places; directions; jumps_only; start; target };
        c_length = length; c_leading = leading; c_bounded = true; c_behind = behind; c_half = half;
        c_odd = length land 1 = 1; c_meeting = meeting;
        c_fixing = fixing_functions; c_mirror = (fun c -> mirror.(c));
        c_classes = classes; c_class = (fun c -> class_of.(c)); c_value = (fun q -> if leading then values.(q) else 0);
        c_offset = offset; c_fuel = max_int;
        c_steps = (fun c -> steps.(c)); c_jumps = (fun c -> jumps.(c));
        c_class_steps = (fun q -> class_steps.(q)); c_class_jumps = (fun q -> class_jumps.(q));
        c_room = (fun q -> room.(q));
        c_from_start = none; c_to_target = none; c_to_middles = none; c_to_meeting = none;
        c_first = first; c_ahead = ahead; c_back = back; c_tag = tag }
    in
    let names =
      [ "the board, the classes"; "K"; "the levels ahead, or the distances to the target";
        "the first levels, the middles, or the distances to them"; "the levels from the target, or the distances behind";
        "the levels do not meet" ] in
    let holds check = try check () with Invalid_argument _ | Stack_overflow -> false in
    let refuse name =
      Printf.printf "%s: REFUSED: this does not hold: %s\n" file name;
      exit 4
    in
    (* What asks no table is looked at now, too: tables may take long. *)
    List.iteri (fun i check -> if i < 2 && not (holds check) then refuse (List.nth names i)) (Checker.checks base);
    (* Tables are filled in the plainest way; the checker then looks at every entry. *)
    let fill sources q skip =
      let t = { places = Index.create (); far = Bytes.create 1024 } in
      let add h d =
        if Index.add t.places (digits h) then begin
          let i = t.places.Index.count - 1 in
          if i = Bytes.length t.far then t.far <- Bytes.extend t.far 0 i;
          Bytes.set t.far i (Char.chr d)
        end
      in
      List.iter (fun h -> add h 0) sources;
      let i = ref 0 in
      while !i < t.places.Index.count do
        let d = Char.code (Bytes.get t.far !i) in
        if d < q then
          ignore
            (Checker.abstract_moves base (undigits t.places.Index.entered.(!i)) (fun g ->
                 if not (skip g (d + 1)) then add g (d + 1);
                 true));
        incr i
      done;
      t
    in
    let every t f =
      let all = ref [] in
      for i = 0 to t.Checker.t_count - 1 do
        let h = t.Checker.t_get i in
        if f h then all := h :: !all
      done;
      !all
    in
    let note what t = Printf.printf "  %d histograms %s, %.0f s\n%!" t.places.Index.count what (Unix.gettimeofday () -. started) in
    let spoil t =
      (match damage with
       | Some n ->
         let n = n mod t.places.Index.count in
         let d = Char.code (Bytes.get t.far n) in
         Bytes.set t.far n (Char.chr (d + 1))
       | _ -> ());
      t
    in
    let to_target = fill [ Checker.hist base target ] (length - half) Checker.(skip_none) in
    let to_target = spoil to_target in
    note "near the target" to_target;
    let c = { base with Checker.c_to_target = table to_target } in
    let c =
      if not leading then c
      else begin
        let from_start = fill [ Checker.hist base start ] half Checker.(skip_none) in
        let c = { c with Checker.c_from_start = table from_start } in
        let middle h =
          c.Checker.c_to_target.Checker.t_dist h <= length - half
          && c.Checker.c_from_start.Checker.t_dist h <= half && Checker.leads c h in
        let to_middles = fill (every c.Checker.c_to_target middle) half (Checker.skip_middles c) in
        note "before the middles" to_middles;
        { c with Checker.c_to_middles = table to_middles }
      end
    in
    let c =
      if not behind then c
      else begin
        let sources = ref [] in
        for i = 0 to ahead.Checker.f_count - 1 do
          let x = ahead.Checker.f_get i in
          if c.Checker.c_to_target.Checker.t_dist (Checker.hist c x) <= length - meeting then
            List.iter (fun k -> sources := Checker.hist c (List.map k x) :: !sources) fixing_functions
        done;
        let to_meeting = fill !sources (length - meeting) (Checker.skip_meeting c) in
        note "around the meeting level" to_meeting;
        { c with Checker.c_to_meeting = table to_meeting }
      end
    in
    (* For the message alone: the first state with a successor that is neither found nor cut. *)
    let place () =
      let missing name (f : Checker.family) q cut =
        let open Checker in
        let rec go i =
          if i < f.f_count then begin
            let level = f.f_level i in
            let ok m h b = cut c (level + 1) (inc (c.c_class b) h) || found c f (b :: m) (level + 1) in
            if level < q && not (moves c (f.f_get i) ok) then
              Printf.printf "  %s: a successor of the state %s of level %d is neither there nor cut\n" name
                (String.concat " " (List.map string_of_int (f.f_get i))) level
            else go (i + 1)
          end
        in
        go 0
      in
      missing "F" first half Checker.cut_first;
      missing "E" ahead (meeting - half) Checker.cut_ahead;
      missing "G" back (length - meeting) Checker.cut_back
    in
    List.iter2
      (fun name check ->
        if not (holds check) then begin
          (try place () with Invalid_argument _ | Stack_overflow -> ());
          refuse name
        end;
        Printf.printf "  holds: %s, %.0f s\n%!" name (Unix.gettimeofday () -. started))
      names (Checker.checks c);
    let pairs l = String.concat " " (List.map (fun (x, y) -> Printf.sprintf "%d,%d" x y) l) in
    let army cells = pairs (List.map (fun c -> xy.(c)) cells) in
    let longest f = List.fold_left (fun m place -> max m (f place + 1)) 0 places in
    let width = longest fst and height = longest snd in
    (* As many places as a rectangle has, all different, are one. *)
    let board = if width * height = cells then Printf.sprintf "%d by %d" width height else pairs places in
    Printf.printf "%s: PROVED: %d men on %d cells (%s), %d directions (%s)%s, from %s to %s: no way of at most %d moves\n" file
      men cells board (List.length directions) (pairs directions) (if jumps_only then ", jumps only" else "") (army start)
      (army target) length
  with
  | Unreadable why ->
    Printf.printf "%s: cannot be read: %s\n" file why;
    exit 2
  | Out_of_memory ->
    Printf.printf "%s: cannot be read: memory does not suffice for it\n" file;
    exit 2
  | Refused why ->
    Printf.printf "%s: REFUSED: %s\n" file why;
    exit 4
