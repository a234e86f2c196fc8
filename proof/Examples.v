(* That the rules allow something: on three cells in a row, two men on the left ones go one place to the right in one move, a
   jump, or in two, both steps; and without a move they do not. *)
Require Import List ZArith Lia Rules.
Import ListNotations.

Definition row (steps : bool) := Problem [(0, 0); (1, 0); (2, 0)]%Z [(1, 0); (-1, 0)]%Z (negb steps) [0; 1] [1; 2].

Lemma a_jump steps : way (row steps) 1 (set [0; 1]) (set [1; 2]).
Proof.
  apply way_more with (set [1; 2]); [|apply way_none; tauto].
  exists 0, 2. unfold set, others; simpl. repeat split; try lia.
  1: right; apply jumps_more with 0 1; [constructor|exists 0%Z, 0%Z, 1%Z, 0%Z; repeat split; simpl; auto|lia|lia].
  all: intuition lia.
Qed.

Lemma two_steps : way (row true) 2 (set [0; 1]) (set [1; 2]).
Proof.
  apply way_more with (set [0; 2]).
  - exists 1, 2. unfold set, others; simpl. repeat split; try lia.
    1: left; split; [reflexivity|exists 1%Z, 0%Z, 1%Z, 0%Z; repeat split; simpl; auto].
    all: intuition lia.
  - apply way_more with (set [1; 2]); [|apply way_none; tauto].
    exists 0, 1. unfold set, others; simpl. repeat split; try lia.
    1: left; split; [reflexivity|exists 0%Z, 0%Z, 1%Z, 0%Z; repeat split; simpl; auto].
    all: intuition lia.
Qed.

Lemma not_without_a_move steps : ~ way (row steps) 0 (set [0; 1]) (set [1; 2]).
Proof. intro W. inversion W as [X Z E|]; subst. specialize (E 0). unfold set in E; simpl in E. lia. Qed.
