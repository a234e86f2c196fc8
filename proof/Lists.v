(* Small facts of the functions that the checker is made of. *)
Require Import List Arith Bool Lia Permutation Rules Checker.
Import ListNotations.

Definition same (X Y : list nat) := forall c, In c X <-> In c Y.

Lemma same_refl X : same X X. Proof. intro; tauto. Qed.
Lemma same_sym X Y : same X Y -> same Y X. Proof. intros H c; rewrite (H c); tauto. Qed.
Lemma same_trans X Y Z : same X Y -> same Y Z -> same X Z.
Proof. intros H J c; rewrite (H c); apply J. Qed.

Lemma upto_true n f : upto n f = true -> forall i, i < n -> f i = true.
Proof.
  induction n as [|n IH]; simpl; intros H i Hi; [lia|].
  destruct (f n) eqn:E; [|discriminate].
  destruct (Nat.eq_dec i n) as [->|]; [exact E|apply IH; [exact H|lia]].
Qed.

Lemma mem_In c l : mem c l = true <-> In c l.
Proof.
  unfold mem; rewrite existsb_exists; split.
  - intros [x [H E]]. apply Nat.eqb_eq in E; subst; exact H.
  - intro H; exists c; split; [exact H|apply Nat.eqb_refl].
Qed.

Lemma mem_not c l : mem c l = false <-> ~ In c l.
Proof. rewrite <- mem_In; destruct (mem c l); split; congruence. Qed.

Lemma pair_in_In o d l : pair_in o d l = true -> In (o, d) l.
Proof.
  unfold pair_in; rewrite existsb_exists. intros [[a b] [H E]]. simpl in E.
  apply andb_true_iff in E as [E F]. apply Nat.eqb_eq in E, F. subst; exact H.
Qed.

Lemma eqlist_eq a b : eqlist a b = true -> a = b.
Proof.
  revert b; induction a as [|x s IH]; intros [|y t]; simpl; try discriminate; auto.
  destruct (x =? y) eqn:E; [|discriminate]. apply Nat.eqb_eq in E. intro H. f_equal; auto.
Qed.

Lemma insert_In a l c : In c (insert a l) <-> c = a \/ In c l.
Proof.
  induction l as [|d t IH]; simpl; [intuition congruence|].
  destruct (a <=? d); simpl; [intuition congruence|]. rewrite IH. intuition congruence.
Qed.

Lemma norm_same l : same (norm l) l.
Proof.
  induction l as [|a t IH]; intro c; simpl; [tauto|].
  rewrite insert_In, (IH c). intuition congruence.
Qed.

Lemma norm_eq X Y : eqlist (norm X) Y = true -> same X Y.
Proof. intros H c. rewrite <- (eqlist_eq _ _ H). symmetry. apply norm_same. Qed.

Lemma sorted_cons c t : sorted (c :: t) = true -> sorted t = true /\ forall d, In d t -> c < d.
Proof.
  revert c; induction t as [|d t IH]; intros c H; [split; [reflexivity|intros d []]|].
  simpl in H. destruct (c <? d) eqn:E; [|discriminate]. apply Nat.ltb_lt in E.
  split; [exact H|]. destruct (IH d H) as [_ J].
  intros e [<-|I]; [exact E|]. specialize (J e I). lia.
Qed.

Lemma sorted_NoDup l : sorted l = true -> NoDup l.
Proof.
  induction l as [|c t IH]; intro H; [constructor|].
  apply sorted_cons in H as [H J]. constructor; [|auto].
  intro I. specialize (J c I). lia.
Qed.

Lemma sorted_same_eq a : forall b, sorted a = true -> sorted b = true -> same a b -> a = b.
Proof.
  induction a as [|x s IH]; intros [|y t] Ha Hb H.
  - reflexivity.
  - exfalso. apply (H y). left; reflexivity.
  - exfalso. apply (H x). left; reflexivity.
  - apply sorted_cons in Ha as [Hs Jx]. apply sorted_cons in Hb as [Ht Jy].
    assert (x = y) as E.
    { destruct (proj1 (H x) (or_introl eq_refl)) as [<-|I]; [reflexivity|].
      destruct (proj2 (H y) (or_introl eq_refl)) as [->|I']; [reflexivity|].
      specialize (Jy x I). specialize (Jx y I'). lia. }
    subst y. f_equal. apply IH; auto.
    intro c. split; intro I.
    + destruct (proj1 (H c) (or_intror I)) as [<-|J]; [specialize (Jx _ I); lia|exact J].
    + destruct (proj2 (H c) (or_intror I)) as [<-|J]; [specialize (Jy _ I); lia|exact J].
Qed.

Lemma explore_closed next fuel : forall todo seen V,
  explore next fuel todo seen = Some V ->
  (forall x, In x seen -> In x todo \/ forall y, In y (next x) -> In y seen) ->
  (forall x, In x seen -> In x V) /\ (forall x, In x V -> forall y, In y (next x) -> In y V).
Proof.
  induction fuel as [|f IH]; intros [|x t] seen V H J; simpl in H; try discriminate.
  - injection H as <-. split; [auto|]. intros x Hx y Hy. destruct (J x Hx) as [[]|G]; auto.
  - injection H as <-. split; [auto|]. intros x Hx y Hy. destruct (J x Hx) as [[]|G]; auto.
  - set (new := filter (fun y => negb (mem y seen)) (next x)) in *.
    assert (forall y, In y (next x) -> In y (new ++ seen)) as Hnew.
    { intros y Hy. apply in_or_app. destruct (mem y seen) eqn:E.
      - right. apply mem_In; exact E.
      - left. apply filter_In. rewrite E; auto. }
    apply IH in H as [A B].
    + split; [|exact B]. intros z Hz. apply A. apply in_or_app; right; exact Hz.
    + intros z Hz. apply in_app_or in Hz as [Hz|Hz]; [left; apply in_or_app; left; exact Hz|].
      destruct (J z Hz) as [[<-|I]|G].
      * right; exact Hnew.
      * left; apply in_or_app; right; exact I.
      * right. intros y Hy. apply in_or_app; right; auto.
Qed.

Lemma inc_length q h : length (inc q h) = length h.
Proof. revert q; induction h as [|x t IH]; intros [|q]; simpl; auto. Qed.

Lemma inc_comm q r h : inc q (inc r h) = inc r (inc q h).
Proof. revert q r; induction h as [|x t IH]; intros [|q] [|r]; simpl; auto. f_equal; auto. Qed.

Lemma dec_inc q h : dec q (inc q h) = h.
Proof. revert q; induction h as [|x t IH]; intros [|q]; simpl; auto. f_equal; auto. Qed.

Lemma nth_inc q r h : q < length h -> nth q (inc r h) 0 = nth q h 0 + (if r =? q then 1 else 0).
Proof.
  revert q r; induction h as [|x t IH]; intros [|q] [|r] H; simpl in *; try lia.
  rewrite IH by lia. reflexivity.
Qed.

Definition drop (a : nat) (X : list nat) := filter (fun d => negb (d =? a)) X.

Lemma drop_In a X c : In c (drop a X) <-> In c X /\ c <> a.
Proof.
  unfold drop. rewrite filter_In, negb_true_iff, Nat.eqb_neq. tauto.
Qed.

Lemma drop_NoDup a X : NoDup X -> NoDup (drop a X).
Proof. apply NoDup_filter. Qed.

Lemma drop_perm a X : NoDup X -> In a X -> Permutation X (a :: drop a X).
Proof.
  intros H I. apply NoDup_Permutation; [exact H| |].
  - constructor; [|apply drop_NoDup; exact H]. rewrite drop_In. tauto.
  - intro c; simpl; rewrite drop_In. destruct (Nat.eq_dec a c); [subst; tauto|]. intuition congruence.
Qed.

Lemma same_perm X Y : NoDup X -> NoDup Y -> same X Y -> Permutation X Y.
Proof. intros; apply NoDup_Permutation; auto. Qed.
