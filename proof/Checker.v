(* The checker: what is extracted, compiled and run. It is a function of a certificate, which has what the file says
   (numbers and lists) and, for what is large or made by the reader, functions: "state number i", "where is this state to
   be found", "the distance of this histogram". Nothing is assumed of them: whatever they answer, the theorem holds, so
   long as they are functions, which give the same answer to the same question. *)
Require Import List Arith ZArith Bool Rules.
Import ListNotations.

Fixpoint upto (n : nat) (f : nat -> bool) : bool :=
  match n with 0 => true | S m => if f m then upto m f else false end.

Definition mem (c : nat) (l : list nat) : bool := existsb (Nat.eqb c) l.

Fixpoint eqlist (a b : list nat) : bool :=
  match a, b with
  | [], [] => true
  | x :: s, y :: t => if x =? y then eqlist s t else false
  | _, _ => false
  end.

Fixpoint insert (c : nat) (l : list nat) : list nat :=
  match l with [] => [c] | d :: t => if c <=? d then c :: l else d :: insert c t end.
Definition norm (l : list nat) : list nat := fold_right insert [] l.

(* strictly ascending *)
Fixpoint sorted (l : list nat) : bool :=
  match l with c :: ((d :: _) as t) => if c <? d then sorted t else false | _ => true end.

(* What can be reached from todo by next; seen are those seen so far. None: out of fuel. *)
Fixpoint explore (next : nat -> list nat) (fuel : nat) (todo seen : list nat) : option (list nat) :=
  match todo with
  | [] => Some seen
  | x :: t =>
    match fuel with
    | 0 => None
    | S f =>
      let new := filter (fun y => negb (mem y seen)) (next x) in
      explore next f (new ++ t) (new ++ seen)
    end
  end.

Fixpoint inc (q : nat) (h : list nat) : list nat :=
  match h with [] => [] | x :: t => match q with 0 => S x :: t | S r => x :: inc r t end end.
Fixpoint dec (q : nat) (h : list nat) : list nat :=
  match h with [] => [] | x :: t => match q with 0 => pred x :: t | S r => x :: dec r t end end.

(* A table of distances of histograms: those that have one are listed, in any order. *)
Record table := Table {
  t_count : nat; t_get : nat -> list nat; t_find : list nat -> nat; t_dist : list nat -> nat }.

(* A family of levels: its states in any order, the level of each; where to look for a state: number of the element of K
   that takes it to the one that stands for it, and the number of that one. *)
Record family := Family {
  f_count : nat; f_get : nat -> list nat; f_level : nat -> nat; f_find : list nat -> nat * nat }.

Record certificate := Certificate {
  c_problem : problem;
  c_length : nat;                      (* what is refuted *)
  c_leading : bool;                    (* the first family holds ways that lead *)
  c_bounded : bool;                    (* the second one is bounded by the distance to the target *)
  c_behind : bool;                     (* the third one by the distance to where it is to meet *)
  c_half : nat; c_odd : bool; c_meeting : nat;
  c_fixing : list (nat -> nat); c_mirror : nat -> nat;
  c_classes : nat; c_class : nat -> nat; c_value : nat -> nat; c_offset : nat;
  c_fuel : nat;
  c_steps : nat -> list nat; c_jumps : nat -> list (nat * nat);
  c_class_steps : nat -> list nat; c_class_jumps : nat -> list (nat * nat); c_room : nat -> nat;
  c_from_start : table; c_to_target : table; c_to_middles : table; c_to_meeting : table;
  c_first : family; c_ahead : family; c_back : family;
  c_tag : list nat -> bool }.

Section Checker.
Variable c : certificate.
Let p := c_problem c.
Let n := length (cells p).
Let L := c_length c.
Let N := c_half c.
Let m := c_meeting c.
Let C := c_classes c.
Let cls := c_class c.
Let K := c_fixing c.

(* 1. The board. *)

Definition from_to (a b : Z * Z) (times : Z) (d : Z * Z) : bool :=
  (Z.eqb (fst b) (fst a + times * fst d) && Z.eqb (snd b) (snd a + times * snd d))%Z.

Definition besideb (a b : nat) : bool :=
  match nth_error (cells p) a, nth_error (cells p) b with
  | Some x, Some y => existsb (from_to x y 1) (directions p)
  | _, _ => false
  end.

Definition acrossb (a o b : nat) : bool :=
  match nth_error (cells p) a, nth_error (cells p) o, nth_error (cells p) b with
  | Some x, Some y, Some z => existsb (fun d => from_to x y 1 d && from_to x z 2 d) (directions p)
  | _, _, _ => false
  end.

Definition pair_in (o d : nat) (l : list (nat * nat)) : bool :=
  existsb (fun j => (fst j =? o) && (snd j =? d)) l.

Definition below (X : list nat) : bool := forallb (fun a => a <? n) X.

Definition ground_ok : bool :=
  forallb (fun d => existsb (fun e => (Z.eqb (fst e) (- fst d) && Z.eqb (snd e) (- snd d))%Z) (directions p)) (directions p)
  && sorted (start p) && below (start p) && sorted (target p) && below (target p)
  && upto n (fun a => cls a <? C)
  && upto n (fun a => upto n (fun b =>
       if besideb a b then
         mem b (c_steps c a)
         && (jumps_only p || mem (cls b) (c_class_steps c (cls a)))
         && upto n (fun d => if acrossb a b d then
              pair_in b d (c_jumps c a) && pair_in (cls b) (cls d) (c_class_jumps c (cls a)) else true)
       else true))
  && upto C (fun q => length (filter (fun a => cls a =? q) (seq 0 n)) <=? c_room c q).

(* a permutation that takes steps to steps and jumps to jumps *)
Definition automorphism (k : nat -> nat) : bool :=
  upto n (fun a => k a <? n)
  && upto n (fun a => upto n (fun b =>
       (if k a =? k b then a =? b else true)
       && (if besideb a b then
             besideb (k a) (k b)
             && upto n (fun d => if acrossb a b d then acrossb (k a) (k b) (k d) else true)
           else true))).

Definition fixes (k : nat -> nat) : bool :=
  automorphism k
  && eqlist (norm (map k (start p))) (start p) && eqlist (norm (map k (target p))) (target p)
  && (if c_leading c then upto n (fun a => c_value c (cls (k a)) =? c_value c (cls a)) else true).

Definition group : bool :=
  forallb (fun k => forallb (fun l => existsb (fun kl => upto n (fun a => kl a =? l (k a))) K) K) K
  && existsb (fun e => upto n (fun a => e a =? a)) K.

(* 2. Histograms, and moves. *)

Definition hist (X : list nat) : list nat := fold_right (fun a h => inc (cls a) h) (repeat 0 C) X.

Definition hops (M : list nat) (a : nat) : list nat :=
  map snd (filter (fun j => mem (fst j) M && negb (mem (snd j) M)) (c_jumps c a)).

(* Whether every move leads to an army that is ok: b :: M, where one man goes to b and M are the others; h is their
   histogram, which all of his moves have in common. *)
Definition moves (X : list nat) (ok : list nat -> list nat -> nat -> bool) : bool :=
  forallb (fun a =>
    let M := filter (fun d => negb (d =? a)) X in
    let h := hist M in
    (if jumps_only p then true else forallb (fun b => if mem b M then true else ok M h b) (c_steps c a))
    && match explore (hops M) (c_fuel c) [a] [a] with
       | None => false
       | Some V => forallb (fun b => if b =? a then true else ok M h b) V
       end) X.

(* 3. Abstract moves. *)

Definition class_hops (h : list nat) (q : nat) : list nat :=
  map snd (filter (fun j => (0 <? nth (fst j) h 0) && (nth (snd j) h 0 <? c_room c (snd j))) (c_class_jumps c q)).

Definition abstract_moves (h : list nat) (ok : list nat -> bool) : bool :=
  upto C (fun q =>
    if nth q h 0 =? 0 then true else
    let g := dec q h in
    (if jumps_only p then true
     else forallb (fun r => if nth r g 0 <? c_room c r then ok (inc r g) else true) (c_class_steps c q))
    && match explore (class_hops g) (c_fuel c) [q] [q] with
       | None => false
       | Some V => forallb (fun r => ok (inc r g)) V
       end).

Definition listed (t : table) (h : list nat) : bool :=
  let i := t_find t h in (i <? t_count t) && eqlist (t_get t i) h.

Definition source (t : table) (h : list nat) : bool := listed t h && (t_dist t h =? 0).

(* Along every abstract move the distance grows by one at most, as far as q, but where skip says that it is of no use. *)
Definition table_ok (t : table) (q : nat) (skip : list nat -> nat -> bool) : bool :=
  upto (t_count t) (fun i =>
    let h := t_get t i in
    let d := t_dist t h in
    if q <=? d then true
    else abstract_moves h (fun g => if skip g (S d) then true else listed t g && (t_dist t g <=? S d))).

(* 4. Which half leads. *)

Fixpoint weigh (h : list nat) (q : nat) : nat :=
  match h with [] => 0 | x :: t => x * c_value c q + weigh t (S q) end.

Let even_mark := length (start p) * c_offset c.

Definition leads (h : list nat) : bool :=
  let w := weigh h 0 in
  if c_odd c then
    (even_mark + even_mark <=? w + w)
    || negb (abstract_moves h (fun g => w + weigh g 0 <? even_mark + even_mark))
  else even_mark <=? w.

Definition leading_ok : bool :=
  (L =? N + N + (if c_odd c then 1 else 0))
  && automorphism (c_mirror c)
  && eqlist (norm (map (c_mirror c) (start p))) (target p)
  && eqlist (norm (map (c_mirror c) (target p))) (start p)
  && (length (start p) =? length (target p))
  && upto n (fun a => c_value c (cls (c_mirror c a)) + c_value c (cls a) =? c_offset c + c_offset c).

Definition middle (h : list nat) : bool :=
  leads h && (if c_bounded c then t_dist (c_to_target c) h <=? L - N else true).

(* 5. Families of levels. *)

Definition found (F : family) (Y : list nat) (last : nat) : bool :=
  let (k, i) := f_find F Y in
  (i <? f_count F) && (f_level F i <=? last)
  && match nth_error K k with Some k => eqlist (norm (map k Y)) (f_get F i) | None => false end.

Definition closed (F : family) (q : nat) (cut : nat -> list nat -> bool) : bool :=
  upto (f_count F) (fun i =>
    let X := f_get F i in
    let j := f_level F i in
    sorted X && (if q <=? j then true else
      moves X (fun M h b => if cut (S j) (inc (cls b) h) then true else found F (b :: M) (S j)))).

(* Whether a state of histogram h may be left out on level j. *)
Definition cut_first (j : nat) (h : list nat) : bool := N <? j + t_dist (c_to_middles c) h.
Definition cut_ahead (j : nat) (h : list nat) : bool := c_bounded c && (L - N <? j + t_dist (c_to_target c) h).
Definition cut_back (j : nat) (h : list nat) : bool := c_behind c && (L - m <? j + t_dist (c_to_meeting c) h).

Definition skip_none (h : list nat) (d : nat) : bool := false.
Definition skip_middles (h : list nat) (d : nat) : bool := N <? t_dist (c_from_start c) h + d.
Definition skip_meeting (h : list nat) (d : nat) : bool := c_bounded c && (L - m <? t_dist (c_to_target c) h + d).

(* All middles are among the sources of the table of distances to them. *)
Definition middles_ok : bool :=
  let T := c_to_target c in
  upto (t_count T) (fun i =>
    let h := t_get T i in
    if (t_dist T h <=? L - N) && (t_dist (c_from_start c) h <=? N) && leads h then source (c_to_middles c) h else true).

Definition first_ok : bool :=
  if c_leading c then
    leading_ok && c_bounded c
    && source (c_from_start c) (hist (start p)) && table_ok (c_from_start c) N skip_none
    && middles_ok && table_ok (c_to_middles c) N skip_middles
    && found (c_first c) (start p) 0 && closed (c_first c) N cut_first
    && upto (f_count (c_first c)) (fun i =>
         let X := f_get (c_first c) i in if middle (hist X) then found (c_ahead c) X 0 else true)
  else (N =? 0) && found (c_ahead c) (start p) 0.

Definition ahead_ok : bool :=
  (if c_bounded c then source (c_to_target c) (hist (target p)) && table_ok (c_to_target c) (L - N) skip_none else true)
  && (N <=? m) && (m <=? L)
  && closed (c_ahead c) (m - N) cut_ahead.

Definition back_ok : bool :=
  (if c_behind c then
     upto (f_count (c_ahead c)) (fun i =>
       let X := f_get (c_ahead c) i in
       if (if c_bounded c then t_dist (c_to_target c) (hist X) <=? L - m else true)
       then forallb (fun k => source (c_to_meeting c) (hist (map k X))) K else true)
     && table_ok (c_to_meeting c) (L - m) skip_meeting
   else true)
  && found (c_back c) (target p) 0 && closed (c_back c) (L - m) cut_back.

(* The last two families have no state in common: the one has the tag, the other one has not. *)
Definition apart : bool :=
  upto (f_count (c_ahead c)) (fun i =>
    forallb (fun k => let Y := norm (map k (f_get (c_ahead c) i)) in sorted Y && c_tag c Y) K)
  && upto (f_count (c_back c)) (fun i => negb (c_tag c (f_get (c_back c) i))).

(* In the order in which they are cheap; each prints nothing, so that the program can say where it failed. *)
Definition checks : list (unit -> bool) :=
  [fun _ => ground_ok; fun _ => forallb fixes K && group; fun _ => ahead_ok; fun _ => first_ok; fun _ => back_ok;
   fun _ => apart].

Definition check : bool := forallb (fun f => f tt) checks.
End Checker.
