"""dpselect plan with several releases: each as its own dry run says, added up against a ledger; nothing is spent."""

from __future__ import annotations

import json
import shlex
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main

AGES = "percentile people.csv --column age --p 50 --lower 0 --upper 120"
RELEASES = [
    AGES,
    "quantiles people.csv --column age --p 25 50 75 --lower 0 --upper 120",
    "quantiles people.csv --column age --p 25 75 --lower 0 --upper 120 --method tree",
    "median people.csv --column age --lower 0 --upper 120 --step 0.5 --mechanism exponential",
    "most-common events.csv --person user --item item --domain a,b,c --k 2",
    "most-common events.csv --person user --item item --delta 1e-6 --kept 3",
    "keys events.csv --person user --key item --keys-per-person 2 --delta 1e-6",
    "above counts.csv --threshold 10 --positives 2",
    "select counts.csv --kind integer --candidate name --score count --sensitivity 1 --domain rows --k 2",
    "top-k edges.csv --nodes 9 --metric degree --k 2",
    "top-k edges.csv --nodes 9 --metric open-pairs --max-degree 4 --k 2",
    "top-k lesmis --metric degree --k 2",
    "snp study.csv --families 100",
    "train people.csv --target job --domains domains.toml --out model.json",
]
PLACES = "--by place --groups n,s"
# Of counts, of groups and of persons: what is public is in the command, or in the names of scores.
GROUPED = [
    "counts visits.csv --column job --domain nurse,cook,clerk",
    "counts visits.csv --column age --lower 0 --upper 120 --step 10 --negative clip",
    f"counts visits.csv --column age --bins 0 18 65 {PLACES} --person who --rows-per-person 2",
    f"percentile visits.csv --column age --p 50 --lower 0 --upper 120 {PLACES}",
    f"quantiles visits.csv --column age --p 25 50 --lower 0 --upper 120 {PLACES} --person who --rows-per-person 2",
    f"median visits.csv --column age --lower 0 --upper 120 {PLACES} --person who",
    "median visits.csv --column age --lower 0 --upper 120 --person who --rows-per-person 3",
    f"most-common visits.csv --person who --item job --domain nurse,cook {PLACES} --groups-per-person 2",
    f"most-common visits.csv --person who --item job --domain nurse,cook {PLACES} --groups-per-person 1",
    f"select scores.csv --kind integer --candidate name --score score --sensitivity 1 --domain rows {PLACES}",
    "select scores.csv --kind integer --candidate name --score score --sensitivity 1 --domain rows "
    f"{PLACES} --neighbours person --groups-per-person 2",
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with small tables."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age,job\n30,nurse\n40,cook\n50,nurse\n")
    Path("events.csv").write_text("user,item\n1,a\n2,b\n")
    Path("counts.csv").write_text("name,count\nx,100\ny,3\nz,4\n")
    Path("visits.csv").write_text("who,place,age,job\n1,n,30,nurse\n2,s,40,cook\n1,s,50,\n")
    Path("scores.csv").write_text("place,name,score\nn,x,9\nn,y,8\nn,z,7\ns,x,1\ns,y,7\nw,x,3\n,x,4\n")
    Path("edges.csv").write_text("source,target\n0,1\n1,2\n")
    Path("study.csv").write_text("snp,b,c\nrs1,3,4\nrs2,9,1\n")
    Path("domains.toml").write_text('age = {low = 0, high = 100}\njob = ["cook", "nurse"]\n')


def planned(capsys, *words: str, status: int = 0) -> dict:
    """What --json prints."""
    assert status == main(["plan", *words, "--json"])
    return json.loads(capsys.readouterr().out)


def refusal(capsys, *words: str) -> str:
    """What is said instead of a plan."""
    assert 2 == main(["plan", *words])
    return capsys.readouterr().err


def require_the_same(plan: dict, release: str, capsys) -> None:
    """The dry run of the command promises and says the same."""
    assert 0 == main([*shlex.split(release), "--epsilon", "0.5", "--dry-run", "--json"])
    run = json.loads(capsys.readouterr().out)

    for name in ("guarantee", "mechanism", "accuracy", "accuracy_line"):
        assert run[name] == plan[name], name
    assert plan["command"] == shlex.join(shlex.split(f"dpselect {release} --epsilon 0.5"))


@pytest.mark.parametrize("release", RELEASES)
def test_a_plan_says_what_the_dry_run_says(release: str, capsys) -> None:
    """The same promise, mechanism and line, though no private row was there to read."""
    (plan,) = planned(capsys, "--release", f"{release} --epsilon 0.5")["plans"]
    require_the_same(plan, release, capsys)


def test_rows_are_not_read(capsys) -> None:
    """Tables that are not there, and columns that nobody has, are planned all the same."""
    Path("people.csv").unlink()
    Path("edges.csv").unlink()
    plans = planned(capsys, "--release", f"{AGES} --epsilon 1", "--release", f"{RELEASES[9]} --epsilon 1")

    assert 2.0 == plans["epsilon"]
    assert all(each["accuracy"] for each in plans["plans"])


@pytest.mark.parametrize("release", GROUPED)
def test_a_plan_of_groups_and_persons_reads_public_names_alone(release: str, capsys) -> None:
    """Without the table, and with other cells in the place of scores, it says what the dry run on the table says."""
    texts = {path: path.read_text() for path in (Path("visits.csv"), Path("scores.csv"))}
    Path("visits.csv").unlink()
    Path("scores.csv").write_text(
        "".join(f"{line.rpartition(',')[0]},score\n" for line in texts[Path("scores.csv")].splitlines())
    )
    (plan,) = planned(capsys, "--release", f"{release} --epsilon 0.5")["plans"]
    for path, text in texts.items():
        path.write_text(text)

    require_the_same(plan, release, capsys)


SCORED = "select scores.csv --kind integer --candidate name --score score --sensitivity 1 --domain rows"


@pytest.mark.parametrize(
    ("release", "message"),
    [
        ("above counts.csv --threshold 10 --where 'count > 3'", "must not depend on the private column 'count'"),
        (f"{SCORED} --where 'score > 3'", "must not depend on the private column 'score'"),
        (f"{SCORED} {PLACES} --where 'score > 3'", "must not depend on the private column 'score'"),
        (f"{SCORED} --by score --groups 9,", "--by names a public column, and the cells of 'score' are private"),
        (f"{AGES} --by job".replace("percentile", "median").replace(" --p 50", ""), "pass --groups"),
        ("median people.csv --column age --label job --lower 0 --upper 99 --where 'age > 35'", "by their values"),
        (f"{SCORED} --by place", "pass --groups, their public list"),
        (f"{SCORED} {PLACES} --neighbours person", "pass --groups-per-person"),
        (SCORED.replace("scores.csv --kind integer", "scores.parquet") + f" {PLACES}", "candidates in a csv file"),
        (SCORED.replace("--kind integer", ""), "pass --kind integer"),
        (SCORED.replace("--domain rows", "--domain 5"), "pass --domain rows"),
        ("counts visits.csv --column job", "their public list"),
        ("counts visits.csv --column job --domain nurse,cook --rows-per-person 2", "pass --person"),
    ],
)
def test_a_plan_refuses_what_the_command_refuses(release: str, message: str, capsys) -> None:
    """So no private cell decides what a plan says: neither which rows there are, nor which names."""
    assert message in refusal(capsys, "--release", f"{release} --epsilon 1")
    assert 2 == main([*shlex.split(release), "--epsilon", "1", "--dry-run"])
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("release", "option", "private"),
    [
        (SCORED.replace("--candidate name", "--candidate score"), "--candidate", "score"),
        (SCORED.replace("name ", "score ").replace("scores.csv --kind integer", "s.parquet"), "--candidate", "score"),
        ("above counts.csv --threshold 1 --label count", "--label", "count"),
        ("above counts.csv --thresholds count", "--thresholds", "count"),
        ("median people.csv --column age --label age --lower 0 --upper 99", "--label", "age"),
        ("snp study.csv --families 9 --label b", "--label", "b"),
        ("snp study.csv --families 9 --label c", "--label", "c"),
    ],
)
def test_a_private_column_is_not_a_public_one_too(release: str, option: str, private: str, capsys) -> None:
    """Its cells would be printed as they are: refused by the command, its dry run and its plan, at any epsilon."""
    message = f"{option} names a public column, and the cells of '{private}' are private"
    assert message in refusal(capsys, "--release", f"{release} --epsilon 1")
    for more in ([], ["--dry-run"]):
        assert 2 == main([*shlex.split(release), "--epsilon", "1", *more])
        assert message in capsys.readouterr().err


def test_the_only_column_does_not_name_its_own_values(capsys) -> None:
    """Where --column is left out."""
    Path("one.csv").write_text("age\n30\n40\n")
    release = "median one.csv --label age --lower 0 --upper 99 --epsilon 1"

    assert "by --column" in refusal(capsys, "--release", release)
    assert 2 == main(shlex.split(release))
    assert "by --column" in capsys.readouterr().err


@pytest.mark.parametrize(
    "release",
    [
        *(RELEASES[place] for place in (0, 1, 4, 6)),
        *(GROUPED[place] for place in (0, 4)),
        # The error of a group, of a stream and of leaves takes many steps to be found.
        *(pytest.param(each, marks=pytest.mark.slow) for each in (RELEASES[7], RELEASES[13])),
        *(pytest.param(GROUPED[place], marks=pytest.mark.slow) for place in (2, 7, 10)),
    ],
)
def test_an_error_takes_the_least_epsilon(release: str, capsys) -> None:
    """Enough as printed; a per cent less is not."""
    (plan,) = planned(capsys, "--release", f"{release} --error 30")["plans"]
    epsilon = Fraction(plan["guarantee"]["epsilon"])
    less = f"{release} --epsilon {float(epsilon) * 0.99}"
    (near,) = planned(capsys, "--release", less)["plans"]

    assert plan["accuracy"]["error_below"] <= 30 < near["accuracy"]["error_below"]


def test_a_plan_is_added_up_against_a_ledger(capsys) -> None:
    """What is left, what each costs, equal shares of the rest; printed commands run, and the ledger is as it was."""
    assert 0 == main(["budget", "create", "b.ledger", "--epsilon", "2", "--dataset", "people"])
    assert 0 == main(["budget", "spend", "b.ledger", "--epsilon", "0.5"])
    capsys.readouterr()
    words = ["--ledger", "b.ledger", "--release", f"{AGES} --epsilon 0.3"]
    shares = ["--release", RELEASES[1], "--release", RELEASES[3]]
    plan = planned(capsys, *words, *shares)

    assert ["3/10", "3/5", "3/5"] == [each["guarantee"]["epsilon"] for each in plan["plans"]]
    assert (True, {"epsilon": "3/2"}, {"epsilon": "0"}) == (
        plan["fits"],
        plan["ledger"]["left"],
        plan["ledger"]["left_after"],
    )
    assert 1 == dps.Ledger.read("b.ledger").totals.spends
    assert 0 == main(["plan", *words, *shares])
    text = capsys.readouterr().out
    assert "b.ledger has epsilon 1.5 left: it fits, and epsilon 0 is left afterwards" in text
    for line in (each for each in text.splitlines() if not each.startswith("#")):
        assert 0 == main(shlex.split(line)[1:])
    assert Fraction(2) == dps.Ledger.read("b.ledger").totals.epsilon


def test_what_does_not_fit_is_named(capsys) -> None:
    """With status 2, and the reason of the ledger: too much, or other neighbours."""
    assert 0 == main(["budget", "create", "b.ledger", "--epsilon", "1", "--dataset", "people"])
    capsys.readouterr()
    words = ["--ledger", "b.ledger", "--release", f"{AGES} --epsilon 0.7", "--release", f"{AGES} --epsilon 0.7"]
    plan = planned(capsys, *words, status=2)

    assert [False, True] == ["left epsilon 0.3" in str(each["refused"]) for each in plan["plans"]]
    assert {"epsilon": "3/10"} == plan["ledger"]["left_after"]
    persons = f"{RELEASES[4]} --epsilon 0.1"
    (person,) = planned(capsys, "--ledger", "b.ledger", "--release", persons, status=2)["plans"]
    assert "protects add-remove neighbours" in person["refused"]
    assert not planned(capsys, "--epsilon", "1", *words[2:], status=2)["fits"]
    assert 0 == dps.Ledger.read("b.ledger").totals.spends


def test_a_ledger_of_rhos_is_added_up_by_its_rule(capsys) -> None:
    """Lists are peeled there, which costs less; equal shares there are none."""
    line = ["budget", "create", "r.ledger", "--epsilon", "2", "--delta", "1e-6", "--rule", "rho", "--dataset", "p"]
    assert 0 == main([*line, "--neighbours", "edge"])
    capsys.readouterr()
    words = ["--ledger", "r.ledger", "--release"]
    plan = planned(capsys, *words, f"{RELEASES[9]} --epsilon 0.5")

    assert ("permute-and-flip", True) == (plan["plans"][0]["mechanism"], plan["fits"])
    assert "rho" in plan["ledger"]["left_after"]
    assert "no equal shares" in refusal(capsys, *words, RELEASES[9])


def test_a_plan_is_a_file_of_commands(capsys) -> None:
    """With comments, and with or without the name of the program; what is printed is such a file again."""
    Path("plan.txt").write_text(f"# ages\ndpselect {AGES} --epsilon 0.5\n\n{RELEASES[1]} --error 100\n")
    assert 0 == main(["plan", "--releases", "plan.txt"])
    text = capsys.readouterr().out
    Path("again.txt").write_text(text)
    assert 0 == main(["plan", "--releases", "again.txt"])

    assert text == capsys.readouterr().out
    assert 2 == sum(not line.startswith("#") for line in text.splitlines())
    assert "# nothing was spent, and no private row was read" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--release", "budget show x"], "begins with its command"),
        (["--release", "percentile 'x"], "quotation mark"),
        (["--release", f"{AGES} --epsilon 1 --error 3"], "leave out what is to be found"),
        (["--release", f"{AGES} --epsilon 1 --epsilon 2"], "given twice"),
        (["--release", f"{AGES} --epsilon 1 --ledger b"], "pass --ledger once"),
        (["--release", f"{AGES} --error 0"], "must be positive"),
        (["--release", f"{AGES} --error x"], "'x' is not a number"),
        (["--release", f"{RELEASES[10]} --error 3"], "local-dampening-flip weighs scores"),
        (["--release", AGES], "pass --ledger, or --epsilon"),
        (["--release", AGES, "--release", f"{AGES} --epsilon 2", "--epsilon", "1"], "leave nothing to share"),
        (["--release", f"{AGES} --epsilon 1", "--candidates", "3"], "--candidates describes one choice"),
        (["--release", f"{AGES} --epsilon 1", "--k", "3"], "--k describes one choice"),
        (["--release", "percentile people.csv --p 50 --epsilon 1"], "pass --lower and --upper"),
        (["--candidates", "3", "--error", "1", "--ledger", "people.csv"], "add --release or --releases"),
        (["--releases", "nothing.txt"], "There is no file nothing.txt"),
        (["--releases", "domains.toml"], "begins with its command"),
    ],
)
def test_refusals_say_what_to_write(words: list[str], message: str, capsys) -> None:
    """With status 2, in one sentence."""
    assert message in refusal(capsys, *words)
