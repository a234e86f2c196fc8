(* What the checker accepts has no way. The numbers are those of docs/proof.md. *)
Require Import List Arith Bool Lia Permutation Rules Checker Lists Moves.
Import ListNotations.

Section Theorem_.
Variable c : certificate.
Notation p := (c_problem c).
Notation n := (length (cells p)).
Notation L := (c_length c).
Notation N := (c_half c).
Notation m := (c_meeting c).
Notation K := (c_fixing c).
Notation hist := (hist c).
Hypothesis ground : ground_ok c = true.
Hypothesis symmetric : forallb (fixes c) K && group c = true.

Definition step (X Y : list nat) := same X Y \/ move p (set X) (set Y).

Lemma step_sym X Y : step X Y -> step Y X.
Proof. intros [H|H]; [left; apply same_sym; exact H|right; apply move_sym; auto]. Qed.

Lemma step_ext X Y X' Y' : same X X' -> same Y Y' -> step X Y -> step X' Y'.
Proof.
  intros HX HY [H|H].
  - left. apply same_trans with X; [apply same_sym; exact HX|]. apply same_trans with Y; auto.
  - right. eapply move_ext; [| |exact H]; intro x; [apply HX|apply HY].
Qed.

(* 11. Distances in a table never exceed the moves made. *)
Lemma table_path t q skip (W : nat -> list nat) r :
  table_ok c t q skip = true -> source t (hist (W 0)) = true ->
  (forall i, NoDup (W i)) -> (forall i, inside c (W i)) -> (forall i, i < r -> step (W i) (W (S i))) ->
  (forall i d, i <= r -> d <= i -> skip (hist (W i)) d = false) -> r <= q ->
  forall i, i <= r -> listed t (hist (W i)) = true /\ t_dist t (hist (W i)) <= i.
Proof.
  intros T S ND I M Sk R. apply andb_true_iff in S as [S0 S1]. apply Nat.eqb_eq in S1.
  induction i as [|i IH]; intro Hi; [split; [exact S0|lia]|].
  destruct IH as [Li Di]; [lia|].
  destruct (M i) as [E|Mv]; [lia| |].
  - rewrite <- (hist_same c (W i) (W (S i))); auto.
  - unfold listed in Li. cbn zeta in Li. apply andb_true_iff in Li as [Lt Eq]. apply Nat.ltb_lt in Lt.
    apply eqlist_eq in Eq. pose proof (upto_true _ _ T _ Lt) as G. cbn zeta beta in G. rewrite Eq in G.
    destruct (q <=? t_dist t (hist (W i))) eqn:Q; [apply Nat.leb_le in Q; lia|].
    apply (abstract_sound c ground (W i) (W (S i))) in G; auto.
    rewrite Sk in G by lia. apply andb_true_iff in G as [G1 G2]. apply Nat.leb_le in G2. split; [exact G1|lia].
Qed.

Lemma fixing_parts k : In k K -> automorphism c k = true /\ same (map k (start p)) (start p) /\
  same (map k (target p)) (target p) /\
  (c_leading c = true -> forall a, a < n -> c_value c (c_class c (k a)) = c_value c (c_class c a)).
Proof.
  pose proof symmetric as H. apply andb_true_iff in H as [H _]. rewrite forallb_forall in H. intro I. specialize (H k I). unfold fixes in H.
  apply andb_true_iff in H as [H V]. apply andb_true_iff in H as [H T]. apply andb_true_iff in H as [H S].
  repeat split; auto.
  1, 2: apply (norm_eq _ _ S).
  1, 2: apply (norm_eq _ _ T).
  intros Ld a A. rewrite Ld in V. apply Nat.eqb_eq. exact (upto_true _ _ V a A).
Qed.

Lemma step_map k X Y : automorphism c k = true -> inside c X -> inside c Y -> step X Y -> step (map k X) (map k Y).
Proof.
  intros A IX IY [H|H]; [left; apply map_same; exact H|right; apply move_map; auto].
Qed.

(* 5. Levels. *)
Lemma found_same F Y x : found c F Y x = true ->
  exists k i, In k K /\ i < f_count F /\ f_level F i <= x /\ same (f_get F i) (map k Y).
Proof.
  unfold found. destruct (f_find F Y) as [k i]. intro H. apply andb_true_iff in H as [H E]. apply andb_true_iff in H as [H1 H2].
  destruct (nth_error K k) as [f|] eqn:NE; [|discriminate].
  exists f, i. repeat split.
  - eapply nth_error_In; exact NE.
  - apply Nat.ltb_lt; exact H1.
  - apply Nat.leb_le; exact H2.
  - rewrite <- (eqlist_eq _ _ E). apply norm_same.
  - rewrite <- (eqlist_eq _ _ E). apply norm_same.
Qed.

Lemma closure (G : (nat -> list nat) -> Prop) F o q cut :
  closed c F q cut = true ->
  (forall A, G A -> (forall i, NoDup (A i)) /\ (forall i, inside c (A i)) /\ forall i, i < q -> step (A (o + i)) (A (o + S i))) ->
  (forall A k, G A -> In k K -> G (fun i => map k (A i))) ->
  (forall A i j Y, G A -> i < q -> j <= i -> NoDup Y -> same Y (A (o + S i)) -> cut (S j) (hist Y) = false) ->
  forall A X, G A -> same X (A o) -> found c F X 0 = true -> forall i, i <= q ->
  exists A', G A' /\ exists x, x < f_count F /\ f_level F x <= i /\ same (f_get F x) (A' (o + i)).
Proof.
  intros Cl GP GK GC A X GA SX Fd. induction i as [|i IH]; intro Hi.
  - apply found_same in Fd as (k & x & Ik & Hx & Lx & E). exists (fun j => map k (A j)). split; [apply GK; auto|].
    exists x. repeat split; auto; rewrite Nat.add_0_r; apply (same_trans _ _ _ E (map_same k _ _ SX)).
  - destruct IH as (A' & GA' & x & Hx & Lx & E); [lia|].
    destruct (GP A' GA') as (ND & IN & ST).
    pose proof (upto_true _ _ Cl x Hx) as Q. cbn zeta beta in Q. apply andb_true_iff in Q as [So Q].
    destruct (q <=? f_level F x) eqn:Le; [apply Nat.leb_le in Le; lia|].
    destruct (ST i) as [Sm|Mv]; [lia| |].
    + exists A'. split; [exact GA'|]. exists x. repeat split; [exact Hx|lia| |]; apply (same_trans _ _ _ E Sm).
    + assert (move p (set (f_get F x)) (set (A' (o + S i)))) as Mx.
      { eapply move_ext; [| |exact Mv]; intro y; [symmetry; apply E|tauto]. }
      apply (moves_sound c ground _ _ _ Q) in Mx as (a & b & Ia & Nb & Ok & SY & _ & _).
      assert (same (b :: drop a (f_get F x)) (A' (o + S i))) as SYx by (intro y; symmetry; apply SY).
      change (inc (c_class c b) (hist (drop a (f_get F x)))) with (hist (b :: drop a (f_get F x))) in Ok.
      rewrite (GC A' i (f_level F x) (b :: drop a (f_get F x))) in Ok; auto.
      * apply found_same in Ok as (k & z & Ik & Hz & Lz & Ez).
        exists (fun j => map k (A' j)). split; [apply GK; auto|]. exists z. repeat split; [exact Hz|lia| |];
          apply (same_trans _ _ _ Ez (map_same k _ _ SYx)).
      * constructor; [exact Nb|apply drop_NoDup, sorted_NoDup; exact So].
Qed.

(* Walks of L steps; a step may also stay where it is, so that one of fewer moves is one of these. *)

Record walk (A : nat -> list nat) : Prop := {
  w_nodup : forall i, NoDup (A i);
  w_inside : forall i, inside c (A i);
  w_start : same (A 0) (start p);
  w_target : same (A L) (target p);
  w_step : forall i, i < L -> step (A i) (A (S i)) }.

Lemma way_walk : forall k X Z, way p k X Z -> forall l, NoDup l -> inside c l -> (forall x, X x <-> In x l) ->
  exists A, A 0 = l /\ (forall i, NoDup (A i)) /\ (forall i, inside c (A i)) /\ (forall i, step (A i) (A (S i))) /\
    (forall i, k <= i -> forall x, In x (A i) <-> Z x).
Proof.
  induction 1 as [X Z E|k X Y Z M W IH]; intros l ND I EX.
  - exists (fun _ => l). repeat split; auto.
    + intro i; left; apply same_refl.
    + intro J. apply E, EX, J.
    + intro J. apply EX, E, J.
  - destruct M as (a & b & A & AB & B & Wh & E).
    assert (In a l) as Ia by (apply EX; exact A).
    assert (forall x, others X a x <-> In x (drop a l)) as O by (intro x; rewrite drop_In; unfold others; rewrite EX; tauto).
    assert (move p (set l) Y) as ML.
    { eapply move_ext with (X := X) (Y := Y); [exact EX|intro; tauto|]. exists a, b. auto. }
    assert (b < n) as Hb.
    { destruct Wh as [[_ S]|J]; [apply (beside_below _ _ _ S)|].
      inversion J as [|x o d JD AC Oo D]; [congruence|]. apply (across_below _ _ _ _ AC). }
    destruct (IH (b :: drop a l)) as (A' & A0 & ND' & I' & St & En).
    + constructor; [rewrite <- O; exact B|apply drop_NoDup; exact ND].
    + intros x [<-|J]; [exact Hb|apply drop_In in J as [J _]; auto].
    + intro x. rewrite (E x), O. simpl. split; intros [?|?]; auto.
    + exists (fun i => match i with 0 => l | S j => A' j end). split; [reflexivity|]. split; [intros [|i]; auto|]. split; [intros [|i]; auto|]. split.
      * intros [|i]; [|apply St]. right. rewrite A0. eapply move_ext; [intro; apply iff_refl| |exact ML].
        intro x. unfold set. rewrite (E x), O. simpl. split; intros [?|?]; auto.
      * intros [|i] Hk x; [lia|]. apply En. lia.
Qed.

Definition weight (X : list nat) := weigh c (hist X) 0.

Lemma weigh_inc : forall h q s, q < length h -> weigh c (inc q h) s = c_value c (s + q) + weigh c h s.
Proof.
  induction h as [|x t IH]; intros [|q] s H; simpl in *; try lia.
  - rewrite Nat.add_0_r. lia.
  - rewrite IH by lia. replace (S s + q) with (s + S q) by lia. lia.
Qed.

Lemma weight_cons a X : a < n -> weight (a :: X) = c_value c (c_class c a) + weight X.
Proof.
  intro H. unfold weight. change (hist (a :: X)) with (inc (c_class c a) (hist X)).
  apply weigh_inc. rewrite hist_length. destruct (ground_parts c ground) as (_ & _ & _ & Q & _). auto.
Qed.

Lemma weight_nil : weight [] = 0.
Proof.
  unfold weight. change (hist []) with (repeat 0 (c_classes c)). generalize 0 at 2 as s.
  induction (c_classes c); simpl; auto.
Qed.

Lemma weight_fixing k X : In k K -> c_leading c = true -> inside c X -> weight (map k X) = weight X.
Proof.
  intros I Ld. destruct (fixing_parts k I) as (A & _ & _ & V).
  induction X as [|a X IH]; intro IX; [reflexivity|].
  assert (a < n) as Ha by (apply IX; left; reflexivity).
  simpl map. rewrite !weight_cons; [|exact Ha|apply (auto_parts c k A); exact Ha].
  rewrite V, IH; auto. intros x Hx; apply IX; right; exact Hx.
Qed.

Definition mark := length (start p) * c_offset c.

Definition lead (A : nat -> list nat) :=
  if c_odd c then mark + mark <= weight (A N) + weight (A (S N)) else mark <= weight (A N).

(* What all levels are about: walks that lead, where some have to. *)
Definition G (A : nat -> list nat) := walk A /\ (c_leading c = true -> lead A).

Lemma walk_map A k : walk A -> In k K -> walk (fun i => map k (A i)).
Proof.
  intros W I. destruct (fixing_parts k I) as (Au & HS & HT & _). constructor.
  - intro i. apply (map_NoDup c k Au); apply W.
  - intro i. apply map_inside; [exact Au|apply W].
  - apply same_trans with (map k (start p)); [apply map_same, W|exact HS].
  - apply same_trans with (map k (target p)); [apply map_same, W|exact HT].
  - intros i H. apply step_map; auto; apply W; exact H.
Qed.

Lemma G_map A k : G A -> In k K -> G (fun i => map k (A i)).
Proof.
  intros [W Ld] I. split; [apply walk_map; auto|].
  intro H. specialize (Ld H). unfold lead in *. rewrite !weight_fixing; auto; apply W.
Qed.

Lemma walk_hist A i X : walk A -> NoDup X -> same X (A i) -> hist X = hist (A i).
Proof. intros W ND S. apply hist_same; auto. apply W. Qed.

Section Leading.
Hypothesis leading : leading_ok c = true.

Lemma leading_parts :
  L = N + N + (if c_odd c then 1 else 0) /\ automorphism c (c_mirror c) = true /\
  same (map (c_mirror c) (start p)) (target p) /\ same (map (c_mirror c) (target p)) (start p) /\
  (forall a, a < n -> c_value c (c_class c (c_mirror c a)) + c_value c (c_class c a) = c_offset c + c_offset c).
Proof.
  pose proof leading as H. unfold leading_ok in H.
  apply andb_true_iff in H as [H V]. apply andb_true_iff in H as [H _]. apply andb_true_iff in H as [H T].
  apply andb_true_iff in H as [H S]. apply andb_true_iff in H as [H A].
  repeat split.
  - apply Nat.eqb_eq; exact H.
  - exact A.
  - apply (norm_eq _ _ S).
  - apply (norm_eq _ _ S).
  - apply (norm_eq _ _ T).
  - apply (norm_eq _ _ T).
  - intros a Ha. apply Nat.eqb_eq. exact (upto_true _ _ V a Ha).
Qed.

Lemma weight_mirror X : inside c X -> weight (map (c_mirror c) X) + weight X = length X * c_offset c + length X * c_offset c.
Proof.
  destruct leading_parts as (_ & A & _ & _ & V).
  induction X as [|a X IH]; intro I; [simpl; rewrite weight_nil; reflexivity|].
  assert (a < n) as Ha by (apply I; left; reflexivity).
  simpl map. rewrite !weight_cons; [|exact Ha|apply (auto_parts c _ A); exact Ha].
  specialize (IH (fun x Hx => I x (or_intror Hx))). specialize (V a Ha). simpl length. lia.
Qed.

Lemma step_length X Y : NoDup X -> NoDup Y -> step X Y -> length Y = length X.
Proof.
  intros NX NY [S|M].
  - symmetry. apply Permutation_length, same_perm; auto.
  - destruct M as (a & b & A & AB & B & _ & E).
    rewrite (Permutation_length (drop_perm a X NX A)).
    change (length Y = length (b :: drop a X)). apply Permutation_length, same_perm; auto.
    + constructor; [rewrite drop_others; exact B|apply drop_NoDup; exact NX].
    + intro x. specialize (E x). unfold set at 1 in E. simpl. rewrite drop_others, E. split; intros [?|?]; auto.
Qed.

Lemma walk_length A : walk A -> forall i, i <= L -> length (A i) = length (start p).
Proof.
  intros W. destruct (ground_parts c ground) as (_ & (S & _) & _).
  induction i as [|i IH]; intro H.
  - apply Permutation_length, same_perm; [apply W|exact S|apply W].
  - rewrite <- IH by lia. apply step_length; try apply W. lia.
Qed.

(* 6. The mirrored reversal. *)
Lemma walk_reversal A : walk A -> walk (fun i => map (c_mirror c) (A (L - i))).
Proof.
  destruct leading_parts as (_ & Au & HS & HT & _).
  intro W. constructor.
  - intro i. apply (map_NoDup c _ Au); apply W.
  - intro i. apply map_inside; [exact Au|apply W].
  - rewrite Nat.sub_0_r. apply same_trans with (map (c_mirror c) (target p)); [apply map_same, W|exact HT].
  - rewrite Nat.sub_diag. apply same_trans with (map (c_mirror c) (start p)); [apply map_same, W|exact HS].
  - intros i H. apply step_map; auto; try apply W.
    replace (L - i) with (S (L - S i)) by lia. apply step_sym, W. lia.
Qed.

(* 12. One of the two leads. *)
Lemma one_leads A : walk A -> exists B, walk B /\ lead B.
Proof.
  destruct leading_parts as (EL & _ & _ & _ & _).
  intro W. pose proof (walk_reversal A W) as R.
  destruct (c_odd c) eqn:Odd.
  - destruct (le_lt_dec (mark + mark) (weight (A N) + weight (A (S N)))) as [H|H].
    + exists A. split; auto. unfold lead. rewrite Odd; exact H.
    + eexists. split; [exact R|]. unfold lead. rewrite Odd.
      replace (L - N) with (S N) by lia. replace (L - S N) with N by lia.
      pose proof (weight_mirror (A N) (w_inside _ W _)) as E1. pose proof (weight_mirror (A (S N)) (w_inside _ W _)) as E2.
      rewrite (walk_length A W) in E1, E2 by lia. unfold mark in *. lia.
  - destruct (le_lt_dec mark (weight (A N))) as [H|H].
    + exists A. split; auto. unfold lead. rewrite Odd; exact H.
    + eexists. split; [exact R|]. unfold lead. rewrite Odd.
      replace (L - N) with N by lia.
      pose proof (weight_mirror (A N) (w_inside _ W _)) as E1.
      rewrite (walk_length A W) in E1 by lia. unfold mark in *. lia.
Qed.

Lemma leads_hist A : walk A -> lead A -> leads c (hist (A N)) = true.
Proof.
  destruct leading_parts as (EL & _ & _ & _ & _).
  intros W Ld. unfold lead in Ld. unfold leads. cbn zeta. fold (weight (A N)). fold mark. destruct (c_odd c) eqn:Odd.
  - apply orb_true_iff. destruct (w_step _ W N) as [Sm|Mv]; [lia| |].
    + left. apply Nat.leb_le. replace (weight (A (S N))) with (weight (A N)) in Ld; [exact Ld|].
      unfold weight. rewrite (hist_same c (A N) (A (S N))); auto; apply W.
    + right. apply negb_true_iff. destruct (abstract_moves _ _ _) eqn:E; [|reflexivity].
      apply (abstract_sound c ground (A N) (A (S N))) in E; auto; try apply W.
      apply Nat.ltb_lt in E. fold (weight (A (S N))) in E. lia.
  - apply Nat.leb_le; exact Ld.
Qed.
End Leading.

Hypothesis ahead : ahead_ok c = true.

Lemma ahead_parts : N <= m /\ m <= L /\ closed c (c_ahead c) (m - N) (cut_ahead c) = true /\
  (c_bounded c = true -> source (c_to_target c) (hist (target p)) = true /\
     table_ok c (c_to_target c) (L - N) skip_none = true).
Proof.
  pose proof ahead as H. unfold ahead_ok in H.
  apply andb_true_iff in H as [H E]. apply andb_true_iff in H as [H M]. apply andb_true_iff in H as [T H].
  apply Nat.leb_le in H, M. split; [exact H|]. split; [exact M|]. split; [exact E|].
  intro B; rewrite B in T; apply andb_true_iff in T; exact T.
Qed.

Lemma to_target A : c_bounded c = true -> walk A -> forall i, i <= L - N ->
  listed (c_to_target c) (hist (A (L - i))) = true /\ t_dist (c_to_target c) (hist (A (L - i))) <= i.
Proof.
  intros B W. destruct ahead_parts as (_ & _ & _ & T). destruct (T B) as [T0 T1].
  destruct (ground_parts c ground) as (_ & (_ & _ & TN & _) & _).
  apply (table_path _ _ _ (fun i => A (L - i)) (L - N) T1); auto; try (intros; apply W).
  - rewrite Nat.sub_0_r. rewrite (hist_same c (A L) (target p)); auto; apply W.
  - intros i H. replace (L - i) with (S (L - S i)) by lia. apply step_sym, W. lia.
Qed.

Lemma to_target' A i : c_bounded c = true -> walk A -> N <= i <= L ->
  t_dist (c_to_target c) (hist (A i)) <= L - i.
Proof.
  intros B W H. destruct (to_target A B W (L - i)) as [_ D]; [lia|].
  replace (L - (L - i)) with i in D by lia. exact D.
Qed.

Hypothesis first : first_ok c = true.

(* A walk whose state after N steps is on the first of the levels ahead. *)
Lemma at_middle A : walk A -> exists B, G B /\ exists X, same X (B N) /\ found c (c_ahead c) X 0 = true.
Proof.
  intro W. pose proof first as H. unfold first_ok in H. destruct (c_leading c) eqn:Ld.
  - apply andb_true_iff in H as [H H0]. apply andb_true_iff in H as [H F1]. apply andb_true_iff in H as [H F0].
    apply andb_true_iff in H as [H M1]. apply andb_true_iff in H as [H MO]. apply andb_true_iff in H as [H S1].
    apply andb_true_iff in H as [H S0]. apply andb_true_iff in H as [LO Bd].
    destruct (leading_parts LO) as (EL & _).
    destruct (one_leads LO A W) as (B & WB & LB).
    assert (G B) as GB by (split; auto).
    destruct (ground_parts c ground) as (_ & (SN & _) & _).
    assert (forall Z, walk Z -> forall i, i <= N -> t_dist (c_from_start c) (hist (Z i)) <= i) as DS.
    { intros Z WZ i Hi. apply (table_path _ _ _ Z N S1); auto; try apply WZ.
      - rewrite (hist_same c (Z 0) (start p)); auto; apply WZ.
      - intros j Hj. apply WZ. lia. }
    assert (forall Z, G Z -> forall i, i <= N -> t_dist (c_to_middles c) (hist (Z i)) <= N - i) as DM.
    { intros Z [WZ LZ] i Hi. specialize (LZ Ld).
      destruct (table_path (c_to_middles c) N (skip_middles c) (fun j => Z (N - j)) N M1) with (i := N - i) as [_ D];
        auto; try (intros; apply WZ); try lia.
      - rewrite Nat.sub_0_r. destruct (to_target Z Bd WZ (L - N)) as [T0 T1]; [lia|].
        replace (L - (L - N)) with N in T0, T1 by lia.
        unfold listed in T0. cbn zeta in T0. apply andb_true_iff in T0 as [Lt Eq]. apply Nat.ltb_lt in Lt.
        apply eqlist_eq in Eq. pose proof (upto_true _ _ MO _ Lt) as Q. cbn zeta beta in Q. rewrite Eq in Q.
        rewrite (proj2 (Nat.leb_le _ _) T1), (proj2 (Nat.leb_le _ _) (DS Z WZ N (le_n _))), (leads_hist LO Z WZ LZ) in Q.
        exact Q.
      - intros j Hj. replace (N - j) with (S (N - S j)) by lia. apply step_sym, WZ. lia.
      - intros j d Hj Hd. unfold skip_middles. apply Nat.ltb_ge. specialize (DS Z WZ (N - j)). lia.
      - replace (N - (N - i)) with i in D by lia. exact D. }
    destruct (closure G (c_first c) 0 N (cut_first c) F1) with (A := B) (X := start p) (i := N)
      as (B' & GB' & x & Hx & Lx & E); auto.
    + intros Z [WZ _]. repeat split; try apply WZ. intros i Hi. apply WZ. lia.
    + intros. apply G_map; auto.
    + intros Z i j Y GZ Hi Hj NY SY. unfold cut_first. apply Nat.ltb_ge.
      rewrite (walk_hist Z (S i) Y); auto; [|apply GZ]. specialize (DM Z GZ (S i)). lia.
    + apply same_sym, WB.
    + exists B'. split; [exact GB'|]. exists (f_get (c_first c) x). split; [exact E|].
      pose proof (upto_true _ _ H0 x Hx) as Q. cbn zeta beta in Q.
      destruct GB' as [WB' LB']. specialize (LB' Ld).
      pose proof (upto_true _ _ F1 x Hx) as So. cbn zeta beta in So. apply andb_true_iff in So as [So _].
      rewrite (walk_hist B' N (f_get (c_first c) x) WB' (sorted_NoDup _ So) E) in Q.
      unfold middle in Q. rewrite (leads_hist LO B' WB' LB'), Bd in Q.
      rewrite (proj2 (Nat.leb_le _ _)) in Q; [exact Q|]. apply to_target'; auto. lia.
  - apply andb_true_iff in H as [H F]. apply Nat.eqb_eq in H. exists A. split; [split; [exact W|congruence]|].
    exists (start p). rewrite H. split; [apply same_sym, W|exact F].
Qed.

(* A walk that is on the levels ahead where those from the target are to meet them. *)
Lemma at_meeting A : walk A -> exists B, walk B /\ exists x, x < f_count (c_ahead c) /\ same (f_get (c_ahead c) x) (B m).
Proof.
  intro W. destruct (at_middle A W) as (B & GB & X & SX & F).
  destruct ahead_parts as (NM & ML & Cl & _).
  destruct (closure G (c_ahead c) N (m - N) (cut_ahead c) Cl) with (A := B) (X := X) (i := m - N)
    as (B' & GB' & x & Hx & _ & E); auto.
  - intros Z [WZ _]. repeat split; try apply WZ. intros i Hi. rewrite Nat.add_succ_r. apply WZ. lia.
  - intros. apply G_map; auto.
  - intros Z i j Y [WZ _] Hi Hj NY SY. unfold cut_ahead. destruct (c_bounded c) eqn:Bd; [|reflexivity]. simpl.
    apply Nat.ltb_ge. rewrite (walk_hist Z _ Y WZ NY SY).
    pose proof (to_target' Z (N + S i) Bd WZ). lia.
  - exists B'. split; [apply GB'|]. exists x. split; [exact Hx|]. replace (N + (m - N)) with m in E by lia. exact E.
Qed.

Hypothesis back : back_ok c = true.
Hypothesis disjoint : apart c = true.

Lemma no_walk A : ~ walk A.
Proof.
  intro W0. destruct (at_meeting A W0) as (B & W & x & Hx & E).
  destruct ahead_parts as (NM & ML & ClA & _).
  pose proof back as H. unfold back_ok in H. apply andb_true_iff in H as [H Cl]. apply andb_true_iff in H as [Be F0].
  pose proof symmetric as Sy. apply andb_true_iff in Sy as [FX GR]. unfold group in GR. apply andb_true_iff in GR as [GR1 GR2].
  set (R := fun Z : nat -> list nat => exists k, In k K /\ forall i, Z i = map k (B (L - i))).
  assert (forall i, inside c (B i)) as IB by apply W.
  destruct (ground_parts c ground) as (_ & (_ & _ & TN & _) & _).
  assert (forall Z, R Z -> forall i, i <= L - m ->
    c_behind c = true -> t_dist (c_to_meeting c) (hist (Z i)) <= L - m - i) as DR.
  { intros Z (k & Ik & EZ) i Hi Bh. pose proof (walk_map B k W Ik) as WK.
    rewrite Bh in Be. apply andb_true_iff in Be as [B0 B1].
    destruct (table_path (c_to_meeting c) (L - m) (skip_meeting c) (fun j => map k (B (m + j))) (L - m) B1)
      with (i := L - m - i) as [_ D]; auto; try (intros; apply WK); try lia.
    - rewrite Nat.add_0_r. pose proof (upto_true _ _ B0 x Hx) as Q. cbn zeta beta in Q.
      pose proof (upto_true _ _ ClA x Hx) as So. cbn zeta beta in So. apply andb_true_iff in So as [So _].
      rewrite (walk_hist B m _ W (sorted_NoDup _ So) E) in Q.
      assert ((if c_bounded c then t_dist (c_to_target c) (hist (B m)) <=? L - m else true) = true) as Near.
      { destruct (c_bounded c) eqn:Bd; [|reflexivity]. apply Nat.leb_le. apply to_target'; auto. }
      rewrite Near, forallb_forall in Q. specialize (Q k Ik).
      rewrite <- (hist_same c (map k (f_get (c_ahead c) x)) (map k (B m))); auto.
      + destruct (fixing_parts k Ik) as (Au & _). apply (map_NoDup c k Au); [|apply sorted_NoDup; exact So].
        intros y Hy. apply E in Hy. apply (IB m). exact Hy.
      + apply WK.
      + apply map_same. exact E.
    - intros j Hj. rewrite Nat.add_succ_r. apply WK. lia.
    - intros j d Hj Hd. unfold skip_meeting. destruct (c_bounded c) eqn:Bd; [|reflexivity]. simpl. apply Nat.ltb_ge.
      pose proof (to_target' _ (m + j) Bd WK). lia.
    - replace (m + (L - m - i)) with (L - i) in D by lia. rewrite (EZ i). exact D. }
  assert (exists e, In e K /\ forall a, a < n -> e a = a) as (e & Ie & Ee).
  { apply existsb_exists in GR2 as (e & Ie & H2). exists e. split; [exact Ie|].
    intros a Ha. apply Nat.eqb_eq. exact (upto_true _ _ H2 a Ha). }
  destruct (closure R (c_back c) 0 (L - m) (cut_back c) Cl) with
    (A := fun i => map e (B (L - i))) (X := target p) (i := L - m) as (Z & (k & Ik & EZ) & y & Hy & _ & F); auto.
  - intros Z (k & Ik & EZ). pose proof (walk_map B k W Ik) as WK. repeat split.
    + intro i. rewrite EZ. apply WK.
    + intro i. rewrite EZ. apply WK.
    + intros i Hi. rewrite !EZ. apply step_sym. replace (L - (0 + i)) with (S (L - (0 + S i))) by lia.
      apply WK. lia.
  - intros Z l (k & Ik & EZ) Il. rewrite forallb_forall in GR1. specialize (GR1 k Ik). rewrite forallb_forall in GR1.
    specialize (GR1 l Il). apply existsb_exists in GR1 as (kl & Ikl & H2). exists kl. split; [exact Ikl|].
    intro i. rewrite EZ, map_map. apply map_ext_in. intros a Ha. symmetry. apply Nat.eqb_eq.
    exact (upto_true _ _ H2 a (IB _ a Ha)).
  - intros Z i j Y RZ Hi Hj NY SY. unfold cut_back. destruct (c_behind c) eqn:Bh; [|reflexivity]. simpl. apply Nat.ltb_ge.
    specialize (DR Z RZ (S i)). rewrite (hist_same c Y (Z (S i))); auto; [lia|].
    destruct RZ as (k & Ik & EZ). rewrite EZ. apply (walk_map B k W Ik).
  - exists e. auto.
  - rewrite Nat.sub_0_r. rewrite <- (map_id (target p)). intro a. rewrite !in_map_iff.
    split; intros (z & Ez & Iz); exists z; (split; [|apply (w_target B W); exact Iz]).
    + rewrite Ee; [exact Ez|]. apply (IB L). apply (w_target B W). exact Iz.
    + rewrite Ee in Ez; [exact Ez|]. apply (IB L). exact Iz.
  - rewrite EZ in F. simpl in F. replace (L - (L - m)) with m in F by lia.
    pose proof disjoint as D. unfold apart in D. apply andb_true_iff in D as [D1 D2].
    pose proof (upto_true _ _ D1 x Hx) as Q1. cbn beta in Q1. rewrite forallb_forall in Q1.
    specialize (Q1 k Ik). cbn zeta in Q1. apply andb_true_iff in Q1 as [S1 T1].
    pose proof (upto_true _ _ D2 y Hy) as Q2. cbn beta in Q2. apply negb_true_iff in Q2.
    pose proof (upto_true _ _ Cl y Hy) as So. cbn zeta beta in So. apply andb_true_iff in So as [So _].
    rewrite (sorted_same_eq (norm (map k (f_get (c_ahead c) x))) (f_get (c_back c) y)) in T1; auto; [congruence|].
    apply same_trans with (map k (f_get (c_ahead c) x)); [apply norm_same|].
    apply same_trans with (map k (B m)); [apply map_same; exact E|apply same_sym; exact F].
Qed.
End Theorem_.

(* What is proved: no way of at most so many moves leads from the start to the target. *)
Theorem refuted (c : certificate) : check c = true ->
  forall k, k <= c_length c -> ~ way (c_problem c) k (set (start (c_problem c))) (set (target (c_problem c))).
Proof.
  intros H k Hk W. unfold check, checks in H. simpl in H. rewrite andb_true_r in H.
  apply andb_true_iff in H as [Gr H]. apply andb_true_iff in H as [Sy H]. apply andb_true_iff in H as [Ah H].
  apply andb_true_iff in H as [Fi H]. apply andb_true_iff in H as [Ba Ap].
  destruct (ground_parts c Gr) as (_ & (SN & SI & _) & _).
  destruct (way_walk c k _ _ W (start (c_problem c))) as (A & A0 & ND & IN & ST & EN); auto.
  { intro x; unfold set; tauto. }
  apply (no_walk c Gr Sy Ah Fi Ba Ap A). constructor; auto.
  - rewrite A0. apply same_refl.
  - intro x. apply (EN (c_length c) Hk x).
Qed.

