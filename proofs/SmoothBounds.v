(** What pays for rounding where the scale moves with the database: smooth bounds, exactly, and admissible sensitivities
    from computed ones.

    Python: [dpselect.scores.sensitivity]. *)
Require Import QArith Qabs Lqa Lia.
Open Scope Q_scope.

(** ** A smooth bound from public weights, without exponentials
    S(x) = max over t of w(t) delta(x, t), where the public integers w fall by at most the factor a = e^beta a step. *)
Section Smooth.
  Variable a : Q.
  Variable w : nat -> Q.
  Hypothesis w_nonneg : forall t, 0 <= w t.
  Hypothesis w_falls : forall t, w t <= a * w (S t).

  (** S as any least upper bound up to a public reach. *)
  Definition bounds (n : nat) (d : nat -> Q) (s : Q) : Prop := forall t, (t <= n)%nat -> w t * d t <= s.
  Definition attained (n : nat) (d : nat -> Q) (s : Q) : Prop := exists t, (t <= n)%nat /\ s == w t * d t.

  (** THEOREM. From an admissible delta that is the ceiling at the public reach n, S is beta-smooth, exactly. *)
  Theorem smooth_exactly : forall n c d e s s', 0 <= a ->
    (forall t, 0 <= d t) -> (forall t, 0 <= e t) -> (forall t, d t <= e (S t)) ->
    d n == c -> e n == c -> 1 <= a ->
    attained n d s -> bounds n e s' -> s <= a * s'.
  Proof.
    intros n c d e s s' Ha Hd He H Hdn Hen Ha1 [t [Ht Hs]] Hb. rewrite Hs.
    destruct (Nat.eq_dec t n) as [->|Hne].
    - pose proof (Hb n (le_n n)). rewrite Hdn, <- Hen.
      assert (0 <= w n * e n) by (apply Qmult_le_0_compat; auto).
      assert (w n * e n * 1 <= w n * e n * a) by (setoid_rewrite Qmult_comm; apply Qmult_le_compat_r; assumption).
      assert (w n * e n * a <= s' * a) by (apply Qmult_le_compat_r; assumption). lra.
    - assert (Hst : (S t <= n)%nat) by lia. pose proof (Hb (S t) Hst).
      assert (w t * d t <= a * w (S t) * d t) by (apply Qmult_le_compat_r; auto).
      assert (0 <= a * w (S t)) by (apply Qmult_le_0_compat; auto).
      assert (d t * (a * w (S t)) <= e (S t) * (a * w (S t))) by (apply Qmult_le_compat_r; auto).
      assert (w (S t) * e (S t) * a <= s' * a) by (apply Qmult_le_compat_r; assumption).
      lra.
  Qed.

  (** Adding a public constant keeps smoothness: this is how rounding of the scores is paid for. *)
  Theorem padding_keeps_smoothness : forall s s' k, 1 <= a -> 0 <= k -> s <= a * s' -> s + k <= a * (s' + k).
  Proof.
    intros s s' k Ha Hk H.
    assert (1 * k <= a * k) by (apply Qmult_le_compat_r; assumption). lra.
  Qed.

  (** A computed bound f, within err of a smooth one, is smooth after adding k >= err (a + 1)/(a - 1). *)
  Theorem errors_are_paid : forall s s' f f' err k, 1 <= a -> Qabs (f - s) <= err -> Qabs (f' - s') <= err ->
    s <= a * s' -> err * (a + 1) <= k * (a - 1) -> f + k <= a * (f' + k).
  Proof.
    intros s s' f f' err k Ha Hf Hf' H Hk.
    apply Qabs_Qle_condition in Hf. apply Qabs_Qle_condition in Hf'.
    assert ((s' - f') * a <= err * a) by (apply Qmult_le_compat_r; lra). lra.
  Qed.
End Smooth.

(** ** Tilting: a computed delta becomes admissible exactly
    If |f - d| <= err, then f(t) + (1 + 2 t) err is admissible whenever d is. *)
Definition tilt (err : Q) (f : nat -> Q) : nat -> Q := fun t => f t + (1 + 2 * inject_Z (Z.of_nat t)) * err.

Theorem tilt_admissible : forall err d e f g, 0 <= err ->
  (forall t, Qabs (f t - d t) <= err) -> (forall t, Qabs (g t - e t) <= err) ->
  (forall t, e t <= d (S t)) -> forall t, tilt err g t <= tilt err f (S t).
Proof.
  intros err d e f g He Hf Hg H t. unfold tilt.
  specialize (Hf (S t)). specialize (Hg t). specialize (H t).
  apply Qabs_Qle_condition in Hf. apply Qabs_Qle_condition in Hg.
  rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite inject_Z_plus. change (inject_Z 1) with 1.
  setoid_replace ((1 + 2 * (inject_Z (Z.of_nat t) + 1)) * err)
    with ((1 + 2 * inject_Z (Z.of_nat t)) * err + 2 * err) by ring.
  lra.
Qed.

Lemma tilt_bounds : forall err d f m, (forall t, Qabs (f t - d t) <= err) -> m <= d O -> m <= tilt err f O.
Proof.
  intros err d f m Hf Hm. unfold tilt. specialize (Hf O). apply Qabs_Qle_condition in Hf.
  change (inject_Z (Z.of_nat 0)) with 0. lra.
Qed.
