(** Scores become integers: how far one neighbour moves the ticks of a score.

    Python: [dpselect.kernel.units], [dpselect.mechanisms.gaps]. *)
Require Import QArith Qround Qabs Qminmax Lqa Lia ZArith.
Open Scope Q_scope.

(** How far each of the candidates moves, from ticks t to t': all within one interval of this length. *)
Definition moves_within (span : Q) (some : nat -> Prop) (t t' : nat -> Z) : Prop :=
  exists low : Q, forall r, some r -> low <= inject_Z (t' r - t r) <= low + span.

Lemma inject_Z_minus : forall x y, inject_Z (x - y) == inject_Z x - inject_Z y.
Proof. intros. unfold Z.sub. rewrite inject_Z_plus, inject_Z_opp. ring. Qed.

Lemma moves_within_sym : forall span some t t', moves_within span some t t' -> moves_within span some t' t.
Proof.
  intros span some t t' [low H]. exists (- (low + span)). intros r Hr. specialize (H r Hr).
  rewrite inject_Z_minus in *. lra.
Qed.

(** ** A public clip *)
Definition clip (bound x : Q) : Q := Qmax (- bound) (Qmin bound x).

(** Clipping keeps the direction of a move, and makes none longer. *)
Lemma clip_moves : forall bound low high x y, 0 <= bound -> low <= 0 -> 0 <= high ->
  low <= y - x <= high -> low <= clip bound y - clip bound x <= high.
Proof.
  intros bound low high x y Hb Hl Hh H. unfold clip.
  destruct (Q.max_spec (- bound) (Qmin bound x)) as [[? ->]|[? ->]];
    destruct (Q.max_spec (- bound) (Qmin bound y)) as [[? ->]|[? ->]];
    destruct (Q.min_spec bound x) as [[? E]|[? E]]; destruct (Q.min_spec bound y) as [[? F]|[? F]];
    try rewrite E in *; try rewrite F in *; lra.
Qed.

(** ** Floors
    Computed scores in ticks are within half a tick of the true ones, on either database. *)
Definition near (a q : Q) : Prop := Qabs (a - q) <= 1 # 2.

(** A move in [low, high] becomes an integer move in [low - 1, high + 1]. *)
Lemma tick_move : forall (q q' a a' : Q) (low high : Z), near a q -> near a' q' ->
  inject_Z low <= q' - q -> q' - q <= inject_Z high ->
  (low - 1 <= Qfloor a' - Qfloor a <= high + 1)%Z.
Proof.
  unfold near. intros q q' a a' low high Ha Ha' Hl Hh.
  apply Qabs_Qle_condition in Ha. apply Qabs_Qle_condition in Ha'.
  pose proof (Qfloor_le a). pose proof (Qlt_floor a). pose proof (Qfloor_le a'). pose proof (Qlt_floor a').
  rewrite inject_Z_plus in *. change (inject_Z 1) with 1 in *.
  split.
  - assert (inject_Z (low - 2) < inject_Z (Qfloor a' - Qfloor a)).
    { rewrite !inject_Z_minus. change (inject_Z 2) with 2. lra. }
    rewrite <- Zlt_Qlt in *. lia.
  - assert (inject_Z (Qfloor a' - Qfloor a) < inject_Z (high + 2)).
    { rewrite inject_Z_minus, inject_Z_plus. change (inject_Z 2) with 2. lra. }
    rewrite <- Zlt_Qlt in *. lia.
Qed.

(** THEOREM (span of floored scores). Where all moves lie in one interval of b T ticks, from low to low + b T, ticks move
    within an interval of b T + 2. *)
Theorem span : forall (some : nat -> Prop) (q q' a a' : nat -> Q) (low width : Z),
  (forall r, some r -> near (a r) (q r)) -> (forall r, some r -> near (a' r) (q' r)) ->
  (forall r, some r -> inject_Z low <= q' r - q r <= inject_Z (low + width)) ->
  moves_within (inject_Z (width + 2)) some (fun r => Qfloor (a r)) (fun r => Qfloor (a' r)).
Proof.
  intros some q q' a a' low width Ha Ha' H. exists (inject_Z (low - 1)). intros r Hr. destruct (H r Hr) as [Hl Hh].
  destruct (tick_move (q r) (q' r) (a r) (a' r) low (low + width) (Ha r Hr) (Ha' r Hr) Hl Hh).
  rewrite <- inject_Z_plus, <- !Zle_Qle. lia.
Qed.

(** The margin of 2 is tight: with T = 4 ticks and range bound 1 a gap can move by 6.
    q = 0 -> 4 computed as -1/2 and 9/2, p = 0 -> 0 computed as 1/2 and -1/2. *)
Example margin_tight :
  near (- (1 # 2)) 0 /\ near (9 # 2) 4 /\ near (1 # 2) 0 /\
  ((Qfloor (9 # 2) - Qfloor (- (1 # 2))) - (Qfloor (- (1 # 2)) - Qfloor (1 # 2)) = 4 + 2)%Z.
Proof. repeat split; vm_compute; congruence. Qed.

(** ** Gaps
    Scores measured from the best of them, which moves too. *)
Definition best_of (some : nat -> Prop) (z : nat -> Q) (top : Q) : Prop :=
  (forall r, some r -> z r <= top) /\ (exists r, some r /\ z r == top).

Lemma best_moves : forall some z z' top top' low high, best_of some z top -> best_of some z' top' ->
  (forall r, some r -> low <= z' r - z r <= high) -> low <= top' - top <= high.
Proof.
  intros some z z' top top' low high [H [r [Hr E]]] [H' [s [Hs E']]] Hz.
  pose proof (H s Hs). pose proof (H' r Hr). pose proof (Hz r Hr). pose proof (Hz s Hs). lra.
Qed.

(** THEOREM (span of gaps). z are scores in ticks, each wrong by at most e; gaps to the best z are clipped, and wrong by
    at most f. If e + f is half a tick at most, ticks move within an interval of b T + 3. *)
Theorem gap_span : forall (some : nat -> Prop) (q q' z z' a a' : nat -> Q) (top top' bound e f : Q) (low width : Z),
  0 <= bound -> 0 <= e -> 0 <= f -> e + f <= 1 # 2 -> (low <= 0 <= low + width)%Z ->
  (forall r, some r -> Qabs (z r - q r) <= e) -> (forall r, some r -> Qabs (z' r - q' r) <= e) ->
  best_of some z top -> best_of some z' top' ->
  (forall r, some r -> Qabs (a r - clip bound (z r - top)) <= f) ->
  (forall r, some r -> Qabs (a' r - clip bound (z' r - top')) <= f) ->
  (forall r, some r -> inject_Z low <= q' r - q r <= inject_Z (low + width)) ->
  moves_within (inject_Z (width + 3)) some (fun r => Qfloor (a r)) (fun r => Qfloor (a' r)).
Proof.
  intros some q q' z z' a a' top top' bound e f low width Hb He Hf Hef Hlow Hz Hz' Ht Ht' Ha Ha' H.
  set (l := inject_Z low - 2 * e). set (h := inject_Z (low + width) + 2 * e).
  assert (Hm : forall r, some r -> l <= z' r - z r <= h).
  { intros r Hr. specialize (Hz r Hr). specialize (Hz' r Hr). specialize (H r Hr). unfold l, h.
    apply Qabs_Qle_condition in Hz. apply Qabs_Qle_condition in Hz'. lra. }
  pose proof (best_moves some z z' top top' l h Ht Ht' Hm) as Hc. set (c := top' - top) in *.
  (* All moves of the computed gaps lie strictly within (s - 1, s + width + 3). *)
  set (s := l - c - 2 * f). exists (inject_Z (Qfloor s)). intros r Hr.
  rewrite <- inject_Z_plus, <- !Zle_Qle.
  specialize (Ha r Hr). specialize (Ha' r Hr). specialize (Hm r Hr).
  apply Qabs_Qle_condition in Ha. apply Qabs_Qle_condition in Ha'.
  pose proof (clip_moves bound (l - c) (h - c) (z r - top) (z' r - top') Hb) as K.
  assert (K' : l - c <= clip bound (z' r - top') - clip bound (z r - top) <= h - c).
  { apply K; unfold c in *; lra. }
  pose proof (Qfloor_le (a r)). pose proof (Qlt_floor (a r)). pose proof (Qfloor_le (a' r)). pose proof (Qlt_floor (a' r)).
  pose proof (Qfloor_le s). pose proof (Qlt_floor s).
  rewrite inject_Z_plus in *. change (inject_Z 1) with 1 in *.
  assert (W : h - l == inject_Z width + 4 * e) by (unfold h, l; rewrite inject_Z_plus; ring).
  assert (A : inject_Z (Qfloor s - 1) < inject_Z (Qfloor (a' r) - Qfloor (a r))).
  { rewrite !inject_Z_minus. change (inject_Z 1) with 1. unfold s in *. lra. }
  assert (B : inject_Z (Qfloor (a' r) - Qfloor (a r)) < inject_Z (Qfloor s + 1 + width + 3)).
  { rewrite inject_Z_minus, !inject_Z_plus. change (inject_Z 1) with 1. change (inject_Z 3) with 3.
    unfold s in *. lra. }
  rewrite <- Zlt_Qlt in A, B. lia.
Qed.

(** ** Integers
    Integer scores are their own ticks: no rounding and no margin. *)
Definition clip_Z (bound x : Z) : Z := Z.max (- bound) (Z.min bound x).

Theorem exact_span : forall (some : nat -> Prop) (u u' : nat -> Z) (bound : Z) (low width : Q), (0 <= bound)%Z ->
  low <= 0 -> 0 <= low + width -> (forall r, some r -> low <= inject_Z (u' r - u r) <= low + width) ->
  moves_within width some (fun r => clip_Z bound (u r)) (fun r => clip_Z bound (u' r)).
Proof.
  intros some u u' bound low width Hb Hl Hw H. exists low. intros r Hr. specialize (H r Hr).
  assert (E : forall x, inject_Z (clip_Z bound x) == clip (inject_Z bound) (inject_Z x)).
  { intros x. unfold clip_Z, clip.
    assert (M : inject_Z (Z.min bound x) == Qmin (inject_Z bound) (inject_Z x)).
    { destruct (Z.min_spec bound x) as [[? ->]|[? ->]]; destruct (Q.min_spec (inject_Z bound) (inject_Z x)) as [[? F]|[? F]];
        rewrite F; try reflexivity; rewrite <- ?Zlt_Qlt, <- ?Zle_Qle in *; try (exfalso; lia);
        apply inject_Z_injective; lia. }
    destruct (Z.max_spec (- bound) (Z.min bound x)) as [[G ->]|[G ->]];
      destruct (Q.max_spec (- inject_Z bound) (Qmin (inject_Z bound) (inject_Z x))) as [[K F]|[K F]];
      rewrite F; rewrite ?M, ?inject_Z_opp; try reflexivity; rewrite <- M, <- inject_Z_opp in K;
      rewrite <- ?Zlt_Qlt, <- ?Zle_Qle in *; rewrite <- M, <- inject_Z_opp; apply inject_Z_injective; lia. }
  rewrite inject_Z_minus, !E. rewrite inject_Z_minus in H. apply clip_moves; try assumption.
  change 0 with (inject_Z 0). rewrite <- Zle_Qle. assumption.
Qed.
