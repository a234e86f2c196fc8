(* The checker as OCaml. These directives, and OCaml itself, are trusted: natural numbers and integers become machine
   integers of 63 bits (the checker only counts: cells, moves, men, states), lists, pairs and truth values OCaml's own. *)
Require Import Arith Checker.
Require Extraction.
Require Import ExtrOcamlBasic ExtrOcamlZInt ExtrOcamlNatInt.
Extract Inlined Constant Init.Nat.add => "(+)".
Extract Inlined Constant Init.Nat.pred => "(fun (x : int) -> if x = 0 then 0 else x - 1)".
Extract Inlined Constant Init.Nat.sub => "(fun (x : int) (y : int) -> if x <= y then 0 else x - y)".
Extract Inlined Constant Init.Nat.eqb => "(fun (x : int) (y : int) -> x = y)".
Extract Inlined Constant Init.Nat.leb => "(fun (x : int) (y : int) -> x <= y)".
Extract Inlined Constant Init.Nat.ltb => "(fun (x : int) (y : int) -> x < y)".
Extract Inlined Constant PeanoNat.Nat.eqb => "(fun (x : int) (y : int) -> x = y)".
Extract Inlined Constant PeanoNat.Nat.leb => "(fun (x : int) (y : int) -> x <= y)".
Extract Inlined Constant PeanoNat.Nat.ltb => "(fun (x : int) (y : int) -> x < y)".
Extraction "build/checker.ml" checks abstract_moves hist leads skip_none skip_middles skip_meeting.
