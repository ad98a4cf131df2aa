(** The exponential mechanism over rational weights is private, and has bounded range.

    Weights are any positive rationals, one for each candidate; [Selection.v] gives them their exponentials.
    Python: [dpselect.kernel.samplers.exponential]. *)
Require Import QArith Qabs Lqa Lia List.
Import ListNotations.
Open Scope Q_scope.

Definition weighed (w : nat -> Q) (some : list nat) : Q := fold_right (fun s total => w s + total) 0 some.

(** Pr[r] = w(r) / sum of w. *)
Definition exponential (w : nat -> Q) (some : list nat) (r : nat) : Q := w r / weighed w some.

Lemma weighed_scaled : forall k w w' some, (forall s, In s some -> w' s <= k * w s) ->
  weighed w' some <= k * weighed w some.
Proof.
  induction some as [|s some IH]; intros H; simpl; [lra|].
  pose proof (H s (or_introl eq_refl)). assert (weighed w' some <= k * weighed w some) by (apply IH; intuition). lra.
Qed.

Lemma weighed_positive : forall w some r, (forall s, In s some -> 0 < w s) -> In r some -> 0 < weighed w some.
Proof.
  assert (N : forall w some, (forall s, In s some -> 0 < w s) -> 0 <= weighed w some).
  { induction some as [|s some IH]; intros H; simpl; [lra|]. pose proof (H s (or_introl eq_refl)).
    assert (0 <= weighed w some) by (apply IH; intuition). lra. }
  intros w some r H Hr. destruct some as [|s some]; [destruct Hr|]. simpl.
  pose proof (H s (or_introl eq_refl)). assert (0 <= weighed w some) by (apply N; intuition). lra.
Qed.

Section Neighbours.
  Variables (w w' : nat -> Q) (some : list nat) (low high : Q).
  Hypothesis positive : forall s, In s some -> 0 < w s.
  Hypothesis positive' : forall s, In s some -> 0 < w' s.
  (** A neighbour multiplies every weight by a number between low and high. *)
  Hypothesis moved : forall s, In s some -> low * w s <= w' s <= high * w s.
  Hypothesis low_positive : 0 < low.

  (** Probabilities move by at most high / low, as far as weights move apart. *)
  Lemma exponential_private : forall r, In r some ->
    exponential w' some r <= high / low * exponential w some r.
  Proof.
    intros r Hr. unfold exponential.
    assert (P := weighed_positive w some r positive Hr). assert (P' := weighed_positive w' some r positive' Hr).
    assert (A : low * weighed w some <= weighed w' some).
    { assert (weighed w some <= / low * weighed w' some).
      { apply weighed_scaled. intros s Hs. destruct (moved s Hs) as [H _].
        setoid_replace (w s) with (/ low * (low * w s)) by (field; lra).
        setoid_rewrite Qmult_comm. apply Qmult_le_compat_r; [assumption|]. apply Qlt_le_weak, Qinv_lt_0_compat. assumption. }
      setoid_replace (weighed w' some) with (low * (/ low * weighed w' some)) by (field; lra).
      setoid_rewrite Qmult_comm. apply Qmult_le_compat_r; lra. }
    destruct (moved r Hr) as [_ B]. pose proof (positive r Hr). pose proof (positive' r Hr).
    apply Qle_shift_div_r; [assumption|].
    setoid_replace (high / low * (w r / weighed w some) * weighed w' some)
      with (high * w r * (weighed w' some / (low * weighed w some))) by (field; split; lra).
    assert (L : 0 < low * weighed w some).
    { setoid_replace 0 with (0 * weighed w some) by ring. apply Qmult_lt_compat_r; assumption. }
    assert (1 <= weighed w' some / (low * weighed w some)) by (apply Qle_shift_div_l; lra).
    assert (0 <= high * w r) by lra.
    assert (high * w r * 1 <= high * w r * (weighed w' some / (low * weighed w some)))
      by (setoid_rewrite Qmult_comm; apply Qmult_le_compat_r; assumption). lra.
  Qed.

  (** THEOREM (bounded range). For every two candidates the ratios of their probabilities are high / low apart at most. *)
  Theorem exponential_bounded_range : forall r s, In r some -> In s some ->
    exponential w' some r * exponential w some s <= high / low * (exponential w' some s * exponential w some r).
  Proof.
    intros r s Hr Hs. unfold exponential.
    assert (P := weighed_positive w some r positive Hr). assert (P' := weighed_positive w' some r positive' Hr).
    destruct (moved r Hr) as [_ A]. destruct (moved s Hs) as [B _]. pose proof (positive r Hr). pose proof (positive s Hs).
    setoid_replace (w' r / weighed w' some * (w s / weighed w some))
      with (w' r * w s / (weighed w' some * weighed w some)) by (field; split; lra).
    setoid_replace (high / low * (w' s / weighed w' some * (w r / weighed w some)))
      with (high / low * (w' s * w r) / (weighed w' some * weighed w some)) by (field; repeat split; lra).
    assert (PP : 0 < weighed w' some * weighed w some).
    { setoid_replace 0 with (0 * weighed w some) by ring. apply Qmult_lt_compat_r; assumption. }
    apply Qle_shift_div_l; [assumption|].
    setoid_replace (w' r * w s / (weighed w' some * weighed w some) * (weighed w' some * weighed w some))
      with (w' r * w s) by (field; split; lra).
    assert (C : w s <= w' s / low) by (apply Qle_shift_div_l; lra).
    assert (w' r * w s <= high * w r * w s) by (apply Qmult_le_compat_r; lra).
    assert (w s * (high * w r) <= w' s / low * (high * w r)).
    { apply Qmult_le_compat_r; [assumption|]. pose proof (positive' r Hr). lra. }
    setoid_replace (high / low * (w' s * w r)) with (w' s / low * (high * w r)) by (field; lra). lra.
  Qed.
End Neighbours.

(** THEOREM (range bound 2). Every weight moves up or down by a factor of at most a = e^(epsilon/2): a^2 for each
    probability. *)
Theorem range_bound_two : forall a w w' some r, 1 <= a ->
  (forall s, In s some -> 0 < w s) -> (forall s, In s some -> 0 < w' s) ->
  (forall s, In s some -> w' s <= a * w s) -> (forall s, In s some -> w s <= a * w' s) -> In r some ->
  exponential w' some r <= a * a * exponential w some r.
Proof.
  intros a w w' some r Ha H H' U L Hr.
  setoid_replace (a * a) with (a / / a) by (field; lra).
  apply exponential_private; try assumption.
  - intros s Hs. split; [|apply U; assumption].
    setoid_replace (/ a * w s) with (w s / a) by (field; lra). apply Qle_shift_div_r; [lra|].
    setoid_rewrite Qmult_comm. apply L. assumption.
  - apply Qinv_lt_0_compat. lra.
Qed.

(** THEOREM (range bound 1). All weights move up, by a factor of at most a = e^epsilon: a for each probability; both
    ways, as for one record more and one fewer. *)
Theorem range_bound_one : forall a w w' some r, 1 <= a ->
  (forall s, In s some -> 0 < w s) -> (forall s, In s some -> w s <= w' s <= a * w s) -> In r some ->
  exponential w' some r <= a * exponential w some r /\ exponential w some r <= a * exponential w' some r.
Proof.
  intros a w w' some r Ha H M Hr.
  assert (H' : forall s, In s some -> 0 < w' s) by (intros s Hs; pose proof (H s Hs); pose proof (M s Hs); lra).
  split.
  - setoid_replace a with (a / 1) at 1 by field. apply exponential_private; try assumption; [|lra].
    intros s Hs. pose proof (M s Hs). lra.
  - setoid_replace a with (1 / / a) at 1 by (field; lra). apply exponential_private; try assumption.
    + intros s Hs. pose proof (M s Hs). pose proof (H' s Hs). split; [|lra].
      setoid_replace (/ a * w' s) with (w' s / a) by (field; lra). apply Qle_shift_div_r; lra.
    + apply Qinv_lt_0_compat. lra.
Qed.
