"""An account of the provider is one user here, with one role, from the first time on."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from dpselect.web.server.openid.login_errors import NoRoleError


def claims(**more) -> dict[str, object]:
    """Return verified claims of an account."""
    return {"sub": "1", "preferred_username": "dora", "groups": ["asking"]} | more


def test_a_user_is_added_once(authenticator, server_state) -> None:
    """With the role of the group; who did it is written down."""
    first = authenticator.accounts.user_of(claims())
    assert ("dora", "analyst") == (first.name, first.role)
    assert first == authenticator.accounts.user_of(claims())
    with server_state.database.reading() as statements:
        notes = [
            row["what"] for row in statements.rows("SELECT what FROM audit_log WHERE who = 'openid' ORDER BY made")
        ]
    assert 2 == len(notes)
    assert {"added analyst dora", f"let in dora by an account of {authenticator.registration.issuer}"} == {*notes}


def test_an_account_stays_its_user(authenticator) -> None:
    """Whatever it is called later; and its old name goes to nobody else."""
    assert "dora" == authenticator.accounts.user_of(claims()).name
    assert "dora" == authenticator.accounts.user_of(claims(preferred_username="bob")).name
    with pytest.raises(NoRoleError, match="another account"):
        authenticator.accounts.user_of(claims(sub="2"))
    with pytest.raises(NoRoleError, match="another account"):
        authenticator.accounts.user_of(claims(sub="2", preferred_username="DORA"))


def test_users_that_are_known_may_come(authenticator) -> None:
    """A curator adds them with shares before, and the first account of that name is theirs."""
    assert "ann" == authenticator.accounts.user_of(claims(preferred_username="ann")).name
    assert (
        "curator"
        == authenticator.accounts.user_of(claims(sub="c", preferred_username="carla", groups=["keeping"])).role
    )


def test_a_role_never_changes(authenticator) -> None:
    """Neither that of a user who was here before, nor that of an account that is known."""
    with pytest.raises(NoRoleError, match="another role"):
        authenticator.accounts.user_of(claims(preferred_username="ann", groups=["keeping"]))
    with pytest.raises(NoRoleError, match="another role"):
        authenticator.accounts.user_of(claims(preferred_username="carla"))
    assert "analyst" == authenticator.accounts.user_of(claims()).role
    with pytest.raises(NoRoleError, match="another role"):
        authenticator.accounts.user_of(claims(groups=["keeping"]))


@pytest.mark.parametrize(
    "groups", [[], None, "curator", ["Keeping"], ["keeping "], {"keeping": 1}, [["keeping"]], "keeping asking", 1]
)
def test_other_groups_are_no_roles(authenticator, groups) -> None:
    """Letter by letter, in a list or alone, and nothing else."""
    with pytest.raises(NoRoleError, match="in no group"):
        authenticator.accounts.user_of(claims(groups=groups))


def test_a_group_may_stand_alone_or_deeper(authenticator_of) -> None:
    """A claim within claims is named by the way to it."""
    told = {"roles": {"claim": ["realm", "roles"], "analyst": ["asking"]}}
    assert "dora" == authenticator_of(**told).accounts.user_of(claims(realm={"roles": "asking"})).name
    for realm in (None, [], "roles", {"roles": None}):
        with pytest.raises(NoRoleError):
            authenticator_of(**told).accounts.user_of(claims(realm=realm))


def test_both_roles_are_none(authenticator) -> None:
    """Which of them it should be is not guessed."""
    with pytest.raises(NoRoleError, match="curator and as analyst"):
        authenticator.accounts.user_of(claims(groups=["asking", "keeping"]))


def test_where_only_analysts_come_there_is_no_curator(authenticator_of) -> None:
    """Whatever the provider lists a user as."""
    told = {"roles": {"claim": "groups", "analyst": ["asking"]}}
    for name in ("carla", "dora"):
        with pytest.raises(NoRoleError):
            authenticator_of(**told).accounts.user_of(claims(preferred_username=name, groups=["keeping", "curator"]))
    assert "analyst" == authenticator_of(**told).accounts.user_of(claims(groups=["asking", "keeping"])).role


def test_without_roles_only_known_analysts_come(authenticator_of) -> None:
    """Nobody is added, and no curator comes in this way."""
    authenticator = authenticator_of(roles=None)
    assert "ann" == authenticator.accounts.user_of(claims(preferred_username="ann")).name
    for name in ("carla", "dora"):
        with pytest.raises(NoRoleError, match="knows no analyst"):
            authenticator.accounts.user_of(claims(sub=name, preferred_username=name))


@pytest.mark.parametrize(
    "name",
    ["", " dora", "dora\n", "do ra", "dörá", "\u212aim", "a.b", "a/../b", "-a", "a" * 64, "x'; --", "a\x00", 7, None],
)
def test_an_odd_name_is_refused(authenticator, server_state, name) -> None:
    """Nothing of it is changed to fit, and nobody is added."""
    with pytest.raises(NoRoleError, match="gives you no name"):
        authenticator.accounts.user_of(claims(preferred_username=name))
    with server_state.database.reading() as statements:
        assert 3 == len(statements.rows("SELECT name FROM users"))


def test_capitals_become_small_and_an_ending_goes(authenticator_of) -> None:
    """Only the ending that the settings name; and an address must be verified."""
    authenticator = authenticator_of(user="email", suffix="@Example.org")
    assert "dora" == authenticator.accounts.user_of(claims(email="Dora@example.ORG", email_verified=True)).name
    for email in ("eve@elsewhere.org", "eve", "eve@example.org@example.org"):
        with pytest.raises(NoRoleError, match="gives you no name"):
            authenticator.accounts.user_of(claims(sub=email, email=email, email_verified=True))
    for verified in (False, None, "true"):
        with pytest.raises(NoRoleError, match="not verified"):
            authenticator.accounts.user_of(claims(sub="3", email="eve@example.org", email_verified=verified))


def test_two_accounts_of_one_name_at_once(authenticator) -> None:
    """One of them is the user; the other is refused, whoever was first."""

    def come(subject: str) -> str:
        try:
            return authenticator.accounts.user_of(claims(sub=subject)).name
        except NoRoleError:
            return "refused"

    with ThreadPoolExecutor(8) as pool:
        came = [*pool.map(come, map(str, range(8)))]
    assert Counter({"refused": 7, "dora": 1}) == Counter(came)
