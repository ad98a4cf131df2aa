(** Derived sensitivities: regions of neighbours lie in each other, and whatever encloses a formula on them and does not
    shrink where they grow is admissible; the values that are reached are curves of margins.

    Python: [dpselect.formulas.derived_sensitivity], [dpselect.formulas.margins]. *)
Require Import QArith Qabs Qminmax Lqa Lia.
Open Scope Q_scope.

Section Regions.
  (** Statistics of a group, and one move: a row more. *)
  Variable statistics : Type.
  Variable move : statistics -> statistics -> Prop.
  Definition near (c d : statistics) : Prop := c = d \/ move c d \/ move d c.
  Definition set : Type := statistics -> Prop.
  Definition within (s s' : set) : Prop := forall c, s c -> s' c.

  (** What is at most t moves away, or more. *)
  Variable region : statistics -> nat -> set.
  Hypothesis region_start : forall c, region c 0%nat c.
  Hypothesis region_grows : forall c d t, near c d -> within (region d t) (region c (S t)).

  (** The formula, and its enclosures: one for moves that begin in a set, one for those that end there. *)
  Variable value : statistics -> Q.
  Variables from onto : set -> Q.
  Hypothesis from_encloses : forall (s : set) c d, s c -> move c d -> Qabs (value d - value c) <= from s.
  Hypothesis onto_encloses : forall (s : set) c d, s d -> move c d -> Qabs (value d - value c) <= onto s.
  Hypothesis from_isotone : forall s s', within s s' -> from s <= from s'.
  Hypothesis onto_isotone : forall s s', within s s' -> onto s <= onto s'.
  Hypothesis from_nonneg : forall s, 0 <= from s.

  Definition derived (c : statistics) (t : nat) : Q := Qmax (from (region c t)) (onto (region c t)).

  (** A1: no neighbour is further away than delta at distance 0. *)
  Theorem derived_bounds : forall c d, near c d -> Qabs (value d - value c) <= derived c 0%nat.
  Proof.
    intros c d [->|[H|H]]; unfold derived.
    - setoid_replace (value d - value d) with 0 by ring. apply Qle_trans with (from (region d 0%nat)).
      + apply from_nonneg.
      + apply Q.le_max_l.
    - apply Qle_trans with (from (region c 0%nat)); [|apply Q.le_max_l]. apply from_encloses; auto.
    - apply Qle_trans with (onto (region c 0%nat)); [|apply Q.le_max_r].
      setoid_replace (value d - value c) with (- (value c - value d)) by ring. rewrite Qabs_opp.
      apply onto_encloses; auto.
  Qed.

  (** A2: what a neighbour, or the same database, has at t is at most what this one has at t + 1. *)
  Theorem derived_grows : forall c d t, near c d -> derived d t <= derived c (S t).
  Proof.
    intros c d t H. unfold derived. apply Q.max_le_compat.
    - apply from_isotone. apply region_grows. exact H.
    - apply onto_isotone. apply region_grows. exact H.
  Qed.

  (** The smaller of two admissible functions is admissible, and so is one that is cut at a public ceiling. *)
  Definition admissible (delta : statistics -> nat -> Q) : Prop :=
    (forall c d, near c d -> Qabs (value d - value c) <= delta c 0%nat) /\
    (forall c d t, near c d -> delta d t <= delta c (S t)).

  Theorem smaller_admissible : forall f g, admissible f -> admissible g ->
    admissible (fun c t => Qmin (f c t) (g c t)).
  Proof.
    intros f g [F1 F2] [G1 G2]. split; intros.
    - apply Q.min_glb; auto.
    - apply Q.min_le_compat; auto.
  Qed.

  Theorem ceiling_admissible : forall f top, admissible f ->
    (forall c d, near c d -> Qabs (value d - value c) <= top) -> admissible (fun c t => Qmin (f c t) top).
  Proof.
    intros f top [F1 F2] H. split; intros.
    - apply Q.min_glb; auto.
    - apply Q.min_le_compat; auto. apply Qle_refl.
  Qed.

  (** Persons: k rows come or go, one after the other. *)
  Fixpoint apart (k : nat) (c d : statistics) : Prop :=
    match k with O => c = d | S j => exists e, near c e /\ apart j e d end.

  Fixpoint several (f : statistics -> nat -> Q) (c : statistics) (t k : nat) : Q :=
    match k with O => 0 | S j => f c t + several f c (S t) j end.

  Lemma several_grows : forall f k c d t, admissible f -> near c d -> several f d t k <= several f c (S t) k.
  Proof.
    intros f k c d. induction k as [|k IH]; intros t F H; simpl; [apply Qle_refl|].
    apply Qplus_le_compat; [apply F; exact H | apply IH; auto].
  Qed.

  Lemma several_apart : forall f k n c d t, admissible f -> apart k c d -> several f d t n <= several f c (t + k)%nat n.
  Proof.
    intros f k. induction k as [|k IH]; intros n c d t F H.
    - simpl in H. subst. rewrite Nat.add_0_r. apply Qle_refl.
    - destruct H as [e [H1 H2]]. apply Qle_trans with (several f e (t + k)%nat n).
      + apply IH; auto.
      + replace (t + S k)%nat with (S (t + k)) by lia. apply several_grows; auto.
  Qed.

  (** THEOREM. delta(k t) + .. + delta(k t + k - 1) is admissible where neighbours differ in k rows. *)
  Theorem persons_admissible : forall f k c d, admissible f -> apart k c d ->
    Qabs (value d - value c) <= several f c 0%nat k /\
    forall t, several f d (k * t)%nat k <= several f c (k * S t)%nat k.
  Proof.
    intros f k c d F H. split.
    - revert c d H. induction k as [|k IH]; intros c d H.
      + simpl in H. subst. setoid_replace (value d - value d) with 0 by ring. apply Qle_refl.
      + destruct H as [e [H1 H2]]. change (several f c 0%nat (S k)) with (f c 0%nat + several f c 1%nat k).
        assert (A : Qabs (value e - value c) <= f c 0%nat) by (apply F; exact H1).
        assert (B : Qabs (value d - value e) <= several f c 1%nat k).
        { apply Qle_trans with (several f e 0%nat k); [apply IH; exact H2 | apply several_grows; auto]. }
        pose proof (Qabs_triangle (value e - value c) (value d - value e)) as T.
        setoid_replace (value e - value c + (value d - value e)) with (value d - value c) in T by ring. lra.
    - intros t. replace (k * S t)%nat with (k * t + k)%nat by lia. apply several_apart; auto.
  Qed.

  (** THEOREM. The values that are reached are curves of margins: a neighbour's after t moves lie within ours after t + 1,
      whatever encloses them. *)
  Variables low high : set -> Q.
  Hypothesis low_isotone : forall s s', within s s' -> low s' <= low s.
  Hypothesis high_isotone : forall s s', within s s' -> high s <= high s'.

  Theorem reach_grows : forall c d t, near c d ->
    low (region c (S t)) <= low (region d t) /\ high (region d t) <= high (region c (S t)).
  Proof. intros c d t H. split; [apply low_isotone | apply high_isotone]; apply region_grows; exact H. Qed.
End Regions.

(** Strips of sums of statistics are such regions: |w s - w c| <= t W, where a move takes w at most W far. *)
Section Strips.
  Variable statistics index : Type.
  Variable move : statistics -> statistics -> Prop.
  Variable possible : statistics -> Prop.
  Variable along : index -> statistics -> Z.
  Variable width : index -> Z.
  Hypothesis width_bounds : forall w c d, move c d -> (Z.abs (along w d - along w c) <= width w)%Z.
  Hypothesis width_nonneg : forall w, (0 <= width w)%Z.

  Definition strip (c : statistics) (t : nat) (s : statistics) : Prop :=
    possible s /\ forall w, (Z.abs (along w s - along w c) <= Z.of_nat t * width w)%Z.

  Theorem strips_start : forall c, possible c -> strip c 0%nat c.
  Proof. intros c H. split; [exact H|]. intros w. rewrite Z.sub_diag. simpl. lia. Qed.

  Theorem strips_grow : forall c d t, near statistics move c d ->
    within statistics (strip d t) (strip c (S t)).
  Proof.
    intros c d t H s [P B]. split; [exact P|]. intros w. specialize (B w). pose proof (width_nonneg w) as N.
    assert (M : (Z.abs (along w d - along w c) <= width w)%Z).
    { destruct H as [->|[H|H]].
      - rewrite Z.sub_diag. simpl. exact N.
      - apply width_bounds. exact H.
      - rewrite <- Z.abs_opp. replace (- (along w d - along w c))%Z with (along w c - along w d)%Z by lia.
        apply width_bounds. exact H. }
    replace (along w s - along w c)%Z with ((along w s - along w d) + (along w d - along w c))%Z by lia.
    rewrite Nat2Z.inj_succ, Z.mul_succ_l.
    apply Z.le_trans with (Z.abs (along w s - along w d) + Z.abs (along w d - along w c))%Z;
      [apply Z.abs_triangle | lia].
  Qed.
End Strips.
