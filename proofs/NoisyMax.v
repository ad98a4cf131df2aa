(** The largest of scores with one-sided noise: sliding the scores costs what sliding the tail of the noise does.

    Python: [dpselect.mechanisms.smooth.local_dampening_t], which pays for a slide and nothing else. *)
Require Import Reals Lra.
Open Scope R_scope.

Section NoisyMax.
  (** Pr[Z > z]: 1 up to 0, and falling. *)
  Variable tail : R -> R.
  Hypothesis whole : forall z, z <= 0 -> tail z = 1.
  Hypothesis falling : forall x y, x <= y -> tail y <= tail x.

  (** The mean over what all rivals drew: monotone and homogeneous, which is all that is needed of it. *)
  Variable draws : Type.
  Variable mean : (draws -> R) -> R.
  Hypothesis monotone : forall f g, (forall w, f w <= g w) -> mean f <= mean g.
  Hypothesis homogeneous : forall k f, mean (fun w => k * f w) = k * mean f.

  (** r wins when its noise exceeds the bar: how far the best rival, with its noise, is ahead of it. *)
  Definition wins (bar : draws -> R) : R := mean (fun w => tail (bar w)).

  Variables (epsilon t : R).
  Hypothesis t_positive : 0 <= t.
  Hypothesis slides : forall z, 0 <= z -> tail z <= exp epsilon * tail (z + t).

  Lemma slides_everywhere : forall z, tail z <= exp epsilon * tail (z + t).
  Proof.
    intros z. destruct (Rle_lt_dec 0 z) as [H|H]; [apply slides; assumption|].
    rewrite whole by lra. rewrite <- (whole 0) by lra. apply Rle_trans with (exp epsilon * tail (0 + t)).
    - apply slides. lra.
    - apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|]. apply falling. lra.
  Qed.

  (** THEOREM (slide). Scores that move within t units of the noise raise every bar by at most t: no chance falls by more
      than e^epsilon. *)
  Theorem slide_private : forall bar bar', (forall w, bar' w <= bar w + t) -> wins bar <= exp epsilon * wins bar'.
  Proof.
    intros bar bar' H. unfold wins. rewrite <- homogeneous. apply monotone. intros w.
    apply Rle_trans with (1 := slides_everywhere (bar w)).
    apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|]. apply falling, H.
  Qed.
End NoisyMax.
