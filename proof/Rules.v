(* What a transfer is. This page, and the theorem at the end of Refuted.v, are all that has to be read to know what is
   proved. A cell is a number, its place in the list of the board's cells; an army is a set of cells. *)
Require Import List ZArith.
Import ListNotations.
Local Open Scope Z_scope.

Definition army := nat -> Prop.

Record problem := Problem {
  cells : list (Z * Z);        (* the coordinates of each cell *)
  directions : list (Z * Z);   (* where a step may go, and a jump *)
  jumps_only : bool;           (* whether steps are forbidden *)
  start : list nat;
  target : list nat }.

Section Rules.
Variable p : problem.

Definition at_ (c : nat) (x y : Z) := nth_error (cells p) c = Some (x, y).

(* d is one step from c *)
Definition beside (c d : nat) :=
  exists x y dx dy, at_ c x y /\ In (dx, dy) (directions p) /\ at_ d (x + dx) (y + dy).

(* a jump from c over o lands on d *)
Definition across (c o d : nat) :=
  exists x y dx dy, at_ c x y /\ In (dx, dy) (directions p) /\ at_ o (x + dx) (y + dy) /\ at_ d (x + 2 * dx) (y + 2 * dy).

(* Chains of jumps from a, over men of the army M, onto cells that are empty of it. *)
Inductive jumps (M : army) (a : nat) : nat -> Prop :=
| jumps_none : jumps M a a
| jumps_more c o d : jumps M a c -> across c o d -> M o -> ~ M d -> jumps M a d.

(* The men of X but the one on a: he does not stand in his own way, nor can he jump over himself. *)
Definition others (X : army) (a : nat) : army := fun c => X c /\ c <> a.

(* One man goes from a to another cell b, which is empty, by a step or a chain of jumps; Y is the army then. *)
Definition move (X Y : army) :=
  exists a b, X a /\ b <> a /\ ~ others X a b /\
    ((jumps_only p = false /\ beside a b) \/ jumps (others X a) a b) /\
    forall c, Y c <-> c = b \/ others X a c.

(* n moves lead from X to Z. *)
Inductive way : nat -> army -> army -> Prop :=
| way_none X Z : (forall c, X c <-> Z c) -> way 0 X Z
| way_more n X Y Z : move X Y -> way n Y Z -> way (S n) X Z.
End Rules.

Definition set (l : list nat) : army := fun c => In c l.
