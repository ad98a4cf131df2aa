"""Faults planted in the library's own code, one small change of one function each, and who must notice.

A change is named by its function and by what it replaces, so that it survives when files move.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes:
        name: what is wrong, in a few words.
        function: module:qualified name.
        old, new: what is replaced, found exactly once in the function.
        claims: the claims of ``dpselect audit`` that must notice, as "name on subject"; they alone are run.
        tests: the tests that must notice; they alone are run.
        harmless: whether nothing is wrong, so that no claim may speak.
    """

    name: str
    function: str
    old: str
    new: str
    claims: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    harmless: bool = False


MEDIANS = tuple(f"published.median, {n} records on published.median, {n} records" for n in (2, 3, 4))
PERCENTILES = tuple(f"published.percentile, p={p} on published.percentile, p={p}" for p in (25, 50, 90))

MUTANTS = (
    Mutant(
        "top_k draws each of its picks at the whole epsilon",
        "dpselect.release.select:release_of",
        "total if k == 1 else total / k",
        "total",
        ("top-k, exponential on law of released pairs", "top-k, permute-and-flip on law of released pairs"),
        ("tests/release/test_select.py::test_released_lists_follow_the_peeled_law_at_the_stated_epsilon",),
    ),
    Mutant(
        "smooth bounds look at the first 64 distances only",
        "dpselect.scores.smooth_weights:largest",
        "        if best >=",
        "        if start >= 64 or best >=",
        (
            "smooth-noisy-max on jumps at distances 60 to 204",
            "smooth-private-selection on jumps at distances 60 to 204",
        ),
        ("tests/scores/test_sensitivity.py::test_a_late_jump_counts_wherever_it_is",),
    ),
    Mutant(
        "smooth noisy max pays the dilation of two candidates for any number",
        "dpselect.mechanisms.smooth.joint:down",
        "downwards(tail, candidates)",
        "downwards(tail, 2)",
        ("smooth-noisy-max on 100,000 candidates",),
        ("tests/mechanisms/test_smooth_noisy_max.py::test_no_search_finds_a_violation",),
    ),
    Mutant(
        "the cost of a growing scale is half of what is certified",
        "dpselect.mechanisms.smooth.dilation:downwards",
        "return min(costs)",
        "return min(costs) / 2",
        (),
        ("tests/mechanisms/test_dilation.py::test_the_cost_is_above_that_of_a_common_gap_and_not_far",),
    ),
    Mutant(
        "joint accounting takes a slide for a gain",
        "dpselect.mechanisms.smooth.joint:_Gaps._slides",
        "moved - self.losses",
        "self.losses - moved",
        (),
        ("tests/mechanisms/test_joint.py::test_no_search_finds_a_violation",),
    ),
    Mutant(
        "joint accounting lets the scale shrink by half of e^beta",
        "dpselect.mechanisms.smooth.joint:_Gaps.dilations",
        "math.exp(-beta)",
        "math.exp(-beta / 2)",
        (),
        ("tests/mechanisms/test_joint.py::test_no_search_finds_a_violation",),
    ),
    Mutant(
        "a zero that is safe for T steps is dampened to 2 T",
        "dpselect.mechanisms.local_dampening:dampen",
        "SIGNS[zero] * leading_zeros",
        "2 * SIGNS[zero] * leading_zeros",
        (
            "local-dampening on zeros that face each other, best",
            "local-dampening-flip on zeros that face each other, worst",
        ),
        ("tests/mechanisms/test_signed_zero.py::test_neighbours_are_at_most_one_unit_apart",),
    ),
    Mutant(
        "a dampened score is one step too high",
        "dpselect.mechanisms.local_dampening:_within",
        "stretch.start + low",
        "stretch.start + low + 1",
        tests=("tests/proofs/test_vectors.py::test_dampened_scores_agree_with_the_reference",),
    ),
    Mutant(
        "a proposal is accepted by the lower end of V",
        "dpselect.kernel.samplers.heavy_families:Family.decide",
        "(v + 1) * c.numerator",
        "v * c.numerator",
        tests=("tests/proofs/test_vectors.py::test_decisions_agree_with_the_reference",),
    ),
    Mutant(
        "a release that was begun is not counted",
        "dpselect.kernel.budget:Allowance._after",
        "-((here - count) // many)",
        "(count - here) // many",
        tests=("tests/proofs/test_vectors.py::test_what_draws_leave_agrees_with_the_reference",),
    ),
    Mutant(
        "the sign of zero is read from the scores",
        "dpselect.mechanisms.local_dampening:damped",
        "scores.zero)",
        "'worst' if scores.values.max() > 0 else 'best')",
        (
            "local-dampening on zeros that face each other, worst",
            "local-dampening-flip on zeros that face each other, worst",
        ),
        ("tests/mechanisms/test_signed_zero.py::test_the_exact_loss_is_at_most_epsilon",),
    ),
    Mutant(
        "a zero is safe for a step more than it is",
        "dpselect.mechanisms.local_dampening:_probe",
        "[0] > 0",
        "[0] > 1",
        (),
        ("tests/mechanisms/test_signed_zero.py::test_every_candidate_has_its_own_zeros",),
    ),
    Mutant(
        "light-tailed noise on a moving scale has no clip",
        "dpselect.mechanisms.smooth.clip:_log_law",
        "float(clip(int(counts.sum())))",
        "np.inf",
        tuple(
            f"smooth-noisy-max, {noise} on hopeless candidates on a moving scale"
            for noise in ("exponential", "laplace")
        ),
        ("tests/mechanisms/test_light_noise.py::test_the_exact_loss_is_at_most_epsilon",),
    ),
    Mutant(
        "no coin is clipped",
        "dpselect.kernel.samplers.clipped_flip:clipped_flip",
        "min(-(-clip // rate), _BEYOND)",
        "_BEYOND",
        (),
        ("tests/kernel/test_clipped_flip.py",),
    ),
    Mutant(
        "the clip is paid for as if it were two thirds as deep",
        "dpselect.mechanisms.smooth.clip:calibrate",
        "phi * epsilon / clip(candidates)",
        "phi * epsilon / (clip(candidates) * 2 / 3)",
        (),
        ("tests/mechanisms/test_light_tail_searches.py::test_the_clip_is_nearly_used_up",),
    ),
    Mutant(
        "a delta is shared by two candidates, however many there are",
        "dpselect.mechanisms.smooth.light_tails:_lost_exponential",
        "Fraction(m - 1, 2)",
        "Fraction(1, 2)",
        (),
        ("tests/mechanisms/test_light_tail_searches.py::test_exponential_noise_uses_its_delta_up",),
    ),
    Mutant(
        "the span of floored ticks lacks its margin",
        "dpselect.kernel.units:floor_ticks",
        "range_bound * TICKS + 2)",
        "range_bound * TICKS)",
        ("local-dampening on floats near the clip", "local-dampening-flip on floats near the clip"),
        ("tests/scores/test_scores.py::test_exact_scores_have_no_margin_and_floats_have_two_ticks",),
    ),
    Mutant(
        "the span of scores measured from the best lacks its margin",
        "dpselect.mechanisms.gaps:gap_ticks",
        "_SPANS[range_bound]",
        "_SPANS[range_bound] - 3",
        ("exponential on floats off the grid", "permute-and-flip on floats off the grid"),
        ("tests/contracts/test_every_claim.py::test_each_claim_holds[exponential on floats off the grid]",),
    ),
    Mutant(
        "gaps of integers are subtracted as floats",
        "dpselect.mechanisms.generalised_exponential:_effective",
        "separate(scores.values, bounds",
        "separate(scores.values.astype(np.float64), bounds",
        ("generalised-exponential on integers beyond 2^53",),
        ("tests/contracts/test_hostile_numbers.py::test_no_number_breaks_the_promise[generalised-exponential]",),
    ),
    Mutant(
        "the generalised exponential mechanism keeps range bound 1",
        "dpselect.mechanisms.generalised_exponential:_effective",
        "range_bound=2",
        "range_bound=scores.range_bound",
        ("generalised-exponential on all scores rise, bounds apart",),
        ("tests/mechanisms/test_generalised_exponential.py",),
    ),
    Mutant(
        "the inverse sensitivity mechanism keeps range bound 1",
        "dpselect.mechanisms.inverse_sensitivity:_effective",
        "range_bound=2",
        "range_bound=scores.range_bound",
        ("inverse-sensitivity on all scores rise, distances",),
        ("tests/mechanisms/test_inverse_sensitivity.py",),
    ),
    Mutant(
        "the spread of Pareto scores has no margin for floats",
        "dpselect.scores.pareto_sensitivity:_Part._edges",
        "share * (np.abs(self.values) + far)",
        "0.0",
        ("pareto, tenths on pareto, tenths",),
        ("tests/scores/test_combine.py::test_composed_sensitivities_are_admissible",),
    ),
    Mutant(
        "a term of the median's sensitivity is one step late",
        "dpselect.published.median:_terms",
        "w[m + t]",
        "w[m + t - 1]",
        MEDIANS,
        ("tests/published/test_median.py::test_the_sensitivity_is_exact_on_every_vector",),
    ),
    Mutant(
        "a percentile is said to be safe for one step too many",
        "dpselect.published.percentile:safe_steps",
        "math.floor(size - below / share) + 1",
        "math.floor(size - below / share) + 2",
        PERCENTILES,
        ("tests/published/test_percentile.py",),
    ),
    Mutant(
        "several percentiles pay for one level too few",
        "dpselect.release.quantiles:release_of",
        "len(shares).bit_length()",
        "max(1, len(shares).bit_length() - 1)",
        ("quantiles on law of three percentiles",),
        ("tests/release/test_quantiles.py::test_the_exact_loss_is_at_most_epsilon",),
    ),
    Mutant(
        "heavy tails are accepted against a constant below the largest ratio",
        "dpselect.kernel.samplers.heavy_families:family",
        "Fraction(729, 500)",
        "Fraction(5, 4)",
        (),
        (
            "tests/kernel/test_heavy_tails.py::test_no_ratio_is_above_one",
            "tests/kernel/test_heavy_tails.py::test_the_law_of_two_is_enclosed_by_what_integers_decide",
        ),
    ),
    Mutant(
        "heavy tails draw all bits of an accepted proposal again",
        "dpselect.kernel.samplers.heavy_tails:_noise",
        "prefixes.append(k[accepted])",
        'prefixes.append(np.frombuffer(entropy(8 * accepted.size), dtype="<u8").astype(np.int64) & (2**53 - 1))',
        (),
        ("tests/kernel/test_heavy_tails.py::test_draws_follow_the_law",),
    ),
    Mutant(
        "heavy tails draw those bits again that helped to decide",
        "dpselect.kernel.samplers.heavy_tails:_noise",
        "known[i] = prefix, bits",
        "known[i] = int(k[i]), PREFIX",
        (),
        ("tests/kernel/test_heavy_tails.py::test_a_prefix_of_zero_is_settled_and_keeps_its_bits",),
    ),
    Mutant(
        "real scores with a smooth bound do not pay for their ticks",
        "dpselect.mechanisms.smooth.scale:weigh",
        "Fraction(4, scores.range_bound)",
        "Fraction(0)",
        (),
        ("tests/mechanisms/test_exact_scale.py::test_moves_of_ticks_fit_into_the_bound_exactly",),
    ),
    Mutant(
        "random bytes have a fixed start",
        "dpselect.kernel.coins:new_entropy",
        "reset_nonce(os.urandom(16))",
        "reset_nonce(bytes(16))",
        ("coins, streams on 64 draw calls",),
        ("tests/kernel/test_coins.py::test_fresh_streams_differ",),
    ),
    Mutant(
        "a coin that is not decided yet shows heads",
        "dpselect.kernel.coins:flip",
        "certain[i] = settle(int(gaps[at]), rate, int(prefix[at]), entropy)",
        "certain[i] = at >= 0",
        ("coins, undecided on 3000 coins by exact fractions",),
        ("tests/kernel/test_coins.py::test_flip_agrees_with_exact_arithmetic_on_every_prefix",),
    ),
    Mutant(
        "ordinals among those that remain are off by one",
        "dpselect.kernel.samplers.grouped:peel",
        "gone <= ordinal",
        "gone < ordinal",
        ("groups, peeled on every triple of two groups",),
        ("tests/kernel/test_grouped.py::test_ordinals_run_through_every_order_once",),
    ),
    Mutant(
        "top_k draws before it spends",
        "dpselect.release.opened:door_to",
        "if book is not None",
        "if outcomes().uniform(__import__('numpy').array([2])).size and book is not None",
        ("top-k, exponential on law of released pairs",),
        ("tests/contracts/test_spends_come_first.py",),
    ),
    Mutant(
        "default trees halve the sensitivity of their criterion",
        "dpselect.learn.default:DPTreeClassifier._planned",
        "row_scores_misclassified, BOUND",
        "row_scores_misclassified, __import__('dpselect').Bound(1)",
        (),
        ("tests/learn/test_transcripts.py::test_a_default_tree_that_believes_in_half_the_sensitivity_is_found",),
    ),
    Mutant(
        "a hierarchy of counts is drawn as if a record were in one block of all",
        "dpselect.histograms.hb:measured",
        "ONE.times(len(levels))",
        "ONE",
        (),
        ("tests/histograms/test_exact_loss.py::test_linear_measurements_lose_exactly_epsilon",),
    ),
    Mutant(
        "wavelets forget that the total moves",
        "dpselect.histograms.privelet:_moved",
        "(side - 1).bit_length() + 1",
        "max(1, (side - 1).bit_length())",
        (),
        ("tests/histograms/test_exact_loss.py::test_linear_measurements_lose_exactly_epsilon",),
    ),
    Mutant(
        "a partition is drawn for the move of one cost, though two are compared",
        "dpselect.release.draws:Draws.partition",
        "bound.times(2)",
        "bound.times(1)",
        (),
        (
            "tests/audit/test_recorded.py::test_a_partition_loses_what_two_costs_move_apart",
            "tests/histograms/test_partition.py::test_the_law_of_two_cells",
        ),
    ),
    Mutant(
        "bounded range pays for draws that have none",
        "dpselect.release.draws:Draws._take",
        "self._allowance.ranged and not ranged",
        "False",
        (),
        ("tests/release/test_opened.py::test_bounded_range_pays_for_draws_that_have_it",),
    ),
    Mutant(
        "draws forget the delta of what they draw",
        "dpselect.release.draws:Draws._pay",
        "delta=promise.delta",
        "delta=Fraction(0)",
        (),
        ("tests/release/test_deltas.py::test_draws_take_no_more_delta_than_was_paid",),
    ),
    Mutant(
        "one draw may cost as much as several releases that were counted",
        "dpselect.release.opened:door_to",
        "share, guarantee.neighbours, releases,",
        "share * releases, guarantee.neighbours, 1,",
        (),
        ("tests/release/test_opened.py::test_releases_that_were_counted_are_drawn_one_by_one",),
    ),
    Mutant(
        "a histogram draws half of what was paid",
        "dpselect.histograms.release:released",
        "estimate(cells, exact, draws)",
        "estimate(cells, exact / 2, draws)",
        (),
        ("tests/histograms/test_what_is_drawn.py::test_nothing_is_left",),
    ),
    Mutant(
        "an option of a choice maker releases without paying",
        "dpselect.chooser.choice_maker:ChoiceMaker._answered",
        "with draws.paying():",
        "with __import__('dpselect.kernel.budget').kernel.budget.paying_from(None):",
        (),
        ("tests/chooser/test_paying.py::test_options_that_take_more_get_nothing",),
    ),
    Mutant(
        "a metafeature is drawn as if it moved half as far",
        "dpselect.chooser.metafeature:Metafeature.noisy",
        "Bound(moved, neighbours)",
        "Bound(Fraction(moved) / 2, neighbours)",
        (),
        ("tests/chooser/test_metafeature.py::test_the_noise_of_a_metafeature_hides_its_sensitivity",),
    ),
    Mutant(
        "an audit of transcripts forgives the noise of counts",
        "dpselect.audit.recorded:Repetition.noisy",
        "self.loss += rate *",
        "self.loss += 0 * rate *",
        (),
        (
            "tests/audit/test_recorded.py::test_noise_loses_its_rate_times_the_distance",
            "tests/contracts/test_the_auditor_can_fail.py",
        ),
    ),
    Mutant(
        "a leaf takes what the trees after it will draw with",
        "dpselect.learn.builder:grow",
        "here.left - others",
        "here.left",
        (),
        ("tests/learn/test_transcripts.py::test_the_path_that_pays_most_leaves_nothing[forest, shared budget]",),
    ),
    Mutant(
        "forests halve the bound of a leaf's counts",
        "dpselect.learn.forest:label_by_counts",
        "epsilon, ONE)",
        "epsilon, __import__('dpselect').Bound(epsilon / (2 * epsilon)))",
        (),
        ("tests/learn/test_transcripts.py::test_no_transcript_loses_more_than_epsilon[forest, labels-epsilon0]",),
    ),
    Mutant(
        "the rho of a pure promise is halved",
        "dpselect.kernel.guarantee:Guarantee.rho",
        "if self.bounded_range else 2)",
        "if self.bounded_range else 4)",
        (),
        ("tests/kernel/test_guarantee.py::test_a_pure_promise_keeps_its_rho_and_not_a_smaller_one",),
    ),
    Mutant(
        "every pure promise counts as one of bounded range",
        "dpselect.kernel.guarantee:Guarantee.rho",
        "(8 if self.bounded_range else 2)",
        "8",
        (),
        ("tests/kernel/test_guarantee.py::test_permute_and_flip_does_not_keep_a_quarter",),
    ),
    Mutant(
        "a list of several claims the bounded range of one draw",
        "dpselect.release.select:of_list",
        "bounded_range=False",
        "bounded_range=each.bounded_range",
        (),
        ("tests/release/test_select.py::test_lists_of_several_claim_no_bounded_range",),
    ),
    Mutant(
        "an (epsilon, delta) promise counts as a pure one by rho",
        "dpselect.kernel.guarantee:Guarantee.rho",
        "if self.delta:",
        "if self.delta < 0:",
        (),
        ("tests/kernel/test_guarantee.py::test_three_kinds_of_promise",),
    ),
    Mutant(
        "the epsilon of a rho forgets ln(1/delta)",
        "dpselect.kernel.concentrated:epsilon_of",
        "up.divide(log, beta)",
        "up.divide(one, beta)",
        (),
        ("tests/kernel/test_guarantee.py::test_gaussian_noise_keeps_the_epsilon_that_its_rho_states",),
    ),
    Mutant(
        "the epsilon of a rho is rounded down",
        "dpselect.kernel.concentrated:epsilon_of",
        "_context(_SHOWN, ROUND_CEILING)",
        "_context(_SHOWN, ROUND_FLOOR)",
        (),
        ("tests/kernel/test_guarantee.py::test_the_conversion_is_the_best_of_all_orders_and_rounded_up",),
    ),
    Mutant(
        "the ledger drops the delta that a concentrated release states",
        "dpselect.ledger.accountant:Totals.after",
        "event.count * event.delta",
        "event.count * (Fraction(0) if event.rho else event.delta)",
        (),
        ("tests/ledger/test_accountant.py::test_sums_of_all_kinds_are_exact_for_every_list_of_three",),
    ),
    Mutant(
        "a ledger that adds rhos counts nothing for an (epsilon, delta) release",
        "dpselect.ledger.accountant:Terms.admit",
        'if self.rule == "rho" and not event.has_rho:',
        'if self.rule == "rho" and not event.epsilon:',
        (),
        ("tests/ledger/test_accountant.py::test_a_budget_by_rho_adds_pure_and_concentrated_releases",),
    ),
    Mutant(
        "rows that are read from a file lose the rho that they state",
        "dpselect.ledger.chain:Tail.follow",
        "rho=None if rho is None else Fraction(rho)",
        "rho=None",
        (),
        ("tests/ledger/test_format_1.py::test_concentrated_releases_go_into_an_old_ledger",),
    ),
    Mutant(
        "a spend leaves an old ledger at format 1",
        "dpselect.ledger.store:Ledger.spend",
        '"UPDATE terms SET format = ? WHERE format < ?", (FORMAT, FORMAT)',
        '"UPDATE terms SET format = ? WHERE format < ?", (FORMAT, 1)',
        (),
        ("tests/ledger/test_format_1.py::test_the_first_spend_makes_it_format_2_and_keeps_every_row",),
    ),
    Mutant(
        "the median's reach is one step early, which is admissible",
        "dpselect.published.median:sensitivity_of_records",
        "(size + 1) // 2 + 1",
        "(size + 1) // 2",
        MEDIANS,
        harmless=True,
    ),
)
