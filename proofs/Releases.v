(** What was paid is a number of releases, and no draw is part of two: what several draws leave.

    Python: [dpselect.kernel.budget.Allowance._after]. *)
Require Import QArith Qround Lqa Lia ZArith.
Open Scope Q_scope.

(** Upwards. *)
Definition ceiling (a b : Z) : Z := (- ((- a) / b))%Z.

(** Releases not begun and the rest of the one that was, after [count] draws at epsilon; none where they do not fit. *)
Definition after (each : Q) (ranged : bool) (releases : Z) (rest epsilon : Q) (count : Z) : option (Z * Q) :=
  let here := Z.min count (Qfloor (rest / epsilon)) in
  if Z.eqb here count then Some (releases, rest - inject_Z here * epsilon)
  else
    let fit := Qfloor (each / epsilon) in
    let many := if ranged then Z.min 1 fit else fit in
    let begun := if Z.eqb many 0 then (releases + 1)%Z else ceiling (count - here) many in
    if Z.ltb releases begun then None
    else
      let last := (count - here - (begun - 1) * many)%Z in
      Some ((releases - begun)%Z, if ranged then 0 else each - inject_Z last * epsilon).

(** What is left in all. *)
Definition worth (each : Q) (state : Z * Q) : Q := inject_Z (fst state) * each + snd state.

Lemma fits : forall a epsilon n, 0 < epsilon -> (n <= Qfloor (a / epsilon))%Z -> inject_Z n * epsilon <= a.
Proof.
  intros a epsilon n He H. pose proof (Qfloor_le (a / epsilon)) as F.
  assert (L : inject_Z n <= a / epsilon) by (apply Qle_trans with (2 := F); rewrite <- Zle_Qle; assumption).
  apply (Qmult_le_compat_r _ _ epsilon) in L; [|lra].
  setoid_replace (a / epsilon * epsilon) with a in L by (field; lra). assumption.
Qed.

Lemma ceiling_bounds : forall a b, (0 < b)%Z -> ((ceiling a b - 1) * b < a <= ceiling a b * b)%Z.
Proof.
  intros a b Hb. unfold ceiling. pose proof (Z.div_mod (- a) b). pose proof (Z.mod_pos_bound (- a) b Hb).
  assert (b <> 0)%Z by lia. nia.
Qed.

(** THEOREM. Draws leave at least their price less than there was, and no rest is below 0 or above a release. *)
Theorem after_pays : forall each ranged releases rest epsilon count releases' rest',
  0 < epsilon -> 0 <= rest <= each -> (0 <= releases)%Z -> (1 <= count)%Z ->
  after each ranged releases rest epsilon count = Some (releases', rest') ->
  (0 <= releases')%Z /\ 0 <= rest' <= each /\
  worth each (releases', rest') + inject_Z count * epsilon <= worth each (releases, rest).
Proof.
  intros each ranged releases rest epsilon count releases' rest' He [H0 H1] Hr Hc E. unfold after, worth in *. simpl.
  set (here := Z.min count (Qfloor (rest / epsilon))) in *.
  assert (Hhere : inject_Z here * epsilon <= rest) by (apply fits; [assumption | apply Z.le_min_r]).
  assert (Zhere : (0 <= here)%Z).
  { apply Z.min_glb; [lia|]. assert (0 <= rest / epsilon) by (apply Qle_shift_div_l; lra).
    change 0%Z with (Qfloor 0). apply Qfloor_resp_le. assumption. }
  assert (Phere : 0 <= inject_Z here * epsilon).
  { apply Qmult_le_0_compat; [|lra]. change 0 with (inject_Z 0). rewrite <- Zle_Qle. assumption. }
  destruct (Z.eqb_spec here count) as [S|S].
  - injection E as <- <-. rewrite S in *. repeat split; try assumption; lra.
  - set (fit := Qfloor (each / epsilon)) in *.
    set (many := if ranged then Z.min 1 fit else fit) in *.
    assert (Zfit : (0 <= fit)%Z).
    { assert (0 <= each / epsilon) by (apply Qle_shift_div_l; lra).
      change 0%Z with (Qfloor 0). apply Qfloor_resp_le. assumption. }
    assert (Many : (0 <= many <= fit)%Z) by (unfold many; destruct ranged; lia).
    destruct (Z.eqb_spec many 0) as [M|M]; [destruct (Z.ltb_spec releases (releases + 1)); [discriminate | lia]|].
    destruct (Z.ltb_spec releases (ceiling (count - here) many)) as [B|B]; [discriminate|].
    set (begun := ceiling (count - here) many) in *. injection E as <- <-.
    assert (Less : (here < count)%Z) by (assert (here <= count)%Z by apply Z.le_min_l; lia).
    assert (Pmany : (0 < many)%Z) by lia. pose proof (ceiling_bounds (count - here) many Pmany) as C. fold begun in C.
    set (last := (count - here - (begun - 1) * many)%Z) in *.
    assert (Begun : (1 <= begun)%Z) by nia.
    assert (Last : (0 < last <= many)%Z) by (unfold last; lia).
    assert (Fmany : inject_Z many * epsilon <= each) by (apply fits; [assumption | fold fit; lia]).
    assert (Flast : inject_Z last * epsilon <= each) by (apply fits; [assumption | fold fit; lia]).
    assert (Plast : 0 <= inject_Z last * epsilon).
    { apply Qmult_le_0_compat; [|lra]. change 0 with (inject_Z 0). rewrite <- Zle_Qle. lia. }
    (* Releases that were begun and filled, the last one, and what fitted into the rest. *)
    assert (Full : inject_Z (begun - 1) * (inject_Z many * epsilon) <= inject_Z (begun - 1) * each).
    { setoid_rewrite Qmult_comm. apply Qmult_le_compat_r; [assumption|].
      change 0 with (inject_Z 0). rewrite <- Zle_Qle. lia. }
    assert (Count : inject_Z count == inject_Z here + inject_Z (begun - 1) * inject_Z many + inject_Z last).
    { rewrite <- inject_Z_mult, <- !inject_Z_plus. apply inject_Z_injective. unfold last. lia. }
    assert (Releases : inject_Z (releases - begun) == inject_Z releases - inject_Z (begun - 1) - 1).
    { unfold Z.sub. rewrite !inject_Z_plus, !inject_Z_opp. change (inject_Z 1) with 1. ring. }
    rewrite Count, Releases.
    split; [lia|]. destruct ranged; split; try lra.
Qed.
