(** The law of one-shot lists as a program over rationals: polynomials on the pieces between the ends 1/w of all keys.

    The ends are given; the program checks that they are in order and that no key ends within a piece. *)
Require Import QArith Qreals Reals Lra List.
From Coquelicot Require Import Coquelicot.
Require Import OneShot.
Import ListNotations.
Open Scope Q_scope.

(** ** Polynomials: coefficients from the lowest *)
Fixpoint at_point (p : list Q) (x : Q) : Q :=
  match p with [] => 0 | a :: p => Qred (a + x * at_point p x) end.

Fixpoint add (p q : list Q) : list Q :=
  match p, q with
  | [], q => q
  | p, [] => p
  | a :: p, b :: q => Qred (a + b) :: add p q
  end.

Definition scale (k : Q) (p : list Q) : list Q := map (fun a => Qred (k * a)) p.

Fixpoint times (p q : list Q) : list Q :=
  match p with [] => [] | a :: p => add (scale a q) (0 :: times p q) end.

(** Coefficients over k, k + 1, ... *)
Fixpoint divided (p : list Q) (k : nat) : list Q :=
  match p with [] => [] | a :: p => Qred (a / inject_Z (Z.of_nat k)) :: divided p (S k) end.

Definition integral (p : list Q) : list Q := 0 :: divided p 1.

(** ** Pieces *)
Definition loser_piece (b w : Q) : list Q := if Qle_bool (b * w) 1 then [1; - w] else [].

Definition losers_piece (losers : list Q) (b : Q) : list Q :=
  fold_right (fun w p => times (loser_piece b w) p) [1] losers.

Fixpoint accumulate (low so_far : Q) (w : Q) (ends : list Q) (pieces : list (list Q)) : list (list Q) :=
  match ends, pieces with
  | b :: ends, q :: pieces =>
    if Qle_bool (b * w) 1 then
      let grown := integral (scale w q) in
      let p := add [so_far - at_point grown low] grown in
      p :: accumulate b (at_point p b) w ends pieces
    else [so_far] :: accumulate b so_far w ends pieces
  | _, _ => []
  end.

Fixpoint before_pieces (winners ends : list Q) : list (list Q) :=
  match winners with
  | [] => map (fun _ => [1]) ends
  | w :: earlier => accumulate 0 0 w ends (before_pieces earlier ends)
  end.

Fixpoint total (low w : Q) (losers ends : list Q) (pieces : list (list Q)) : Q :=
  match ends, pieces with
  | b :: ends, q :: pieces =>
    (if Qle_bool (b * w) 1 then
       let grown := integral (times (scale w q) (losers_piece losers b)) in at_point grown b - at_point grown low
     else 0) + total b w losers ends pieces
  | _, _ => 0
  end.

(** No key ends within a piece, and the pieces are in order. *)
Fixpoint separated (low : Q) (ends : list Q) (w : Q) : bool :=
  match ends with
  | [] => true
  | b :: ends => Qle_bool low b && (Qle_bool (b * w) 1 || Qle_bool 1 (low * w)) && separated b ends w
  end.

Fixpoint covered (low : Q) (ends : list Q) (w : Q) : bool :=
  match ends with [] => Qle_bool 1 (low * w) | b :: ends => covered b ends w end.

Definition one_shot_rational (ends winners losers : list Q) : option Q :=
  match winners with
  | [] => Some 1
  | last :: earlier =>
    if forallb (fun w => negb (Qle_bool w 0)) (winners ++ losers) && forallb (separated 0 ends) (winners ++ losers) &&
       covered 0 ends last
    then Some (Qred (total 0 last losers ends (before_pieces earlier ends)))
    else None
  end.

(** ** What they mean *)
Open Scope R_scope.
Arguments Qred : simpl never.
Arguments Q2R : simpl never.
Arguments Qdiv : simpl never.

Fixpoint value (p : list Q) (x : R) : R := match p with [] => 0 | a :: p => Q2R a + x * value p x end.

Lemma red : forall q, Q2R (Qred q) = Q2R q.
Proof. intros q. apply Qeq_eqR, Qred_correct. Qed.

Lemma value_at : forall p x, Q2R (at_point p x) = value p (Q2R x).
Proof.
  induction p as [|a p IH]; intros x; simpl; [apply RMicromega.Q2R_0|].
  rewrite red, Q2R_plus, Q2R_mult, IH. reflexivity.
Qed.

Lemma value_add : forall p q x, value (add p q) x = value p x + value q x.
Proof.
  induction p as [|a p IH]; intros [|b q] x; simpl; try ring. rewrite red, Q2R_plus, IH. ring.
Qed.

Lemma value_scale : forall k p x, value (scale k p) x = Q2R k * value p x.
Proof. induction p as [|a p IH]; intros x; simpl; [ring|]. rewrite red, Q2R_mult, IH. ring. Qed.

Lemma value_times : forall p q x, value (times p q) x = value p x * value q x.
Proof.
  induction p as [|a p IH]; intros q x; simpl; [ring|].
  rewrite value_add, value_scale. simpl. rewrite IH, RMicromega.Q2R_0. ring.
Qed.

Lemma divided_derivative : forall p k x, (0 < k)%nat ->
  is_derive (fun x => x ^ k * value (divided p k) x) x (x ^ pred k * value p x).
Proof.
  induction p as [|a p IH]; intros k x Hk; simpl value.
  - apply (is_derive_ext (fun _ => 0)); [intros; in_reals; ring|]. rewrite Rmult_0_r. apply (is_derive_const 0 x).
  - apply (is_derive_ext (fun x => Q2R a / INR k * x ^ k + x ^ S k * value (divided p (S k)) x)).
    + intros t. in_reals. rewrite red. assert (K : INR k <> 0) by (apply not_0_INR; intros E; rewrite E in Hk; inversion Hk).
      rewrite Q2R_div by (intros E; unfold Qeq in E; simpl in E; rewrite Z.mul_1_r in E; destruct k; [inversion Hk | discriminate]).
      replace (Q2R (inject_Z (Z.of_nat k))) with (INR k)
        by (rewrite INR_IZR_INZ; unfold Q2R, inject_Z; simpl; rewrite Rinv_1; ring).
      simpl. field. assumption.
    + assert (K : INR k <> 0) by (apply not_0_INR; intros E; rewrite E in Hk; inversion Hk).
      replace (x ^ pred k * (Q2R a + x * value p x))
        with (plus (Q2R a / INR k * (INR k * x ^ pred k)) (x ^ pred (S k) * value p x)).
      * apply (is_derive_plus (fun x => Q2R a / INR k * x ^ k) (fun x => x ^ S k * value (divided p (S k)) x)).
        -- apply (is_derive_scal (fun x => x ^ k) x (Q2R a / INR k)).
           apply is_derive_Reals. replace (INR k * x ^ pred k) with (INR k * x ^ pred k * 1) by ring.
           rewrite Rmult_1_r. apply derivable_pt_lim_pow.
        -- apply IH. apply Nat.lt_0_succ.
      * unfold plus. simpl. destruct k as [|k]; [inversion Hk|]. simpl pred.
        replace (x ^ S k) with (x * x ^ k) by reflexivity. field. assumption.
Qed.

Lemma integral_derivative : forall p x, is_derive (value (integral p)) x (value p x).
Proof.
  intros p x. apply (is_derive_ext (fun x => x ^ 1 * value (divided p 1) x)).
  - intros t. unfold integral. simpl. rewrite RMicromega.Q2R_0. in_reals. ring.
  - replace (value p x) with (x ^ pred 1 * value p x) by (simpl; ring). apply divided_derivative. apply Nat.lt_0_1.
Qed.

Lemma continuous_value : forall p (x : R), continuous (value p) x.
Proof.
  induction p as [|a p IH]; intros x; simpl; [apply continuous_const|].
  apply (continuous_plus (fun _ => Q2R a) (fun x => x * value p x)); [apply continuous_const|].
  apply (continuous_mult (fun x => x) (value p)); [apply continuous_id | apply IH].
Qed.

Lemma RInt_value : forall p a b, @eq R (RInt (value p) a b) (value (integral p) b - value (integral p) a).
Proof.
  intros p a b. apply is_RInt_unique. apply (is_RInt_derive (value (integral p)) (value p)).
  - intros x _. apply integral_derivative.
  - intros x _. apply continuous_value.
Qed.

(** On every piece a function is its polynomial. *)
Fixpoint agrees (low : R) (ends : list Q) (pieces : list (list Q)) (f : R -> R) : Prop :=
  match ends, pieces with
  | [], [] => True
  | b :: ends, p :: pieces =>
    (forall x, low <= x <= Q2R b -> f x = value p x) /\ agrees (Q2R b) ends pieces f
  | _, _ => False
  end.

Lemma at_most_one : forall b w, Qle_bool (b * w) 1 = true -> (0 < Q2R w) -> Q2R b <= / Q2R w.
Proof.
  intros b w H Hw. apply Qle_bool_iff, Qle_Rle in H. rewrite Q2R_mult, RMicromega.Q2R_1 in H.
  apply Rmult_le_reg_r with (Q2R w); [assumption|]. rewrite Rinv_l by lra. assumption.
Qed.

Lemma at_least_one : forall b w, Qle_bool 1 (b * w) = true -> (0 < Q2R w) -> / Q2R w <= Q2R b.
Proof.
  intros b w H Hw. apply Qle_bool_iff, Qle_Rle in H. rewrite Q2R_mult, RMicromega.Q2R_1 in H.
  apply Rmult_le_reg_r with (Q2R w); [assumption|]. rewrite Rinv_l by lra. assumption.
Qed.

(** In a piece of keys that go on, they go on to its end; in any other they ended before. *)
Lemma piece : forall low b ends w, 0 < Q2R w -> separated low (b :: ends) w = true ->
  Q2R low <= Q2R b /\ separated b ends w = true /\
  (if Qle_bool (b * w) 1 then Q2R b <= / Q2R w else / Q2R w <= Q2R low).
Proof.
  intros low b ends w Hw H. simpl in H. apply andb_prop in H. destruct H as [H S]. apply andb_prop in H.
  destruct H as [L O]. apply Qle_bool_iff, Qle_Rle in L. repeat split; try assumption.
  destruct (Qle_bool (b * w) 1) eqn:E; [apply at_most_one; assumption|]. simpl in O. apply at_least_one; assumption.
Qed.

Lemma accumulate_agrees : forall w earlier, 0 < Q2R w -> forall ends pieces low so_far, 0 <= Q2R low ->
  separated low ends w = true -> agrees (Q2R low) ends pieces (before earlier) ->
  Q2R so_far = before (Q2R w :: earlier) (Q2R low) ->
  agrees (Q2R low) ends (accumulate low so_far w ends pieces) (before (Q2R w :: earlier)).
Proof.
  intros w earlier Hw.
  assert (C : forall y, continuous (fun y => Q2R w * before earlier y) y).
  { intros y. apply (continuous_mult (fun _ => Q2R w) (before earlier)); [apply continuous_const | apply continuous_before]. }
  induction ends as [|b ends IH]; intros [|q pieces] low so_far Hl S A F; simpl in A; try contradiction; [exact I|].
  destruct A as [A A']. destruct (piece low b ends w Hw S) as [Lb [S' E]]. cbn [accumulate].
  destruct (Qle_bool (b * w) 1); cbn [agrees].
  - set (grown := integral (scale w q)).
    assert (V : forall x, Q2R low <= x <= Q2R b ->
      before (Q2R w :: earlier) x = value (add [so_far - at_point grown low] grown)%Q x).
    { intros x Hx. rewrite value_add. cbn [value]. rewrite Q2R_minus, value_at, F. simpl before.
      rewrite !Rmin_left by lra.
      assert (Ch : RInt (fun y => Q2R w * before earlier y) 0 x =
        RInt (fun y => Q2R w * before earlier y) 0 (Q2R low) + RInt (fun y => Q2R w * before earlier y) (Q2R low) x).
      { symmetry. apply (RInt_Chasles (fun y => Q2R w * before earlier y)); apply integrable; assumption. }
      assert (P : @eq R (RInt (fun y => Q2R w * before earlier y) (Q2R low) x) (value grown x - value grown (Q2R low))).
      { unfold grown. rewrite <- RInt_value. apply RInt_ext. intros y Hy.
        rewrite Rmin_left, Rmax_right in Hy by lra. rewrite value_scale, A by lra. reflexivity. }
      rewrite Ch, P. ring. }
    split; [exact V|]. apply IH; [lra | assumption | assumption|].
    rewrite value_at. symmetry. apply V. lra.
  - assert (V : forall x, Q2R low <= x -> before (Q2R w :: earlier) x = Q2R so_far).
    { intros x Hx. rewrite F. simpl before. rewrite !Rmin_right by lra. reflexivity. }
    split; [intros x Hx; rewrite V by lra; simpl; ring|].
    apply IH; [lra | assumption | assumption|]. symmetry. apply V. assumption.
Qed.

Lemma positive_real : forall w, negb (Qle_bool w 0) = true -> 0 < Q2R w.
Proof.
  intros w H. rewrite <- RMicromega.Q2R_0. apply Qlt_Rlt. destruct (Qlt_le_dec 0 w) as [L|L]; [assumption|].
  apply Qle_bool_iff in L. rewrite L in H. discriminate.
Qed.

Lemma before_agrees : forall winners ends, (forall w, In w winners -> 0 < Q2R w) ->
  (forall w, In w winners -> separated 0 ends w = true) -> forall some, some = 0%Q ->
  agrees (Q2R some) ends (before_pieces winners ends) (before (map Q2R winners)).
Proof.
  intros winners ends P S some ->. induction winners as [|w earlier IH]; simpl map.
  - generalize (Q2R 0). simpl. induction ends as [|b ends IH]; intros low; simpl; [exact I|].
    split; [intros; rewrite RMicromega.Q2R_1; ring|]. apply IH. intros w [].
  - apply accumulate_agrees.
    + apply P. left. reflexivity.
    + rewrite RMicromega.Q2R_0. lra.
    + apply S. left. reflexivity.
    + apply IH; intros v Hv; [apply P | apply S]; right; assumption.
    + simpl. rewrite RMicromega.Q2R_0, Rmin_left.
      * rewrite RInt_point. reflexivity.
      * apply Rlt_le, Rinv_0_lt_compat, P. left. reflexivity.
Qed.

Lemma losers_agree : forall low b losers x, Q2R low <= x <= Q2R b ->
  (forall w, In w losers -> 0 < Q2R w) ->
  (forall w, In w losers -> if Qle_bool (b * w) 1 then Q2R b <= / Q2R w else / Q2R w <= Q2R low) ->
  beyond (map Q2R losers) x = value (losers_piece losers b) x.
Proof.
  intros low b losers x Hx P S. induction losers as [|w losers IH]; simpl.
  - rewrite RMicromega.Q2R_1. ring.
  - rewrite value_times, IH; [|intros v Hv; apply P; right; assumption | intros v Hv; apply S; right; assumption].
    f_equal. assert (W := P w (or_introl eq_refl)). assert (E := S w (or_introl eq_refl)). unfold loser_piece.
    assert (I : Q2R w * / Q2R w = 1) by (apply Rinv_r; lra).
    destruct (Qle_bool (b * w) 1); simpl.
    + rewrite Rmax_right.
      * rewrite RMicromega.Q2R_1, Q2R_opp. ring.
      * assert (Q2R w * x <= Q2R w * / Q2R w) by (apply Rmult_le_compat_l; lra). lra.
    + apply Rmax_left. assert (Q2R w * / Q2R w <= Q2R w * x) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma total_agrees : forall last earlier losers, 0 < Q2R last -> (forall w, In w losers -> 0 < Q2R w) ->
  forall ends pieces low, 0 <= Q2R low -> separated low ends last = true ->
  (forall w, In w losers -> separated low ends w = true) -> covered low ends last = true ->
  agrees (Q2R low) ends pieces (before earlier) ->
  Q2R (total low last losers ends pieces) =
  RInt (fun y => Q2R last * before earlier y * beyond (map Q2R losers) y) (Rmin (Q2R low) (/ Q2R last)) (/ Q2R last).
Proof.
  intros last earlier losers Hw P. set (f := fun y => Q2R last * before earlier y * beyond (map Q2R losers) y).
  assert (C : forall x, continuous f x) by (intros; apply continuous_last).
  induction ends as [|b ends IH]; intros [|q pieces] low Hl S Sl Cov A; simpl in A; try contradiction.
  - simpl in Cov. apply at_least_one in Cov; [|assumption]. rewrite Rmin_right by assumption. simpl.
    rewrite RInt_point, RMicromega.Q2R_0. reflexivity.
  - destruct A as [A A']. destruct (piece low b ends last Hw S) as [Lb [S' E]]. cbn [total]. rewrite Q2R_plus.
    assert (Sl' : forall w, In w losers -> separated b ends w = true).
    { intros w Hin. apply (piece low b ends w (P w Hin) (Sl w Hin)). }
    rewrite (IH pieces b) by (try assumption; lra).
    destruct (Qle_bool (b * last) 1).
    + rewrite (Rmin_left (Q2R low)), (Rmin_left (Q2R b)) by lra.
      assert (Ch : RInt f (Q2R low) (Q2R b) + RInt f (Q2R b) (/ Q2R last) = RInt f (Q2R low) (/ Q2R last)).
      { apply (RInt_Chasles f); apply integrable; assumption. }
      rewrite <- Ch. f_equal. rewrite Q2R_minus, !value_at, <- RInt_value. apply RInt_ext.
      intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. unfold f.
      rewrite value_times, value_scale, A by lra. f_equal.
      symmetry. apply (losers_agree low b); [lra | assumption|].
      intros w Hin. apply (piece low b ends w (P w Hin) (Sl w Hin)).
    + rewrite (Rmin_right (Q2R low)), (Rmin_right (Q2R b)) by lra. rewrite RInt_point, RMicromega.Q2R_0.
      unfold zero. simpl. ring.
Qed.

(** THEOREM. What the program says is the chance of the list. *)
Theorem one_shot_extracted : forall ends winners losers p, one_shot_rational ends winners losers = Some p ->
  Q2R p = one_shot (map Q2R winners) (map Q2R losers).
Proof.
  intros ends [|last earlier] losers p H; simpl in H.
  - injection H as <-. simpl. apply RMicromega.Q2R_1.
  - destruct (negb (Qle_bool last 0) && forallb (fun w => negb (Qle_bool w 0)) (earlier ++ losers) &&
      (separated 0 ends last && forallb (separated 0 ends) (earlier ++ losers)) && covered 0 ends last)%bool eqn:E;
      [|discriminate].
    injection H as <-. apply andb_prop in E. destruct E as [E Cov]. apply andb_prop in E. destruct E as [E S].
    apply andb_prop in E. destruct E as [Pl P]. apply andb_prop in S. destruct S as [Sl S].
    rewrite forallb_forall in P, S. apply positive_real in Pl.
    assert (Pos : forall w, In w (earlier ++ losers) -> 0 < Q2R w) by (intros w Hw; apply positive_real, P, Hw).
    rewrite red. rewrite (total_agrees last (map Q2R earlier)); try assumption.
    + rewrite RMicromega.Q2R_0, Rmin_left by (apply Rlt_le, Rinv_0_lt_compat; assumption). reflexivity.
    + intros w Hw. apply Pos, in_or_app. right. assumption.
    + rewrite RMicromega.Q2R_0. lra.
    + intros w Hw. apply S, in_or_app. right. assumption.
    + apply before_agrees; [| |reflexivity]; intros w Hw; [apply Pos | apply S]; apply in_or_app; left; assumption.
Qed.
