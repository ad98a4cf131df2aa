"""The checks of other libraries find the faults that were reported, in copies of the rules as described."""

import math
import re

import numpy as np
import pytest

from dpselect.audit import score_vectors
from dpselect.cli import main
from research import other_libraries
from research.other_libraries import finding, laws, rules
from research.other_libraries.diffprivlib_claims import exact_law
from research.other_libraries.finding import Check, Library, Outcome

SCORES = [2, 1, 0]
LAWS = {name: laws.noisy_max(name, 1) for name in ("permute-and-flip", "exponential")}
UNIVERSES = [score_vectors(2, 2), score_vectors(3, 2)]


def noisy_max(noise):
    """Return a rule that adds noise of scale 1 in floating point."""
    generator = np.random.default_rng(5)
    return lambda: int(np.argmax(SCORES + getattr(generator, noise)(size=3)))


def test_permute_and_flip_under_the_price_of_the_exponential_mechanism_is_found():
    """At scale 1 it loses epsilon = 2, and rho = 2^2 / 8 does not pay for it: two scores show that."""
    outcome = rules.selection(noisy_max("standard_exponential"), SCORES, LAWS, UNIVERSES, rho=0.5)

    assert not outcome.kept
    assert "follow permute-and-flip" in outcome.computed
    assert re.search(r"between \(\d, \d\) and \(\d, \d\)$", outcome.computed)
    assert laws.least_rho(UNIVERSES[0], lambda x: LAWS["permute-and-flip"](x, 1)).rho > 0.5


@pytest.mark.parametrize(("noise", "claim"), [("gumbel", {"rho": 0.5}), ("standard_exponential", {"epsilon": 2})])
def test_what_is_paid_for_is_kept(noise, claim):
    """The exponential mechanism is worth epsilon^2 / 8, and permute-and-flip epsilon."""
    assert rules.selection(noisy_max(noise), SCORES, LAWS, UNIVERSES, **claim).kept


def test_half_the_loss_is_not_believed():
    """Two scores that move either way lose twice what they lose when they move together."""
    outcome = rules.selection(noisy_max("standard_exponential"), SCORES, LAWS, UNIVERSES, epsilon=1)

    assert not outcome.kept
    assert "worst loss 2 for outcome 0 between (0, 2) and (1, 1)" in outcome.computed


def test_draws_that_follow_no_law_have_no_loss():
    """Neither law is that of normal noise."""
    outcome = rules.selection(noisy_max("standard_normal"), SCORES, LAWS, UNIVERSES, epsilon=2)

    assert not outcome.kept
    assert "no loss is computed" in outcome.computed


def held_back(from_the_threshold_on):
    """Return a threshold of 3 on a count of 1 with discrete Laplace noise of scale 1."""
    generator, q = np.random.default_rng(6), math.exp(-1)

    def draw():
        value = 1 + int(generator.geometric(1 - q) - generator.geometric(1 - q))
        return value if value > 3 or (from_the_threshold_on and value == 3) else None

    return draw


TAIL = sum(laws.discrete_laplace(1, v) for v in range(3, 60))


@pytest.mark.parametrize("on", [True, False])
def test_a_threshold_must_pay_for_the_count_at_the_threshold(on):
    """A delta that leaves out the threshold itself is right for the rule that leaves it out, and for no other."""
    outcome = rules.threshold(held_back(on), "laplace", 1.0, 3, "claim", TAIL * (1 + 1e-12), epsilon=1)

    assert outcome.kept is not on
    assert f"{TAIL + on * laws.discrete_laplace(1, 2):.4g}" in outcome.computed


def test_noise_on_integers_sums_to_one():
    """Both laws, to rounding."""
    for law in (laws.discrete_laplace, laws.discrete_gaussian):
        assert sum(law(1.5, z) for z in range(-60, 61)) == pytest.approx(1)


def test_a_choice_by_one_number_is_known_exactly():
    """An outcome that one number of 2^53 leads to has exactly that probability."""
    law = exact_law(lambda u: "a" if u <= 0.25 else "b" if u < 1 - 2**-53 else "c")

    assert law == {"a": 0.25 + 2**-53, "b": 0.75 - 2**-52, "c": 2**-53}


def test_a_library_that_is_missing_is_one_sentence(monkeypatch, capsys):
    """Status 2: nothing was done."""

    def missing(name):
        raise other_libraries.PackageNotFoundError(name)

    monkeypatch.setattr(other_libraries, "version", missing)

    assert main(["audit", "--of", "diffprivlib"]) == 2
    assert "diffprivlib is not installed, so there is nothing to audit" in capsys.readouterr().err


def test_a_library_that_does_not_import_is_one_sentence(monkeypatch):
    """Its own words are not shown."""

    def broken(name):
        raise ImportError(f"cannot import name 'DOUBLE' of {name}")

    monkeypatch.setattr(other_libraries, "version", lambda _: "0.6.6")
    monkeypatch.setattr(other_libraries, "import_module", broken)

    with pytest.raises(ImportError, match=r"diffprivlib 0\.6\.6 does not import with the packages beside it"):
        other_libraries.of("diffprivlib")


def test_the_command_prints_every_claim_and_what_was_not_tested(monkeypatch, capsys):
    """A broken claim is status 1."""
    peer = Library(
        "opendp",
        "9.9",
        [
            Check("make_one", "always", lambda: Outcome("epsilon = 1", "worst loss 1", True)),
            Check("make_two", "ever", lambda: Outcome("epsilon = 1", "worst loss 2", False)),
        ],
        ["Time."],
    )
    monkeypatch.setattr(other_libraries, "installed", lambda _: peer)

    assert main(["audit", "--of", "opendp"]) == 1
    printed = capsys.readouterr().out
    assert "opendp 9.9: 1 claims kept, 1 broken, 0 not run." in printed
    assert "BROKEN   make_two: ever\n         claims epsilon = 1; worst loss 2" in printed
    assert printed.rstrip().endswith("Not tested:\n- Time.")
    assert main(["audit", "--of", "opendp", "make_one", "--json"]) == 0
    assert '"verdict": "kept"' in capsys.readouterr().out
    assert main(["audit", "--of", "opendp", "make_three"]) == 2
    assert main(["audit", "--of", "opendp", "--html", "page.html"]) == 2


def test_nothing_begins_after_the_time_is_up():
    """What did not run has no claim and no verdict."""
    peer = Library("opendp", "9.9", [Check("make_one", "always", lambda: pytest.fail("it ran"))], [])
    (only,) = other_libraries._findings(peer, peer.checks, 0)

    assert (only.verdict, only.claim, only.computed) == ("not run", "", "")
    printed = finding.text(peer, [only])
    assert "not run  make_one: always" in printed
    assert "1 of 1 claims were not run, as the time was up: make_one." == printed.splitlines()[1]
