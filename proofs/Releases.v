(** What was paid is a number of releases, and no draw is part of two: what several draws leave.

    Python: [dpselect.kernel.privacy_filter.PrivacyFilter._after]. *)
Require Import QArith Qround Lqa Lia ZArith.
Open Scope Q_scope.

(** Upwards. *)
Definition ceiling (a b : Z) : Z := (- ((- a) / b))%Z.

(** How many draws fit into what is left of one release. *)
Definition fitting (rest rest_delta epsilon delta : Q) : Z :=
  if Qeq_dec delta 0 then Qfloor (rest / epsilon) else Z.min (Qfloor (rest / epsilon)) (Qfloor (rest_delta / delta)).

(** Releases not begun, and the epsilon and delta that are left of the one that was. *)
Definition state : Type := Z * Q * Q.

(** What [count] draws leave; nothing where they do not fit. *)
Definition after (each each_delta : Q) (ranged : bool) (now : state) (epsilon delta : Q) (count : Z) : option state :=
  let '(releases, rest, rest_delta) := now in
  let here := Z.min count (fitting rest rest_delta epsilon delta) in
  if Z.eqb here count then Some (releases, rest - inject_Z here * epsilon, rest_delta - inject_Z here * delta)
  else
    let fit := fitting each each_delta epsilon delta in
    let many := if ranged then Z.min 1 fit else fit in
    let begun := if Z.eqb many 0 then (releases + 1)%Z else ceiling (count - here) many in
    if Z.ltb releases begun then None
    else
      let last := (count - here - (begun - 1) * many)%Z in
      if ranged then Some ((releases - begun)%Z, 0, 0)
      else Some ((releases - begun)%Z, each - inject_Z last * epsilon, each_delta - inject_Z last * delta).

(** What is left in all. *)
Definition worth (each each_delta : Q) (now : state) : Q * Q :=
  let '(releases, rest, rest_delta) := now in
  (inject_Z releases * each + rest, inject_Z releases * each_delta + rest_delta).

Definition possible (each each_delta : Q) (now : state) : Prop :=
  let '(releases, rest, rest_delta) := now in (0 <= releases)%Z /\ 0 <= rest <= each /\ 0 <= rest_delta <= each_delta.

Lemma fits : forall a epsilon n, 0 < epsilon -> (n <= Qfloor (a / epsilon))%Z -> inject_Z n * epsilon <= a.
Proof.
  intros a epsilon n He H. pose proof (Qfloor_le (a / epsilon)) as F.
  assert (L : inject_Z n <= a / epsilon) by (apply Qle_trans with (2 := F); rewrite <- Zle_Qle; assumption).
  apply (Qmult_le_compat_r _ _ epsilon) in L; [|lra].
  setoid_replace (a / epsilon * epsilon) with a in L by (field; lra). assumption.
Qed.

Lemma fitting_fits : forall rest rest_delta epsilon delta n, 0 < epsilon -> 0 <= delta -> 0 <= rest_delta ->
  (n <= fitting rest rest_delta epsilon delta)%Z -> inject_Z n * epsilon <= rest /\ inject_Z n * delta <= rest_delta.
Proof.
  intros rest rest_delta epsilon delta n He Hd Hr H. unfold fitting in H. destruct (Qeq_dec delta 0) as [E|E].
  - split; [apply fits; assumption|]. rewrite E. lra.
  - split; apply fits; try assumption; try lra; lia.
Qed.

Lemma fitting_not_negative : forall rest rest_delta epsilon delta, 0 < epsilon -> 0 <= delta -> 0 <= rest ->
  0 <= rest_delta -> (0 <= fitting rest rest_delta epsilon delta)%Z.
Proof.
  assert (F : forall a b, 0 < b -> 0 <= a -> (0 <= Qfloor (a / b))%Z).
  { intros a b Hb Ha. change 0%Z with (Qfloor 0). apply Qfloor_resp_le. apply Qle_shift_div_l; lra. }
  intros rest rest_delta epsilon delta He Hd Hr Hr'. unfold fitting. destruct (Qeq_dec delta 0) as [E|E].
  - apply F; assumption.
  - apply Z.min_glb; apply F; try assumption. lra.
Qed.

Lemma ceiling_bounds : forall a b, (0 < b)%Z -> ((ceiling a b - 1) * b < a <= ceiling a b * b)%Z.
Proof.
  intros a b Hb. unfold ceiling. pose proof (Z.div_mod (- a) b). pose proof (Z.mod_pos_bound (- a) b Hb).
  assert (b <> 0)%Z by lia. nia.
Qed.

(** Releases that were begun and filled, the last one, and what fitted into the rest: in epsilon, or in delta. *)
Lemma priced : forall each rest epsilon releases begun many here last count, 0 <= epsilon ->
  (0 < begun)%Z -> (0 < last <= many)%Z -> (count = here + (begun - 1) * many + last)%Z ->
  inject_Z many * epsilon <= each -> inject_Z last * epsilon <= each -> inject_Z here * epsilon <= rest ->
  inject_Z (releases - begun) * each + (each - inject_Z last * epsilon) + inject_Z count * epsilon <=
  inject_Z releases * each + rest /\ 0 <= each - inject_Z last * epsilon <= each /\ 0 <= each.
Proof.
  intros each rest epsilon releases begun many here last count He Hb Hl Hc Fmany Flast Fhere.
  assert (Plast : 0 <= inject_Z last * epsilon).
  { apply Qmult_le_0_compat; [|assumption]. change 0 with (inject_Z 0). rewrite <- Zle_Qle. lia. }
  assert (Full : inject_Z (begun - 1) * (inject_Z many * epsilon) <= inject_Z (begun - 1) * each).
  { setoid_rewrite Qmult_comm. apply Qmult_le_compat_r; [assumption|].
    change 0 with (inject_Z 0). rewrite <- Zle_Qle. lia. }
  assert (Count : inject_Z count == inject_Z here + inject_Z (begun - 1) * inject_Z many + inject_Z last).
  { rewrite <- inject_Z_mult, <- !inject_Z_plus. apply inject_Z_injective. lia. }
  assert (Releases : inject_Z (releases - begun) == inject_Z releases - inject_Z (begun - 1) - 1).
  { unfold Z.sub. rewrite !inject_Z_plus, !inject_Z_opp. change (inject_Z 1) with 1. ring. }
  rewrite Count, Releases. split; [|split]; lra.
Qed.

(** THEOREM. Draws leave at least their price less than there was, in epsilon and in delta, and no rest is below 0 or
    above that of a release. *)
Theorem after_pays : forall each each_delta ranged now epsilon delta count next,
  0 < epsilon -> 0 <= delta -> (1 <= count)%Z -> possible each each_delta now ->
  after each each_delta ranged now epsilon delta count = Some next ->
  possible each each_delta next /\
  fst (worth each each_delta next) + inject_Z count * epsilon <= fst (worth each each_delta now) /\
  snd (worth each each_delta next) + inject_Z count * delta <= snd (worth each each_delta now).
Proof.
  intros each each_delta ranged [[releases rest] rest_delta] epsilon delta count next He Hd Hc [Hr [[H0 H1] [H2 H3]]] E.
  unfold after in E. unfold worth, possible. simpl.
  assert (Zfit := fitting_not_negative rest rest_delta epsilon delta He Hd H0 H2).
  set (here := Z.min count (fitting rest rest_delta epsilon delta)) in *.
  destruct (fitting_fits rest rest_delta epsilon delta here He Hd H2) as [Fe Fd]; [apply Z.le_min_r|].
  assert (Zhere : (0 <= here)%Z) by (apply Z.min_glb; lia).
  assert (P : forall e, 0 <= e -> 0 <= inject_Z here * e).
  { intros e H. apply Qmult_le_0_compat; [|assumption]. change 0 with (inject_Z 0). rewrite <- Zle_Qle. assumption. }
  assert (Pe := P epsilon (Qlt_le_weak _ _ He)). assert (Pd := P delta Hd).
  destruct (Z.eqb_spec here count) as [S|S].
  - injection E as <-. rewrite S in *. simpl. repeat split; try assumption; lra.
  - assert (Efit := fitting_not_negative each each_delta epsilon delta He Hd (Qle_trans _ _ _ H0 H1) (Qle_trans _ _ _ H2 H3)).
    set (fit := fitting each each_delta epsilon delta) in *.
    set (many := if ranged then Z.min 1 fit else fit) in *.
    assert (Many : (0 <= many <= fit)%Z) by (unfold many; destruct ranged; lia).
    destruct (Z.eqb_spec many 0) as [M|M]; [destruct (Z.ltb_spec releases (releases + 1)); [discriminate | lia]|].
    destruct (Z.ltb_spec releases (ceiling (count - here) many)) as [B|B]; [discriminate|].
    set (begun := ceiling (count - here) many) in *.
    assert (Less : (here < count)%Z) by (assert (here <= count)%Z by apply Z.le_min_l; lia).
    assert (Pmany : (0 < many)%Z) by lia. pose proof (ceiling_bounds (count - here) many Pmany) as C. fold begun in C.
    set (last := (count - here - (begun - 1) * many)%Z) in *.
    assert (Begun : (0 < begun)%Z) by nia. assert (Last : (0 < last <= many)%Z) by (unfold last; lia).
    assert (Count : (count = here + (begun - 1) * many + last)%Z) by (unfold last; lia).
    assert (H2' : 0 <= each_delta) by lra.
    destruct (fitting_fits each each_delta epsilon delta many He Hd H2') as [Me Md]; [fold fit; lia|].
    destruct (fitting_fits each each_delta epsilon delta last He Hd H2') as [Le Ld]; [fold fit; lia|].
    destruct (priced each rest epsilon releases begun many here last count) as [Ae [Be Ce]]; try assumption; [lra|].
    destruct (priced each_delta rest_delta delta releases begun many here last count) as [Ad [Bd Cd]]; try assumption.
    destruct ranged; injection E as <-; simpl; (split; [repeat split; try lia; lra | split; lra]).
Qed.
