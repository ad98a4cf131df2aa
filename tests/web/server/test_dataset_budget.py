"""A request pays once, and no more than the budget, what is released of it and the share allow, whoever races."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.ledger import LedgerRequests, RequestSpends, Spend
from dpselect.web.server.errors import ConflictError, RefusalError
from dpselect.web.server.state import ServerState


def price(epsilon, mechanism: str = "permute-and-flip", count: int = 1) -> Spend:
    """Return a spend that protects one record."""
    return Spend(Guarantee(Fraction(epsilon), Neighbours.ADD_REMOVE), mechanism, count)


def raced(action, many: int) -> list[object]:
    """Return what eight threads got, in any order."""

    def caught(place: int) -> object:
        try:
            return action(place)
        except RefusalError as refused:
            return refused

    with ThreadPoolExecutor(8) as pool:
        return [*pool.map(caught, range(many))]


def test_a_request_pays_once(server_state) -> None:
    """Eight threads that pay for the same request get the same row."""
    account = server_state.datasets["survey"].account

    rows = raced(lambda _: account.pay("one", "ann", [price(1)], {}), 16)

    assert [[1]] * 16 == rows
    assert (1, Fraction(1)) == (account.ledger.totals.spends, account.ledger.totals.epsilon)


def test_a_race_for_the_allowance(server_state) -> None:
    """Ten are released, and ten of forty spends of two analysts go through."""
    account = server_state.datasets["survey"].account

    rows = raced(lambda place: account.pay(str(place), ("ann", "bob")[place % 2], [price(1)], {}), 40)

    assert 10 == sum(isinstance(row, list) for row in rows)
    assert Fraction(10) == account.ledger.totals.epsilon
    assert Fraction(0) == account.remaining().epsilon


def test_a_race_for_a_share(server_state) -> None:
    """Six are ann's, though more is released; what bob spends is not hers."""
    account = server_state.datasets["survey"].account
    account.pay("his", "bob", [price(3)], {})

    rows = raced(lambda place: account.pay(str(place), "ann", [price("1/2")], {}), 24)

    assert 12 == sum(isinstance(row, list) for row in rows)
    assert all("Your share does not allow" in str(row) for row in rows if not isinstance(row, list))
    assert (Fraction(0), Fraction(5)) == (account.left_to("ann").epsilon, account.left_to("bob").epsilon)


def test_sums_come_from_the_ledger(server_state, settings) -> None:
    """A server that starts again, or another program that spends, leaves no other book behind."""
    account = server_state.datasets["survey"].account
    account.pay("one", "ann", [price(4)], {})
    dps.Ledger.read(account.ledger.address).spend(price(5).guarantee, mechanism="by hand")
    server_state.close()

    again = ServerState.open(settings)
    try:
        account = again.datasets["survey"].account
        assert (Fraction(2), Fraction(1)) == (account.left_to("ann").epsilon, account.remaining().epsilon)
        with pytest.raises(RefusalError, match="What is released of this dataset does not allow this"):
            account.pay("two", "ann", [price(2)], {})
        assert [1] == account.pay("one", "ann", [price(4)], {})
    finally:
        again.close()


@pytest.mark.parametrize("other", [price(1), price(4, "exponential"), price(2, count=2)])
def test_a_row_pays_for_the_same_alone(server_state, other) -> None:
    """Another guarantee, mechanism or count is refused, and nothing is spent."""
    account = server_state.datasets["survey"].account
    account.pay("one", "ann", [price(4)], {})

    with pytest.raises(ConflictError):
        account.pay("one", "ann", [other], {})
    with pytest.raises(ConflictError):
        account.pay("one", "ann", [], {})
    assert 1 == account.ledger.totals.spends


def test_several_spends_are_paid_in_order(server_state) -> None:
    """Those that a crash left unpaid follow those that are there."""
    account = server_state.datasets["survey"].account
    spends = [price(1), price(2, "exponential"), price(1)]

    assert [1] == account.pay("one", "ann", spends[:1], {})
    assert [2] == account.pay("two", "ann", [price(1)], {})
    assert [1, 3, 4] == account.pay("one", "ann", spends, {})
    assert [1, 3, 4] == account.pay("one", "ann", spends, {})


def test_several_spends_are_all_paid_or_none(server_state) -> None:
    """The first is not lost where the second does not fit."""
    account = server_state.datasets["survey"].account

    with pytest.raises(RefusalError):
        account.pay("one", "ann", [price(5), price(2)], {})
    assert 0 == account.ledger.totals.spends


def test_nothing_is_spent_while_paused(server_state) -> None:
    """What was paid before is still paid."""
    account = server_state.datasets["survey"].account
    account.pay("one", "ann", [price(1)], {})
    server_state.standings.pause("survey", True, "carla")

    with pytest.raises(RefusalError, match="paused"):
        account.pay("two", "ann", [price(1)], {})
    assert [1] == account.pay("one", "ann", [price(1)], {})
    server_state.standings.pause("survey", False, "carla")
    assert [2] == account.pay("two", "ann", [price(1)], {})


def test_an_allowance_is_raised_to_the_budget_and_never_below_what_is_spent(server_state) -> None:
    """Each change is written down with who made it."""
    from dpselect.web.server.audit_log import changes

    account = server_state.datasets["survey"].account
    account.pay("one", "ann", [price(6)], {})

    with pytest.raises(RefusalError, match="budget of this dataset is 20 and never changes"):
        account.allow(Fraction(21), "carla")
    with pytest.raises(RefusalError, match="never below what was spent"):
        account.allow(Fraction(5), "carla")
    account.allow(Fraction(20), "carla")
    account.allow(Fraction(6), "carla")
    with pytest.raises(RefusalError):
        account.pay("two", "bob", [price("1/10")], {})

    made = [(each["who"], each["what"]) for each in changes(server_state.database, "survey")]
    assert [("carla", "allowance 10 became 20"), ("carla", "allowance 20 became 6")] == made[-2:]


def test_rhos_are_shared_too(server_state) -> None:
    """Shares and allowances follow the rule of the ledger."""
    account = server_state.datasets["visits"].account
    spend = Spend(Guarantee(Fraction(1, 2), Neighbours.PERSON), "permute-and-flip")
    most = account._terms(Fraction(4)).rho // spend.guarantee.rho

    for place in range(most):
        account.pay(str(place), "bob", [spend], {})
    with pytest.raises(RefusalError, match="Your share does not allow this: asked for rho"):
        account.pay("more", "bob", [spend], {})


def test_without_a_share_nothing_is_paid(server_state) -> None:
    """Also where somebody forgot to look before."""
    with pytest.raises(RefusalError, match="no share"):
        server_state.datasets["visits"].account.pay("one", "ann", [price(1)], {})


def test_a_payment_is_a_budget_for_any_function(server_state) -> None:
    """A release gets the row that was settled, once; what was not settled is refused."""
    account = server_state.datasets["survey"].account
    scores = dps.Scores([9, 1], 1, range_bound=1, kind="integer", neighbours="add-remove")
    settled = price(1, dps.select(scores, epsilon=1, mechanism="permute-and-flip").mechanism)

    for wrong in (False, True):
        payment = server_state.datasets["survey"].pay("one", "ann", [settled])
        assert [1] == payment.rows
        if wrong:
            with pytest.raises(dps.PrivacyError):
                dps.select(scores, epsilon=2, mechanism="permute-and-flip", ledger=payment)
        else:
            dps.select(scores, epsilon=1, mechanism="permute-and-flip", ledger=payment)
            payment.require_complete()
        with pytest.raises(dps.PrivacyError):
            dps.select(scores, epsilon=1, mechanism="permute-and-flip", ledger=payment)
        # Whoever has asked for another amount, too, is not answered: why they did may follow from rows.
        with pytest.raises(dps.PrivacyError, match="withheld"):
            payment.require_complete()

    (event,) = account.ledger.events
    assert {"request": "one", "analyst": "ann"}.items() <= event.metadata.items()
    assert server_state.datasets["survey"].description.metadata.items() <= event.metadata.items()


def test_a_publication_on_the_same_ledger_is_no_request_of_the_server(server_state) -> None:
    """Its rows count against budget and allowance, and a server that starts again does not miss its requests."""
    account = server_state.datasets["survey"].account
    metadata = {"publication": "p", "command": "publish income"}
    LedgerRequests(account.ledger).pay([RequestSpends("mine", [price(4)], metadata)])
    account.pay("one", "ann", [price(1)], {})

    assert {"one"} == account.requests()
    assert Fraction(5) == account.totals().epsilon == 10 - account.remaining().epsilon
    assert Fraction(1) == account.spent_by("ann").epsilon
