(** From a score and its sensitivity, through rounding, to the candidate that is returned: one theorem for each kind of
    mechanism.

    Python: [dpselect.mechanisms.local_dampening.damp_scores], [dpselect.mechanisms.shifted_local_dampening._effective],
    [dpselect.mechanisms.scaling.scale], drawn at [UnitScores.rate]. *)
Require Import Reals QArith Qround Qabs Qminmax Qreals Lqa Lia List ZArith.
Require Import Dampening Shifting Ticks Flips Selection Peeling OneShot.
Import ListNotations.
Open Scope Q_scope.

Section Release.
  Variable database : Type.
  Variable neighbours : database -> database -> Prop.
  Variable candidates : list nat.

  (** What a release promises: for every candidate and all neighbours, its chance differs by at most e^epsilon. *)
  Definition private (epsilon : R) (chance : database -> nat -> R) : Prop :=
    forall x y r, neighbours x y -> In r candidates -> (chance x r <= exp epsilon * chance y r)%R.

  (** What is drawn from ticks: by permute-and-flip or by the exponential mechanism. *)
  Inductive sampler := Permute_and_flip | Exponential_mechanism.

  Definition chance (s : sampler) (epsilon : R) (span : Q) (ticks : database -> nat -> Z) (x : database) (r : nat) : R :=
    match s with
    | Permute_and_flip => permute_and_flip (epsilon / Q2R span) (ticks x) candidates r
    | Exponential_mechanism => softmax (epsilon / Q2R span) (ticks x) candidates r
    end.

  Hypothesis symmetric : forall x y, neighbours x y -> neighbours y x.

  Lemma private_of_span : forall s epsilon span ticks, (0 < epsilon)%R -> 0 < span ->
    (forall x y, neighbours x y -> moves_within span (fun r => In r candidates) (ticks x) (ticks y)) ->
    private epsilon (chance s epsilon span ticks).
  Proof.
    intros s epsilon span ticks He Hs H x y r Hxy Hr. pose proof (H y x (symmetric x y Hxy)) as M.
    destruct s; [apply permute_and_flip_of_span | apply softmax_of_span]; assumption.
  Qed.

  (** ** How far one neighbour moves the scores
      Range bound 2: each by at most c. Range bound 1: moreover all of them the same way. *)
  Inductive range_bound := One | Two.

  Definition times (b : range_bound) : Z := match b with One => 1 | Two => 2 end.

  Definition moved_by (b : range_bound) (c : Q) (q : database -> nat -> Q) : Prop :=
    forall x y, neighbours x y ->
    match b with
    | Two => forall r, In r candidates -> - c <= q y r - q x r <= c
    | One => (forall r, In r candidates -> 0 <= q y r - q x r <= c) \/
             (forall r, In r candidates -> - c <= q y r - q x r <= 0)
    end.

  (** All moves lie in an interval of length b c that contains 0; its ends are c, 0 or -c. *)
  Lemma interval : forall b c q x y, moved_by b c q -> neighbours x y -> 0 <= c ->
    exists k, (k <= 0 /\ 0 <= k + times b)%Z /\
    forall r, In r candidates -> inject_Z k * c <= q y r - q x r <= inject_Z (k + times b) * c.
  Proof.
    intros b c q x y H Hxy Hc. specialize (H x y Hxy).
    destruct b; [destruct H as [H|H]; [exists 0%Z | exists (-1)%Z] | exists (-1)%Z];
      (split; [unfold times; lia|]; intros r Hr; specialize (H r Hr); unfold inject_Z; simpl Z.add; lra).
  Qed.

  (** ** Unit scores, floored
      q moves by at most one unit; [units] is q as floats compute it, in ticks, wrong by at most half a tick within the
      public clip. The span is b T + 2. *)
  Section Floored.
    Variables (T : Z) (bound : Q) (b : range_bound) (q units : database -> nat -> Q).
    Hypothesis T_positive : (0 < T)%Z.
    Hypothesis bound_positive : 0 <= bound.
    Hypothesis unit_bounded : moved_by b 1 q.
    Hypothesis half_a_tick : forall x r, In r candidates -> near (units x r) (inject_Z T * clip bound (q x r)).

    Definition floor_ticks (x : database) (r : nat) : Z := Qfloor (units x r).

    Lemma floored_moves : forall x y, neighbours x y ->
      moves_within (inject_Z (times b * T + 2)) (fun r => In r candidates) (floor_ticks x) (floor_ticks y).
    Proof.
      intros x y Hxy. assert (O : 0 <= 1) by lra. destruct (interval b 1 q x y unit_bounded Hxy O) as [k [Hk H]].
      apply span with (q := fun r => inject_Z T * clip bound (q x r))
        (q' := fun r => inject_Z T * clip bound (q y r)) (low := (k * T)%Z); try (intros; apply half_a_tick; assumption).
      intros r Hr.
      assert (C : inject_Z k <= clip bound (q y r) - clip bound (q x r) <= inject_Z (k + times b)).
      { apply clip_moves; [assumption | | | specialize (H r Hr); lra];
          change 0 with (inject_Z 0); rewrite <- Zle_Qle; lia. }
      rewrite <- Z.mul_add_distr_r, !inject_Z_mult.
      assert (P : 0 <= inject_Z T) by (change 0 with (inject_Z 0); rewrite <- Zle_Qle; lia).
      destruct C as [C C'].
      apply (Qmult_le_compat_r _ _ _) with (1 := C) in P as L.
      apply (Qmult_le_compat_r _ _ _) with (1 := C') in P as L'. lra.
    Qed.

    Lemma span_positive : 0 < inject_Z (times b * T + 2).
    Proof. change 0 with (inject_Z 0). rewrite <- Zlt_Qlt. destruct b; unfold times; lia. Qed.

    (** THEOREM (unit scores, floored). *)
    Theorem floored_private : forall s epsilon, (0 < epsilon)%R ->
      private epsilon (chance s epsilon (inject_Z (times b * T + 2)) floor_ticks).
    Proof. intros s epsilon He. apply private_of_span; [assumption | apply span_positive | apply floored_moves]. Qed.

    (** THEOREM (ordered lists). k winners in order, one after the other at epsilon / k each. *)
    Theorem floored_lists_private : forall x y k winners epsilon, neighbours x y -> (0 < epsilon)%R -> (0 < k)%nat ->
      length winners = k ->
      let rate := (epsilon / INR k / Q2R (inject_Z (times b * T + 2)))%R in
      (peeled (permute_and_flip rate (floor_ticks x)) candidates winners <=
       exp epsilon * peeled (permute_and_flip rate (floor_ticks y)) candidates winners)%R.
    Proof.
      intros x y k winners epsilon Hxy He Hk Hw rate.
      apply peeling_private; try assumption; [apply span_positive|]. apply floored_moves, symmetric, Hxy.
    Qed.

    (** THEOREM (lists in one pass). Exponential noise once, for k winners in order. *)
    Theorem floored_one_shot_private : forall x y k winners epsilon, neighbours x y -> (0 < epsilon)%R -> (0 < k)%nat ->
      length winners = k -> incl winners candidates ->
      let rate := (epsilon / INR k / Q2R (inject_Z (times b * T + 2)))%R in
      (one_shot_list rate (floor_ticks x) candidates winners <=
       exp epsilon * one_shot_list rate (floor_ticks y) candidates winners)%R.
    Proof.
      intros x y k winners epsilon Hxy He Hk Hw Hin rate.
      apply one_shot_private; try assumption; [apply span_positive|]. apply floored_moves, Hxy.
    Qed.
  End Floored.

  (** ** Admissible sensitivities
      delta x r t: how sensitive the score of r is, t steps away from x. The ceiling and the reach are public. *)
  Section Admissible.
    Variables (score : database -> nat -> Q) (delta : database -> nat -> nat -> Q) (ceiling : Q) (reach : nat).

    Record admissible : Prop := {
      positive_ceiling : 0 < ceiling;
      not_negative : forall x r t, In r candidates -> 0 <= delta x r t;
      (** No neighbour moves a score by more than the ceiling. *)
      bounded : forall x y r, neighbours x y -> In r candidates -> Qabs (score x r - score y r) <= ceiling;
      (** A1 *)
      local : forall x y r, neighbours x y -> In r candidates -> Qabs (score x r - score y r) <= delta x r 0;
      (** A2, for a neighbour and for the database itself *)
      one_step : forall x y r t, neighbours x y -> In r candidates -> delta y r t <= delta x r (S t);
      growing : forall x r t, In r candidates -> delta x r t <= delta x r (S t);
    }.

    (** delta is cut at the ceiling; [damp] and [slack] read it below the reach only. *)
    Definition cut (x : database) (r t : nat) : Q := Qmin ceiling (delta x r t).

    Lemma cut_admissible : admissible -> forall x y r, neighbours x y -> In r candidates ->
      sane ceiling (cut x r) /\ sane ceiling (cut y r) /\ admissible_pair (cut x r) (cut y r) (score x r) (score y r).
    Proof.
      intros [Hc N B A1 A2 G] x y r Hxy Hr.
      assert (S : forall z, sane ceiling (cut z r)).
      { intros z. split; intros t; unfold cut.
        - specialize (N z r t Hr). split; [apply Q.min_glb; lra | apply Q.le_min_l].
        - apply Q.min_le_compat_l. apply G. assumption. }
      repeat split; try apply S; unfold cut.
      - apply Q.min_glb; [apply B | apply A1]; assumption.
      - rewrite Qabs_Qminus. apply Q.min_glb; [apply B | apply A1]; auto.
      - intros t. apply Q.min_le_compat_l. apply A2; assumption.
      - intros t. apply Q.min_le_compat_l. apply A2; auto.
    Qed.

    Lemma moved_of_abs : forall q : database -> nat -> Q,
      (forall x y r, neighbours x y -> In r candidates -> Qabs (q x r - q y r) <= 1) -> moved_by Two 1 q.
    Proof.
      intros q H x y Hxy r Hr. specialize (H x y r Hxy Hr). apply Qabs_Qle_condition in H. lra.
    Qed.

    Lemma dampened_moves : forall z, admissible ->
      moved_by Two 1 (fun x r => D z reach ceiling (cut x r) (score x r)).
    Proof.
      intros z A. apply moved_of_abs. intros x y r Hxy Hr. destruct (cut_admissible A x y r Hxy Hr) as [Sx [Sy P]].
      apply unit_bound; try assumption. apply positive_ceiling. assumption.
    Qed.

    Variables (T : Z) (bound : Q) (units : database -> nat -> Q).
    Hypothesis T_positive : (0 < T)%Z.
    Hypothesis bound_positive : 0 <= bound.

    (** THEOREM (local dampening, end to end). Let delta be admissible and let a score of zero mean what was declared.
        Dampen, compute to within half a tick, clip, floor, and draw at rate epsilon / (2 T + 2): what is returned is
        epsilon-differentially private. *)
    Theorem local_dampening_private : forall z s epsilon, admissible ->
      (forall x r, In r candidates ->
        near (units x r) (inject_Z T * clip bound (D z reach ceiling (cut x r) (score x r)))) ->
      (0 < epsilon)%R -> private epsilon (chance s epsilon (inject_Z (2 * T + 2)) (floor_ticks units)).
    Proof.
      intros z s epsilon A Hu He.
      apply (floored_private T bound Two (fun x r => D z reach ceiling (cut x r) (score x r))); try assumption.
      apply dampened_moves. assumption.
    Qed.

    (** THEOREM (lists of local dampening, end to end). The same for k winners in order, at epsilon / k each. *)
    Theorem local_dampening_lists_private : forall z x y k winners epsilon, admissible ->
      (forall x r, In r candidates ->
        near (units x r) (inject_Z T * clip bound (D z reach ceiling (cut x r) (score x r)))) ->
      neighbours x y -> (0 < epsilon)%R -> (0 < k)%nat -> length winners = k ->
      let rate := (epsilon / INR k / Q2R (inject_Z (2 * T + 2)))%R in
      (peeled (permute_and_flip rate (floor_ticks units x)) candidates winners <=
       exp epsilon * peeled (permute_and_flip rate (floor_ticks units y)) candidates winners)%R.
    Proof.
      intros z x y k winners epsilon A Hu Hxy He Hk Hw.
      apply (floored_lists_private T bound Two (fun x r => D z reach ceiling (cut x r) (score x r))); try assumption.
      apply dampened_moves. assumption.
    Qed.

    (** THEOREM (shifted local dampening, end to end). The same, for either direction. *)
    Theorem shifted_local_dampening_private : forall w s epsilon, admissible ->
      (forall x r, In r candidates ->
        near (units x r) (inject_Z T * clip bound (shifted w reach ceiling (cut x r) (score x r)))) ->
      (0 < epsilon)%R -> private epsilon (chance s epsilon (inject_Z (2 * T + 2)) (floor_ticks units)).
    Proof.
      intros w s epsilon A Hu He.
      apply (floored_private T bound Two (fun x r => shifted w reach ceiling (cut x r) (score x r))); try assumption.
      apply moved_of_abs. intros x y r Hxy Hr. destruct (cut_admissible A x y r Hxy Hr) as [Sx [Sy P]].
      apply shifted_unit_bound; try assumption. apply positive_ceiling. assumption.
    Qed.
  End Admissible.

  (** ** One constant sensitivity *)
  Section Constant.
    Variables (b : range_bound) (ceiling : Q).
    Hypothesis ceiling_positive : 0 < ceiling.

    (** THEOREM (integers). Their ticks are the scores, clipped: no rounding, no margin. *)
    Theorem integers_private : forall (score : database -> nat -> Z) (bound : Z) s epsilon, (0 <= bound)%Z ->
      moved_by b ceiling (fun x r => inject_Z (score x r)) -> (0 < epsilon)%R ->
      private epsilon (chance s epsilon (inject_Z (times b) * ceiling) (fun x r => clip_Z bound (score x r))).
    Proof.
      intros score bound s epsilon Hb H He. apply private_of_span; [assumption | |].
      - destruct b; simpl times; change (inject_Z 1) with 1; change (inject_Z 2) with 2; lra.
      - intros x y Hxy. destruct (interval b ceiling _ x y H Hxy (Qlt_le_weak _ _ ceiling_positive)) as [k [Hk M]].
        assert (E : inject_Z (k + times b) * ceiling == inject_Z k * ceiling + inject_Z (times b) * ceiling)
          by (rewrite inject_Z_plus; ring).
        assert (K : inject_Z k <= 0) by (change 0 with (inject_Z 0); rewrite <- Zle_Qle; lia).
        assert (K' : 0 <= inject_Z (k + times b)) by (change 0 with (inject_Z 0); rewrite <- Zle_Qle; lia).
        apply exact_span with (low := inject_Z k * ceiling); [assumption | | |].
        + apply (Qmult_le_compat_r _ _ ceiling) in K; lra.
        + rewrite <- E. apply (Qmult_le_compat_r _ _ ceiling) in K'; lra.
        + intros r Hr. specialize (M r Hr). rewrite inject_Z_minus. lra.
    Qed.

    (** THEOREM (floats). Scores are wrong by at most e ticks when they are given, and gaps to the best of them by at most
        f when they are computed; e + f is half a tick at most. The span is b T + 3. *)
    Theorem floats_private : forall (score computed gaps : database -> nat -> Q) (top : database -> Q)
      (T : Z) (bound e f : Q) s epsilon, (0 < T)%Z -> 0 <= bound -> 0 <= e -> 0 <= f -> e + f <= 1 # 2 ->
      moved_by b ceiling score ->
      (forall x r, In r candidates -> Qabs (computed x r - inject_Z T * (score x r / ceiling)) <= e) ->
      (forall x, best_of (fun r => In r candidates) (computed x) (top x)) ->
      (forall x r, In r candidates -> Qabs (gaps x r - clip bound (computed x r - top x)) <= f) ->
      (0 < epsilon)%R -> private epsilon (chance s epsilon (inject_Z (times b * T + 3)) (floor_ticks gaps)).
    Proof.
      intros score computed gaps top T bound e f s epsilon HT Hb He Hf Hef H Hc Ht Hg Heps.
      apply private_of_span; [assumption | |].
      - change 0 with (inject_Z 0). rewrite <- Zlt_Qlt. destruct b; unfold times; lia.
      - intros x y Hxy. destruct (interval b ceiling _ x y H Hxy (Qlt_le_weak _ _ ceiling_positive)) as [k [Hk M]].
        apply gap_span with (q := fun r => inject_Z T * (score x r / ceiling))
          (q' := fun r => inject_Z T * (score y r / ceiling)) (z := computed x) (z' := computed y)
          (top := top x) (top' := top y) (bound := bound) (e := e) (f := f) (low := (k * T)%Z);
          try assumption; try (intros; apply Hc; assumption); try (intros; apply Hg; assumption); try apply Ht.
        + destruct b; simpl times in *; nia.
        + intros r Hr. specialize (M r Hr). rewrite <- Z.mul_add_distr_r, !inject_Z_mult.
          assert (P : 0 <= inject_Z T) by (change 0 with (inject_Z 0); rewrite <- Zle_Qle; lia).
          setoid_replace (inject_Z T * (score y r / ceiling) - inject_Z T * (score x r / ceiling))
            with ((score y r - score x r) / ceiling * inject_Z T) by (field; lra).
          split; apply Qmult_le_compat_r; try assumption;
            [apply Qle_shift_div_l | apply Qle_shift_div_r]; lra.
    Qed.
  End Constant.
End Release.
