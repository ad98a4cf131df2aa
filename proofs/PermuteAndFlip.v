(** Permute-and-flip as an integral, and its privacy: weights that move by a factor of at most a move every probability
    by a^2 at most.

    Python: [dpselect.mechanisms.pmf.permute_and_flip]. *)
Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
Require Import Flips.
Import ListNotations.
Open Scope R_scope.

Fixpoint prod (l : list R) (x : R) : R := match l with [] => 1 | q :: l => (1 - q * x) * prod l x end.

Lemma continuous_prod : forall l x, continuous (prod l) x.
Proof.
  induction l as [|q l IH]; intros x; simpl.
  - apply continuous_const.
  - apply (continuous_mult (fun x => 1 - q * x) (prod l)); [|apply IH].
    apply (continuous_minus (fun _ => 1) (fun x => q * x)); [apply continuous_const|].
    apply (continuous_mult (fun _ => q) (fun x => x)); [apply continuous_const | apply continuous_id].
Qed.

Lemma prod_nonneg : forall l x, (forall q, In q l -> q * x <= 1) -> 0 <= prod l x.
Proof.
  induction l as [|q l IH]; intros x H; simpl; [lra|].
  apply Rmult_le_pos.
  - specialize (H q (or_introl eq_refl)). lra.
  - apply IH. intros r Hr. apply H. right. assumption.
Qed.

(** Weights v(s) > 0, coins v(s) / top with top the largest weight: the law of permute-and-flip. *)
Definition law (top v : R) (l : list R) : R := v * RInt (prod l) 0 (/ top).

Lemma prod_le : forall a l l' x, 0 < a -> 0 <= x ->
  Forall2 (fun v v' => v <= a * v') l l' -> (forall v', In v' l' -> v' * x <= 1) ->
  prod l' x <= prod l (x / a) /\ 0 <= prod l' x.
Proof.
  intros a l l' x Ha Hx H. induction H as [|v v' l l' Hv H IH]; intros Hs; simpl; [lra|].
  assert (Hv' : v' * x <= 1) by (apply Hs; left; reflexivity).
  destruct IH as [IH1 IH2]; [intros w Hw; apply Hs; right; assumption|].
  assert (v * (x / a) <= v' * x).
  { replace (v' * x) with (a * v' * (x / a)) by (field; lra). apply Rmult_le_compat_r; [|assumption].
    apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat. assumption. }
  split.
  - apply Rmult_le_compat; lra.
  - apply Rmult_le_pos; lra.
Qed.

(** THEOREM (permute-and-flip is private). If every weight moves by a factor of at most a = e^(epsilon/2) between
    neighbours, no probability moves by more than a^2 = e^epsilon. *)
Theorem permute_and_flip_private : forall a top top' v v' l l',
  1 <= a -> 0 < v -> 0 < top -> 0 < top' ->
  v' <= a * v -> Forall2 (fun w w' => w <= a * w') l l' -> top <= a * top' ->
  (forall w, In w l -> 0 <= w <= top) -> (forall w', In w' l' -> 0 <= w' <= top') -> 0 <= v' ->
  law top' v' l' <= a * a * law top v l.
Proof.
  intros a top top' v v' l l' Ha Hv Ht Ht' Hvv Hl Htt Hin Hin' Hv'0. unfold law.
  assert (Ex : forall l x y, ex_RInt (prod l) x y)
    by (intros; apply (ex_RInt_continuous (prod l0)); intros; apply continuous_prod).
  assert (It' : 0 < / top') by (apply Rinv_0_lt_compat; assumption).
  assert (It : 0 < / top) by (apply Rinv_0_lt_compat; assumption).
  assert (Iat : / top' <= a * / top).
  { apply (Rmult_le_reg_r (top * top')); [apply Rmult_lt_0_compat; assumption|].
    replace (/ top' * (top * top')) with top by (field; lra).
    replace (a * / top * (top * top')) with (a * top') by (field; lra). assumption. }
  (* Int_0^(1/top') prod l' <= Int_0^(1/top') prod l (x/a) = a Int_0^(1/(a top')) prod l <= a Int_0^(1/top) prod l *)
  assert (S1 : RInt (prod l') 0 (/ top') <= RInt (fun x => prod l (/ a * x + 0)) 0 (/ top')).
  { apply RInt_le; [lra | apply Ex | | ].
    - apply (ex_RInt_continuous (fun x => prod l (/ a * x + 0))). intros z _.
      apply (continuous_comp (fun x => / a * x + 0) (prod l)); [|apply continuous_prod].
      apply (continuous_plus (fun x => / a * x) (fun _ => 0)); [|apply continuous_const].
      apply (continuous_mult (fun _ => / a) (fun x => x)); [apply continuous_const | apply continuous_id].
    - intros x [Hx1 Hx2]. replace (/ a * x + 0) with (x / a) by (unfold Rdiv; ring).
      apply (prod_le a l l' x); [lra | lra | assumption |].
      intros w Hw. destruct (Hin' w Hw). apply (Rle_trans _ (top' * / top')); [|right; field; lra].
      apply Rmult_le_compat; lra. }
  assert (S2 : RInt (fun x => prod l (/ a * x + 0)) 0 (/ top') = a * RInt (prod l) 0 (/ a * / top')).
  { pose proof (RInt_comp_lin (prod l) (/ a) 0 0 (/ top')) as E.
    replace (/ a * 0 + 0) with 0 in E by ring. replace (/ a * / top' + 0) with (/ a * / top') in E by ring.
    rewrite <- (E (Ex l _ _)).
    rewrite (RInt_scal (fun x => prod l (/ a * x + 0)) 0 (/ top') (/ a)).
    - set (I := RInt (fun x => prod l (/ a * x + 0)) 0 (/ top')).
      change (I = a * (/ a * I)). rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. reflexivity.
    - apply (ex_RInt_continuous (fun x => prod l (/ a * x + 0))). intros z _.
      apply (continuous_comp (fun x => / a * x + 0) (prod l)); [|apply continuous_prod].
      apply (continuous_plus (fun x => / a * x) (fun _ => 0)); [|apply continuous_const].
      apply (continuous_mult (fun _ => / a) (fun x => x)); [apply continuous_const | apply continuous_id]. }
  assert (Hend : / a * / top' <= / top).
  { apply (Rmult_le_reg_l a); [lra|]. replace (a * (/ a * / top')) with (/ top') by (field; lra). assumption. }
  assert (S3 : RInt (prod l) 0 (/ a * / top') <= RInt (prod l) 0 (/ top)).
  { assert (Ia : 0 < / a) by (apply Rinv_0_lt_compat; lra).
    assert (0 <= / a * / top') by (apply Rmult_le_pos; lra).
    rewrite <- (RInt_Chasles (prod l) 0 (/ a * / top') (/ top) (Ex _ _ _) (Ex _ _ _)).
    assert (0 <= RInt (prod l) (/ a * / top') (/ top)).
    { apply RInt_ge_0; [assumption | apply Ex|]. intros x [Hx1 Hx2]. apply prod_nonneg.
      intros q Hq. destruct (Hin q Hq). apply (Rle_trans _ (top * / top)); [|right; field; lra].
      apply Rmult_le_compat; lra. }
    unfold plus. simpl. lra. }
  assert (P : 0 <= RInt (prod l) 0 (/ top)).
  { apply RInt_ge_0; [lra | apply Ex|]. intros x [Hx1 Hx2]. apply prod_nonneg.
    intros q Hq. destruct (Hin q Hq). apply (Rle_trans _ (top * / top)); [|right; field; lra].
    apply Rmult_le_compat; lra. }
  assert (S4 : RInt (prod l') 0 (/ top') <= a * RInt (prod l) 0 (/ top)).
  { rewrite S2 in S1. apply (Rle_trans _ _ _ S1). apply Rmult_le_compat_l; lra. }
  replace (a * a * (v * RInt (prod l) 0 (/ top))) with (a * v * (a * RInt (prod l) 0 (/ top))) by ring.
  apply (Rle_trans _ (v' * (a * RInt (prod l) 0 (/ top)))).
  - apply Rmult_le_compat_l; assumption.
  - apply Rmult_le_compat_r; [|assumption]. apply Rmult_le_pos; lra.
Qed.

(** ** The algorithm has this law *)
Lemma expect_pow : forall l y, expect l (fun h => y ^ h) = prod l (1 - y).
Proof.
  induction l as [|q l IH]; intros y; simpl; [reflexivity|].
  rewrite (expect_scale l y (fun h => y ^ h)), IH. ring.
Qed.

(** The integral of a falling function, from bounds on short pieces: no mean value theorem, so no excluded middle. *)
Section Falling.
  Variables f F : R -> R.
  Hypothesis continuous_f : forall x, continuous f x.
  Hypothesis falling : forall a b, 0 <= a -> a <= b -> b <= 1 -> f b <= f a.
  Hypothesis pieces : forall a b, 0 <= a -> a <= b -> b <= 1 -> f b * (b - a) <= F b - F a <= f a * (b - a).

  Lemma ex_falling : forall a b, ex_RInt f a b.
  Proof. intros. apply (ex_RInt_continuous f). intros. apply continuous_f. Qed.

  Lemma one_piece : forall a b, 0 <= a -> a <= b -> b <= 1 -> f b * (b - a) <= RInt f a b <= f a * (b - a).
  Proof.
    intros a b Ha Hab Hb.
    assert (C : forall k, RInt (fun _ => k) a b = k * (b - a))
      by (intros k; rewrite RInt_const; unfold scal; simpl; unfold mult; simpl; ring).
    rewrite <- !C. split; apply RInt_le; try assumption; try apply ex_falling; try apply ex_RInt_const;
      intros x Hx; apply falling; lra.
  Qed.

  Lemma many_pieces : forall n k, (0 < n)%nat -> (k <= n)%nat ->
    Rabs (RInt f 0 (INR k / INR n) - (F (INR k / INR n) - F 0)) <= (f 0 - f (INR k / INR n)) / INR n.
  Proof.
    intros n k Hn. assert (N : 0 < INR n) by (apply lt_0_INR; assumption).
    induction k as [|k IH]; intros Hk.
    - replace (INR 0 / INR n) with 0 by (simpl; field; lra). rewrite RInt_point. unfold zero. simpl.
      replace (0 - (F 0 - F 0)) with 0 by ring. rewrite Rabs_R0. right. field. lra.
    - set (a := INR k / INR n) in *. set (b := INR (S k) / INR n).
      assert (W : b - a = / INR n) by (unfold a, b; rewrite S_INR; field; lra).
      assert (I : 0 < / INR n) by (apply Rinv_0_lt_compat; assumption).
      assert (A : 0 <= a) by (apply Rmult_le_pos; [apply pos_INR | lra]).
      assert (B : b <= 1).
      { apply Rmult_le_reg_r with (INR n); [assumption|]. unfold b. replace (INR (S k) / INR n * INR n) with (INR (S k))
          by (field; lra). rewrite Rmult_1_l. apply le_INR. assumption. }
      assert (AB : a <= b) by lra.
      assert (Hk' : (k <= n)%nat) by lia. specialize (IH Hk').
      pose proof (one_piece a b A AB B) as P. pose proof (pieces a b A AB B) as Q. rewrite W in P, Q.
      pose proof (RInt_Chasles f 0 a b (ex_falling 0 a) (ex_falling a b)) as E. unfold plus in E. simpl in E.
      rewrite <- E. unfold Rdiv in IH |- *. apply Rabs_le_between in IH. apply Rabs_le_between. lra.
  Qed.

  Lemma RInt_falling : RInt f 0 1 = F 1 - F 0.
  Proof.
    assert (Z : forall n, (0 < n)%nat -> Rabs (RInt f 0 1 - (F 1 - F 0)) * INR n <= f 0 - f 1).
    { intros n Hn. assert (N : 0 < INR n) by (apply lt_0_INR; assumption).
      pose proof (many_pieces n n Hn (le_n n)) as M. replace (INR n / INR n) with 1 in M by (field; lra).
      apply Rmult_le_compat_r with (r := INR n) in M; [|lra].
      replace ((f 0 - f 1) / INR n * INR n) with (f 0 - f 1) in M by (field; lra). assumption. }
    set (g := Rabs (RInt f 0 1 - (F 1 - F 0))) in *.
    assert (G : 0 <= g) by apply Rabs_pos.
    destruct (Rle_lt_or_eq_dec 0 g G) as [L|L].
    - exfalso. assert (K : f 1 <= f 0) by (apply falling; lra).
      destruct (archimed_cor1 (g / (f 0 - f 1 + 1))) as [n [Hn N]]; [apply Rdiv_lt_0_compat; lra|].
      specialize (Z n N). assert (I : 0 < INR n) by (apply lt_0_INR; assumption).
      apply Rmult_lt_compat_r with (r := INR n * (f 0 - f 1 + 1)) in Hn; [|apply Rmult_lt_0_compat; lra].
      replace (/ INR n * (INR n * (f 0 - f 1 + 1))) with (f 0 - f 1 + 1) in Hn by (field; lra).
      replace (g / (f 0 - f 1 + 1) * (INR n * (f 0 - f 1 + 1))) with (g * INR n) in Hn by (field; lra). lra.
    - symmetry in L. unfold g in L. apply Rabs_eq_0 in L. lra.
  Qed.
End Falling.

Lemma powers : forall h p q, 0 <= p -> p <= q ->
  INR (S h) * p ^ h * (q - p) <= q ^ S h - p ^ S h <= INR (S h) * q ^ h * (q - p).
Proof.
  induction h as [|h IH]; intros p q Hp Hq; [simpl; lra|].
  destruct (IH p q Hp Hq) as [L U]. pose proof (pos_INR (S h)).
  assert (Pp : 0 <= p ^ S h) by (apply pow_le; assumption). assert (Pq : 0 <= q ^ h) by (apply pow_le; lra).
  assert (Pp' : 0 <= p ^ h) by (apply pow_le; assumption).
  assert (PQ : p ^ S h <= q ^ S h) by (apply pow_incr; lra).
  assert (PQ' : p ^ S h * (q - p) <= q ^ S h * (q - p)) by (apply Rmult_le_compat_r; lra).
  replace (q ^ S (S h) - p ^ S (S h)) with (q * (q ^ S h - p ^ S h) + p ^ S h * (q - p)) by (simpl; ring).
  assert (Lq : q * (INR (S h) * p ^ h * (q - p)) <= q * (q ^ S h - p ^ S h)) by (apply Rmult_le_compat_l; lra).
  assert (Uq : q * (q ^ S h - p ^ S h) <= q * (INR (S h) * q ^ h * (q - p))) by (apply Rmult_le_compat_l; lra).
  assert (Lp : p * (INR (S h) * p ^ h * (q - p)) <= q * (INR (S h) * p ^ h * (q - p))).
  { apply Rmult_le_compat_r; [|assumption]. apply Rmult_le_pos; [apply Rmult_le_pos; assumption | lra]. }
  rewrite (S_INR (S h)). rewrite <- !tech_pow_Rmult in *. split; nra.
Qed.

Lemma RInt_pow : forall h, is_RInt (fun x => (1 - x) ^ h) 0 1 (/ (INR h + 1)).
Proof.
  intros h. pose proof (pos_INR h).
  assert (C : forall x, continuous (fun x => (1 - x) ^ h) x).
  { intros x. induction h as [|h IH]; simpl; [apply continuous_const|].
    apply (continuous_mult (fun x => 1 - x) (fun x => (1 - x) ^ h)); [|apply IH; apply pos_INR].
    apply (continuous_minus (fun _ => 1) (fun x => x)); [apply continuous_const | apply continuous_id]. }
  assert (E : @eq R (RInt (fun x => (1 - x) ^ h) 0 1) (/ (INR h + 1))).
  - rewrite (RInt_falling (fun x => (1 - x) ^ h) (fun x => - (1 - x) ^ S h / (INR h + 1)) C).
    + replace (1 - 1) with 0 by ring. replace (1 - 0) with 1 by ring. rewrite pow1, pow_i by lia. field. lra.
    + intros a b Ha Hab Hb. apply pow_incr. lra.
    + intros a b Ha Hab Hb. destruct (powers h (1 - b) (1 - a)) as [L U]; try lra. rewrite S_INR in L, U.
      replace (- (1 - b) ^ S h / (INR h + 1) - - (1 - a) ^ S h / (INR h + 1))
        with (((1 - a) ^ S h - (1 - b) ^ S h) / (INR h + 1)) by (field; lra).
      replace (1 - a - (1 - b)) with (b - a) in L, U by ring.
      split; apply Rmult_le_reg_r with (INR h + 1); try lra;
        replace (((1 - a) ^ S h - (1 - b) ^ S h) / (INR h + 1) * (INR h + 1)) with ((1 - a) ^ S h - (1 - b) ^ S h)
          by (field; lra); lra.
  - rewrite <- E. apply (RInt_correct (fun x => (1 - x) ^ h)).
    apply (ex_RInt_continuous (fun x => (1 - x) ^ h)). intros. apply C.
Qed.

Lemma expect_RInt : forall l (g : nat -> R -> R) (r : nat -> R), (forall h, is_RInt (g h) 0 1 (r h)) ->
  is_RInt (fun x => expect l (fun h => g h x)) 0 1 (expect l r).
Proof.
  induction l as [|q l IH]; intros g r H; simpl; [apply H|].
  apply (is_RInt_plus (fun x => q * expect l (fun h => g (S h) x)) (fun x => (1 - q) * expect l (fun h => g h x))).
  - apply (is_RInt_scal (fun x => expect l (fun h => g (S h) x)) 0 1 q). apply IH. intros h. apply H.
  - apply (is_RInt_scal (fun x => expect l (fun h => g h x)) 0 1 (1 - q)). apply IH. assumption.
Qed.

Lemma flip_all_integral : forall p l, flip_all p l = p * RInt (prod l) 0 1.
Proof.
  intros p l. unfold flip_all. f_equal. symmetry. apply is_RInt_unique.
  apply (is_RInt_ext (fun x => expect l (fun h => (1 - x) ^ h))).
  - intros x _. rewrite expect_pow. f_equal. ring.
  - apply expect_RInt. apply RInt_pow.
Qed.

Lemma prod_map : forall top l x, prod (map (fun w => w / top) l) x = prod l (/ top * x + 0).
Proof.
  induction l as [|q l IH]; intros x; simpl; [reflexivity|]. rewrite IH. unfold Rdiv. f_equal. ring.
Qed.

(** THEOREM. Flip-all on coins v(s)/top has the law that [permute_and_flip_private] bounds. *)
Theorem flip_all_law : forall top v l, 0 < top ->
  flip_all (v / top) (map (fun w => w / top) l) = law top v l.
Proof.
  intros top v l Ht. rewrite flip_all_integral. unfold law.
  assert (Ex : forall x y, ex_RInt (prod l) x y)
    by (intros; apply (ex_RInt_continuous (prod l)); intros; apply continuous_prod).
  rewrite (RInt_ext _ (fun x => prod l (/ top * x + 0))) by (intros; apply prod_map).
  pose proof (RInt_comp_lin (prod l) (/ top) 0 0 1 (Ex _ _)) as E.
  replace (/ top * 0 + 0) with 0 in E by ring. replace (/ top * 1 + 0) with (/ top) in E by ring.
  rewrite <- E. rewrite (RInt_scal (fun x => prod l (/ top * x + 0)) 0 1 (/ top)).
  - set (I := RInt (fun x => prod l (/ top * x + 0)) 0 1).
    change (v / top * I = v * (/ top * I)). unfold Rdiv. ring.
  - apply (ex_RInt_continuous (fun x => prod l (/ top * x + 0))). intros z _.
    apply (continuous_comp (fun x => / top * x + 0) (prod l)); [|apply continuous_prod].
    apply (continuous_plus (fun x => / top * x) (fun _ => 0)); [|apply continuous_const].
    apply (continuous_mult (fun _ => / top) (fun x => x)); [apply continuous_const | apply continuous_id].
Qed.
