(* The checker's moves are the rules' moves; abstract moves follow them; both can be undone and mirrored. *)
Require Import List Arith ZArith Bool Lia Permutation Rules Checker Lists.
Import ListNotations.

Section Moves.
Variable c : certificate.
Notation p := (c_problem c).
Notation n := (length (cells p)).
Notation cls := (c_class c).

Hypothesis ground : ground_ok c = true.

Lemma at_below a x y : at_ p a x y -> a < n.
Proof. unfold at_. intro H. apply nth_error_Some. congruence. Qed.

Lemma from_to_eq a b t d : from_to a b t d = true <->
  fst b = (fst a + t * fst d)%Z /\ snd b = (snd a + t * snd d)%Z.
Proof. unfold from_to. rewrite andb_true_iff, !Z.eqb_eq. tauto. Qed.

Lemma besideb_ok a b : besideb c a b = true <-> beside p a b.
Proof.
  unfold besideb, beside, at_. split.
  - destruct (nth_error (cells p) a) as [[x y]|] eqn:A; [|discriminate].
    destruct (nth_error (cells p) b) as [[u v]|] eqn:B; [|discriminate].
    rewrite existsb_exists. intros [[dx dy] [H E]]. apply from_to_eq in E as [E F]; cbn [fst snd] in E, F.
    exists x, y, dx, dy. repeat split; auto. do 2 f_equal; lia.
  - intros (x & y & dx & dy & A & H & B). rewrite A, B. apply existsb_exists.
    exists (dx, dy). split; [exact H|]. apply from_to_eq; cbn [fst snd]; lia.
Qed.

Lemma acrossb_ok a o b : acrossb c a o b = true <-> across p a o b.
Proof.
  unfold acrossb, across, at_. split.
  - destruct (nth_error (cells p) a) as [[x y]|] eqn:A; [|discriminate].
    destruct (nth_error (cells p) o) as [[u v]|] eqn:B; [|discriminate].
    destruct (nth_error (cells p) b) as [[w z]|] eqn:D; [|discriminate].
    rewrite existsb_exists. intros [[dx dy] [H E]]. apply andb_true_iff in E as [E G].
    apply from_to_eq in E as [E1 E2]; apply from_to_eq in G as [G1 G2]; cbn [fst snd] in *.
    exists x, y, dx, dy. repeat split; auto; do 2 f_equal; lia.
  - intros (x & y & dx & dy & A & H & B & D). rewrite A, B, D. apply existsb_exists.
    exists (dx, dy). split; [exact H|]. apply andb_true_iff; split; apply from_to_eq; cbn [fst snd]; lia.
Qed.

Lemma beside_below a b : beside p a b -> a < n /\ b < n.
Proof. intros (x & y & dx & dy & A & H & B). split; eapply at_below; eassumption. Qed.

Lemma across_below a o b : across p a o b -> a < n /\ o < n /\ b < n.
Proof. intros (x & y & dx & dy & A & H & B & D). repeat split; eapply at_below; eassumption. Qed.

Lemma across_beside a o b : across p a o b -> beside p a o.
Proof. intros (x & y & dx & dy & A & H & B & D). exists x, y, dx, dy. auto. Qed.

Definition inside (X : list nat) := forall a, In a X -> a < n.

Lemma below_ok X : below c X = true <-> inside X.
Proof. unfold below, inside. rewrite forallb_forall. setoid_rewrite Nat.ltb_lt. tauto. Qed.

Lemma ground_parts :
  (forall dx dy, In (dx, dy) (directions p) -> In ((- dx)%Z, (- dy)%Z) (directions p)) /\
  (NoDup (start p) /\ inside (start p) /\ NoDup (target p) /\ inside (target p)) /\
  (sorted (start p) = true /\ sorted (target p) = true) /\
  (forall a, a < n -> cls a < c_classes c) /\
  (forall a b, beside p a b -> In b (c_steps c a) /\ (jumps_only p = false -> In (cls b) (c_class_steps c (cls a)))) /\
  (forall a b d, across p a b d -> In (b, d) (c_jumps c a) /\ In (cls b, cls d) (c_class_jumps c (cls a))) /\
  (forall q, q < c_classes c -> length (filter (fun a => cls a =? q) (seq 0 n)) <= c_room c q).
Proof.
  pose proof ground as G. unfold ground_ok in G.
  apply andb_true_iff in G as [G R]. apply andb_true_iff in G as [G B]. apply andb_true_iff in G as [G Q].
  apply andb_true_iff in G as [G T2]. apply andb_true_iff in G as [G T1]. apply andb_true_iff in G as [G S2].
  apply andb_true_iff in G as [D S1].
  assert (forall a b, beside p a b -> mem b (c_steps c a)
         && (jumps_only p || mem (cls b) (c_class_steps c (cls a)))
         && upto n (fun d => if acrossb c a b d then
              pair_in b d (c_jumps c a) && pair_in (cls b) (cls d) (c_class_jumps c (cls a)) else true) = true) as W.
  { intros a b H. destruct (beside_below _ _ H) as [Ha Hb].
    pose proof (upto_true _ _ (upto_true _ _ B a Ha) b Hb) as E. cbn beta in E.
    rewrite (proj2 (besideb_ok a b) H) in E. exact E. }
  repeat split.
  - intros dx dy H. rewrite forallb_forall in D. specialize (D _ H). rewrite existsb_exists in D.
    destruct D as [[ex ey] [I E]]. cbn [fst snd] in E. apply andb_true_iff in E as [E F].
    apply Z.eqb_eq in E, F. subst; exact I.
  - apply sorted_NoDup; exact S1.
  - apply below_ok; exact S2.
  - apply sorted_NoDup; exact T1.
  - apply below_ok; exact T2.
  - exact S1.
  - exact T1.
  - intros a Ha. apply Nat.ltb_lt. exact (upto_true _ _ Q a Ha).
  - specialize (W a b H). apply andb_true_iff in W as [W _]. apply andb_true_iff in W as [W _]. apply mem_In; exact W.
  - intro J. specialize (W a b H). apply andb_true_iff in W as [W _]. apply andb_true_iff in W as [_ W].
    rewrite J in W. apply mem_In; exact W.
  - specialize (W a b (across_beside _ _ _ H)). apply andb_true_iff in W as [_ W].
    destruct (across_below _ _ _ H) as [_ [_ Hd]]. pose proof (upto_true _ _ W d Hd) as E. cbn beta in E.
    rewrite (proj2 (acrossb_ok a b d) H) in E. apply andb_true_iff in E as [E _]. apply pair_in_In; exact E.
  - specialize (W a b (across_beside _ _ _ H)). apply andb_true_iff in W as [_ W].
    destruct (across_below _ _ _ H) as [_ [_ Hd]]. pose proof (upto_true _ _ W d Hd) as E. cbn beta in E.
    rewrite (proj2 (acrossb_ok a b d) H) in E. apply andb_true_iff in E as [_ E]. apply pair_in_In; exact E.
  - intros q Hq. apply Nat.leb_le. exact (upto_true _ _ R q Hq).
Qed.

(* Real moves. *)

Lemma jumps_ext (M M' : army) a d : (forall x, M x <-> M' x) -> jumps p M a d -> jumps p M' a d.
Proof.
  intros H J. induction J as [|x o d J IH A O D]; [constructor|].
  apply jumps_more with x o; auto; [apply H; exact O|rewrite <- H; exact D].
Qed.

Lemma move_ext X Y X' Y' : (forall x, X x <-> X' x) -> (forall x, Y x <-> Y' x) -> move p X Y -> move p X' Y'.
Proof.
  intros HX HY (a & b & A & AB & B & W & E).
  assert (forall x, others X a x <-> others X' a x) as O by (intro x; unfold others; rewrite HX; tauto).
  exists a, b. repeat split; auto.
  - apply HX; exact A.
  - rewrite <- O; exact B.
  - destruct W as [W|W]; [left; exact W|right]. eapply jumps_ext; [exact O|exact W].
  - intro H. apply HY, E in H. rewrite <- O. exact H.
  - rewrite <- O. intro H. apply HY, E. exact H.
Qed.

Lemma drop_others a X x : In x (drop a X) <-> others (set X) a x.
Proof. rewrite drop_In. unfold others, set. tauto. Qed.

Lemma moves_sound X ok Y : moves c X ok = true -> move p (set X) Y ->
  exists a b, In a X /\ ~ In b (drop a X) /\ ok (drop a X) (hist c (drop a X)) b = true /\ (forall x, Y x <-> In x (b :: drop a X)) /\
    b < n /\ ((jumps_only p = false /\ beside p a b) \/ jumps p (set (drop a X)) a b).
Proof.
  destruct ground_parts as (_ & _ & _ & _ & GS & GJ & _).
  intros H (a & b & A & AB & B & W & E).
  exists a, b. unfold moves in H. rewrite forallb_forall in H. specialize (H a A). cbn zeta in H. fold (drop a X) in H.
  apply andb_true_iff in H as [H1 H2].
  assert (~ In b (drop a X)) as NB by (rewrite drop_others; exact B).
  assert (forall x, Y x <-> In x (b :: drop a X)) as HY.
  { intro x. rewrite (E x). simpl. rewrite drop_others. split; intros [?|?]; auto. }
  assert ((jumps_only p = false /\ beside p a b) \/ jumps p (set (drop a X)) a b) as W'.
  { destruct W as [W|W]; [left; exact W|right]. eapply jumps_ext; [|exact W]. intro x. symmetry. apply drop_others. }
  destruct W' as [[J S]|J].
  - rewrite J in H1. rewrite forallb_forall in H1. destruct (GS a b S) as [I _]. specialize (H1 b I).
    destruct (mem b (drop a X)) eqn:Mb; [apply mem_In in Mb; contradiction|].
    repeat split; auto; try (apply HY); auto. apply (beside_below _ _ S).
  - destruct (explore (hops c (drop a X)) (c_fuel c) [a] [a]) as [V|] eqn:EV; [|discriminate].
    apply explore_closed in EV as [V0 V1]; [|intros x Hx; left; exact Hx].
    assert (forall d, jumps p (set (drop a X)) a d -> In d V) as R.
    { intros d JD. induction JD as [|x o d JD IH AC O D]; [apply V0; left; reflexivity|].
      apply (V1 x IH). unfold hops. apply in_map_iff. exists (o, d). split; [reflexivity|].
      apply filter_In. split; [apply GJ; exact AC|]. simpl. apply andb_true_iff; split.
      - apply mem_In; exact O.
      - apply negb_true_iff, mem_not; exact D. }
    rewrite forallb_forall in H2. specialize (H2 b (R b J)).
    destruct (b =? a) eqn:Eb; [apply Nat.eqb_eq in Eb; contradiction|].
    repeat split; auto; try (apply HY); auto.
    inversion J as [|x o d JD AC O D]; [congruence|]. apply (across_below _ _ _ AC).
Qed.

(* 1. Moves can be undone. *)

Lemma beside_sym a b : beside p a b -> beside p b a.
Proof.
  destruct ground_parts as [D _].
  intros (x & y & dx & dy & A & H & B). exists (x + dx)%Z, (y + dy)%Z, (- dx)%Z, (- dy)%Z.
  repeat split; auto. unfold at_ in *. rewrite A. do 2 f_equal; lia.
Qed.

Lemma across_sym a o b : across p a o b -> across p b o a.
Proof.
  destruct ground_parts as [D _].
  intros (x & y & dx & dy & A & H & B & E). exists (x + 2 * dx)%Z, (y + 2 * dy)%Z, (- dx)%Z, (- dy)%Z.
  unfold at_ in *. repeat split; auto; [rewrite B|rewrite A]; do 2 f_equal; lia.
Qed.

Lemma jumps_first (M : army) a o d b : across p a o d -> M o -> ~ M d -> jumps p M d b -> jumps p M a b.
Proof.
  intros A O D J. induction J as [|x o' e J IH A' O' D'].
  - apply jumps_more with a o; auto. constructor.
  - apply jumps_more with x o'; auto.
Qed.

Lemma jumps_sym (M : army) a b : ~ M a -> jumps p M a b -> jumps p M b a.
Proof.
  intros NA J. induction J as [|x o d J IH A O D]; [constructor|].
  apply jumps_first with o x; auto; [apply across_sym; exact A|].
  inversion J; subst; auto.
Qed.

Lemma move_sym X Y : move p X Y -> move p Y X.
Proof.
  intros (a & b & A & AB & B & W & E).
  assert (forall x, others X a x <-> others Y b x) as O.
  { intro x. unfold others at 2. rewrite (E x). split.
    - intro H. split; [right; exact H|]. intros ->. contradiction.
    - intros [[->|H] N]; [congruence|exact H]. }
  exists b, a. repeat split.
  - apply E; left; reflexivity.
  - congruence.
  - rewrite <- O. unfold others. tauto.
  - destruct W as [[J S]|J]; [left; split; [exact J|apply beside_sym; exact S]|right].
    eapply jumps_ext; [exact O|]. apply jumps_sym; [unfold others; tauto|exact J].
  - intro H. destruct (Nat.eq_dec c0 a) as [->|N]; [left; reflexivity|right]. apply O. split; auto.
  - intros [->|H]; [exact A|]. apply O in H. apply H.
Qed.

(* 2. Automorphisms. *)

Section Automorphism.
Variable k : nat -> nat.
Hypothesis auto : automorphism c k = true.

Lemma auto_parts :
  (forall a, a < n -> k a < n) /\ (forall a b, a < n -> b < n -> k a = k b -> a = b) /\
  (forall a b, beside p a b -> beside p (k a) (k b)) /\
  (forall a o b, across p a o b -> across p (k a) (k o) (k b)).
Proof.
  pose proof auto as H. unfold automorphism in H. apply andb_true_iff in H as [H1 H2].
  assert (forall a b, a < n -> b < n ->
       (if k a =? k b then a =? b else true)
       && (if besideb c a b then
             besideb c (k a) (k b)
             && upto n (fun d => if acrossb c a b d then acrossb c (k a) (k b) (k d) else true)
           else true) = true) as W.
  { intros a b A B. exact (upto_true _ _ (upto_true _ _ H2 a A) b B). }
  assert (forall a b, beside p a b -> besideb c (k a) (k b)
             && upto n (fun d => if acrossb c a b d then acrossb c (k a) (k b) (k d) else true) = true) as V.
  { intros a b S. destruct (beside_below _ _ S) as [A B]. specialize (W a b A B).
    apply andb_true_iff in W as [_ W]. rewrite (proj2 (besideb_ok a b) S) in W. exact W. }
  repeat split.
  - intros a A. apply Nat.ltb_lt. exact (upto_true _ _ H1 a A).
  - intros a b A B E. specialize (W a b A B). apply andb_true_iff in W as [W _].
    rewrite E, Nat.eqb_refl in W. apply Nat.eqb_eq; exact W.
  - intros a b S. specialize (V a b S). apply andb_true_iff in V as [V _]. apply besideb_ok; exact V.
  - intros a o b S. specialize (V a o (across_beside _ _ _ S)). apply andb_true_iff in V as [_ V].
    destruct (across_below _ _ _ S) as [_ [_ B]]. pose proof (upto_true _ _ V b B) as E. cbn beta in E.
    rewrite (proj2 (acrossb_ok a o b) S) in E. apply acrossb_ok; exact E.
Qed.

Lemma map_inside X : inside X -> inside (map k X).
Proof.
  intros H a I. apply in_map_iff in I as (x & <- & I). apply auto_parts. auto.
Qed.

Lemma map_NoDup X : inside X -> NoDup X -> NoDup (map k X).
Proof.
  intros H D. induction D as [|a X I D IH]; simpl; [constructor|].
  constructor; [|apply IH; intros x Hx; apply H; right; exact Hx].
  intro J. apply in_map_iff in J as (x & E & J). apply auto_parts in E.
  - subst; contradiction.
  - apply H; right; exact J.
  - apply H; left; reflexivity.
Qed.

Lemma map_same X Y : same X Y -> same (map k X) (map k Y).
Proof.
  intros H d. rewrite !in_map_iff. split; intros (x & E & I); exists x; split; auto; apply H; exact I.
Qed.

Lemma move_map X Y : inside X -> inside Y -> move p (set X) (set Y) -> move p (set (map k X)) (set (map k Y)).
Proof.
  destruct auto_parts as (_ & inj & Hs & Hj).
  intros IX IY (a & b & A & AB & B & W & E).
  assert (b < n) as Hb by (apply IY, E; left; reflexivity).
  assert (a < n) as Ha by (apply IX; exact A).
  assert (forall x, x < n -> (others (set X) a x <-> others (set (map k X)) (k a) (k x))) as O.
  { intros x Hx. unfold others, set. rewrite in_map_iff. split.
    - intros [I N]. split; [exists x; auto|]. intro F. apply inj in F; auto.
    - intros [(y & F & I) N]. apply inj in F; auto. subst y. split; [exact I|congruence]. }
  exists (k a), (k b). repeat split.
  - apply in_map; exact A.
  - intro F. apply inj in F; auto.
  - rewrite <- O; auto.
  - destruct W as [[J S]|J]; [left; auto|right].
    assert (forall d, jumps p (others (set X) a) a d -> jumps p (others (set (map k X)) (k a)) (k a) (k d)) as R.
    { intros d JD. induction JD as [|x o d JD IH AC OO D]; [constructor|].
      destruct (across_below _ _ _ AC) as (? & ? & ?).
      apply jumps_more with (k x) (k o); auto; [apply O; auto|rewrite <- O; auto]. }
    apply R; exact J.
  - intro H. apply in_map_iff in H as (x & <- & I). destruct (Nat.eq_dec x b) as [->|N]; [left; reflexivity|right].
    rewrite <- O by (apply IY; exact I). apply E in I as [|]; [contradiction|auto].
  - intros [->|[H N]]; [apply in_map, E; left; reflexivity|].
    apply in_map_iff in H as (x & <- & I). apply in_map, E. right. split; [exact I|congruence].
Qed.
End Automorphism.

(* 10. Histograms. *)

Lemma hist_length X : length (hist c X) = c_classes c.
Proof.
  induction X as [|a X IH]; [apply repeat_length|].
  change (hist c (a :: X)) with (inc (cls a) (hist c X)). rewrite inc_length; exact IH.
Qed.

Lemma hist_perm X Y : Permutation X Y -> hist c X = hist c Y.
Proof.
  intro H. induction H; simpl; auto.
  - unfold hist in *; simpl; congruence.
  - unfold hist; simpl. apply inc_comm.
  - congruence.
Qed.

Lemma hist_same X Y : NoDup X -> NoDup Y -> same X Y -> hist c X = hist c Y.
Proof. intros; apply hist_perm, same_perm; auto. Qed.

Lemma hist_nth q X : q < c_classes c -> nth q (hist c X) 0 = length (filter (fun a => cls a =? q) X).
Proof.
  intro Q. induction X as [|a X IH].
  - unfold hist; simpl. clear Q. revert q; induction (c_classes c); intros [|q]; simpl; auto.
  - change (hist c (a :: X)) with (inc (cls a) (hist c X)).
    rewrite nth_inc by (rewrite hist_length; exact Q). rewrite IH. simpl.
    destruct (cls a =? q); simpl; lia.
Qed.

Lemma has_man M o : inside M -> In o M -> (0 <? nth (cls o) (hist c M) 0) = true.
Proof.
  destruct ground_parts as (_ & _ & _ & Q & _).
  intros I H. apply Nat.ltb_lt. rewrite hist_nth by auto.
  assert (In o (filter (fun a => cls a =? cls o) M)) as J by (apply filter_In; rewrite Nat.eqb_refl; auto).
  destruct (filter _ M); [destruct J|simpl; lia].
Qed.

Lemma has_room M d : inside M -> NoDup M -> d < n -> ~ In d M -> (nth (cls d) (hist c M) 0 <? c_room c (cls d)) = true.
Proof.
  destruct ground_parts as (_ & _ & _ & Q & _ & _ & R).
  intros I ND Hd N. apply Nat.ltb_lt. rewrite hist_nth by auto.
  eapply Nat.lt_le_trans; [|apply R; auto].
  assert (length (filter (fun a => cls a =? cls d) (d :: M)) <= length (filter (fun a => cls a =? cls d) (seq 0 n))) as H.
  { apply NoDup_incl_length; [apply NoDup_filter; constructor; auto|].
    intros x Hx. apply filter_In in Hx as [Hx E]. apply filter_In. split; [|exact E].
    apply in_seq. destruct Hx as [<-|Hx]; [lia|specialize (I x Hx); lia]. }
  simpl in H. rewrite Nat.eqb_refl in H. simpl in H. lia.
Qed.

Lemma abstract_sound X Y ok : abstract_moves c (hist c X) ok = true -> NoDup X -> inside X -> NoDup Y ->
  move p (set X) (set Y) -> ok (hist c Y) = true.
Proof.
  destruct ground_parts as (_ & _ & _ & GQ & GS & GJ & _).
  intros H ND I NY (a & b & A & AB & B & W & E).
  assert (a < n) as Ha by (apply I; exact A).
  assert (~ In b (drop a X)) as NB by (rewrite drop_others; exact B).
  assert (hist c X = inc (cls a) (hist c (drop a X))) as HX by (rewrite (hist_perm _ _ (drop_perm a X ND A)); reflexivity).
  assert (hist c Y = inc (cls b) (hist c (drop a X))) as HY.
  { change (hist c Y = hist c (b :: drop a X)). apply hist_same; auto.
    - constructor; [exact NB|apply drop_NoDup; exact ND].
    - intro x. simpl. rewrite drop_others. specialize (E x). unfold set in E. rewrite E.
      split; intros [?|?]; auto. }
  assert (inside (drop a X)) as ID by (intros x Hx; apply drop_In in Hx as [Hx _]; auto).
  assert (NoDup (drop a X)) as DD by (apply drop_NoDup; exact ND).
  pose proof (upto_true _ _ H (cls a) (GQ a Ha)) as G. cbn beta in G.
  assert (nth (cls a) (hist c X) 0 =? 0 = false) as NZ.
  { pose proof (has_man X a I A) as P. apply Nat.ltb_lt in P. apply Nat.eqb_neq. lia. }
  rewrite NZ in G. rewrite HX, dec_inc in G. rewrite HY. apply andb_true_iff in G as [G1 G2].
  destruct W as [[J S]|J].
  - rewrite J in G1. rewrite forallb_forall in G1. destruct (GS a b S) as [_ C].
    specialize (G1 _ (C J)). rewrite (has_room (drop a X) b) in G1; auto. apply (beside_below _ _ S).
  - destruct (explore (class_hops c (hist c (drop a X))) (c_fuel c) [cls a] [cls a]) as [V|] eqn:EV; [|discriminate].
    apply explore_closed in EV as [V0 V1]; [|intros x Hx; left; exact Hx].
    assert (forall d, jumps p (others (set X) a) a d -> In (cls d) V) as R.
    { intros d JD. induction JD as [|x o d JD IH AC O D]; [apply V0; left; reflexivity|].
      destruct (across_below _ _ _ AC) as (Hx & Ho & Hd).
      apply (V1 (cls x) IH). unfold class_hops. apply in_map_iff. exists (cls o, cls d). split; [reflexivity|].
      apply filter_In. split; [apply GJ; exact AC|]. simpl. apply andb_true_iff; split.
      - apply has_man; [exact ID|apply drop_others; exact O].
      - apply has_room; auto. rewrite drop_others; exact D. }
    rewrite forallb_forall in G2. apply G2, R, J.
Qed.
End Moves.
