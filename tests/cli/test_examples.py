"""Every page of help says what the command does, what is protected, and shows examples that work."""

from __future__ import annotations

import json
import shlex
import shutil
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow.csv as csv
import pyarrow.parquet as parquet
import pytest

import dpselect as dps
from dpselect.cli import click_commands, main, schemas
from dpselect.cli.examples import commands, wrap_command
from tests.cli import inputs
from tests.cli.every import every_command
from tests.cli.schema import faults, unnamed
from tests.ledger.test_file import write_ahead

ROOT = click_commands.root()
VERBS = {
    " ".join(words): ROOT.import_command(words[0])
    if len(words) == 1
    else ROOT.import_command(words[0]).commands[words[1]]
    for words, _ in every_command()
}
# The example of compare is that of a task; traces are tested where they are made.
JSON = [name for name in schemas.ANSWERS if name not in ("compare", "history")]
WITHOUT_JSON = {
    "explore": "It answers in a browser.",
    "serve": "It answers over HTTP.",
    "reproduce": "It prints while it runs, for hours, and writes its report and its figures as files.",
}
# These end when somebody stops them, and tests/web starts them as they are; or ask a server that tests/cli/served has.
SERVING = {"explore", "serve", "history"}
# These draw pictures, train on traces, enumerate, or compute exact laws of heavy tails.
LONG = {"audit", "choose histogram", "choose tree", "compare histogram", "compare median", "compare percentile", "demo"}
JOBS, REGIONS = ("nurse", "smith", "clerk"), ("North", "South", "West")


def made_up(folder: Path) -> None:
    """Write the files that examples name."""
    inputs.write_tables(folder)
    people = ["person,age,income,job,region,rich,b,c,snp"]
    for row in range(300):
        age, job, region = row % 100, JOBS[row % 3], REGIONS[row % 3]
        people.append(f"p{row},{age},{1000 * age},{job},{region},{('no', 'yes')[age > 50]},{row % 7},{row % 5},rs{row}")
    (folder / "people.csv").write_text("\n".join(people) + "\n", encoding="utf-8")
    (folder / "study.csv").write_text("snp,b,c\n" + "".join(f"rs{i},{9 + i},{i}\n" for i in range(9)), encoding="utf-8")
    for name in ("public.csv", "survey.csv"):
        shutil.copy(folder / "people.csv", folder / name)
    columns = (
        'income = {lower = 0, upper = 100000, step = 100}\nregion = ["North", "South", "West"]\n'
        'age = {lower = 0, upper = 120}\nrich = ["no", "yes"]\n'
    )
    budget = '[budget]\nepsilon = 100\ndelta = 0.001\nledger = "survey.ledger"\n'
    for name in ("people", "survey"):
        text = inputs.description(columns, source=f"{name}.csv")
        (folder / f"{name}.toml").write_text(text + (budget if name == "survey" else ""), encoding="utf-8")
    (folder / "friends.toml").write_text('graph = "edges.txt"\nnodes = 4\n', encoding="utf-8")
    products = [f"product{number}" for number in range(20)]
    bought = [f"u{row % 90},{products[row % 20]}" for row in range(900)]
    (folder / "events.csv").write_text("\n".join(["user,product", *bought]) + "\n", encoding="utf-8")
    parquet.write_table(csv.read_csv(folder / "events.csv"), folder / "events.parquet")
    (folder / "products.txt").write_text("\n".join(products) + "\n", encoding="utf-8")
    (folder / "jobs.txt").write_text("\n".join(JOBS) + "\n", encoding="utf-8")
    np.save(folder / "public.npy", np.arange(32) ** 2)
    with closing(write_ahead(folder / "old.ledger", 1)):
        pass
    release = dps.median(range(100), lower=0, upper=100, epsilon=1, ledger=dps.Ledger.read(folder / "people.ledger"))
    ledger = dps.Ledger.read(folder / "people.ledger")
    release.certificate(ledger=ledger, row=1).save(folder / "certificate.json")
    described = dps.Dataset.of({"job": [*JOBS] * 30}, columns={"job": [*JOBS]})
    dps.synthesize(described, epsilon=1, delta=1e-6, method="mst").value.save(folder / "synthetic.json")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files, made once."""
    folder = tmp_path_factory.mktemp("examples")
    made_up(folder)
    return folder


def fresh(files: Path, folder: Path, words: list[str], monkeypatch) -> list[str]:
    """Run in a copy of the files; return those that the command will write, which are not there yet."""
    shutil.copytree(files, folder)
    monkeypatch.chdir(folder)
    written = [words[words.index(option) + 1] for option in ("--out", "--csv", "--backup") if option in words]
    for path in [*written, *(["people.ledger"] if "create" in words else [])]:
        (folder / path).unlink(missing_ok=True)
    return written


def page_of(name: str, width: int, monkeypatch, capsys) -> str:
    """Return a page of help as a pipe gets it."""
    monkeypatch.setenv("COLUMNS", str(width))
    assert 0 == main([*name.split(), "--help"])
    page: str = capsys.readouterr().out
    return page


def lacking(page: str, name: str) -> list[str]:
    """Return what a page of help does not say."""
    _, description, *rest = page.split("\n\n" if "\n\n" in page else "\0")
    parts = [" ".join(part.split()) for part in (description, *rest)]
    return [
        what
        for what, there in (
            ("what the command does", parts[0].endswith(".")),
            ("what is protected", any(part.startswith("Protected: ") for part in parts)),
            ("an example", any(each.startswith(f"dpselect {name}") for each in commands(page))),
        )
        if not there
    ]


@pytest.mark.parametrize("name", VERBS)
def test_every_page_of_help_says_three_things(name: str, monkeypatch, capsys) -> None:
    """What it does, whose row, edge or person is protected, and how it is written."""
    page = page_of(name, 80, monkeypatch, capsys)
    plain = "\n".join(line.rstrip() for line in page.splitlines())

    assert not lacking(plain, name)


def test_a_page_without_the_three_is_noticed() -> None:
    """The contract above can fail."""
    page = "Usage: dpselect x\n\nDo it\n\nProtect nothing.\n\nExample:\n  dpselect y\n"
    assert ["what the command does", "what is protected", "an example"] == lacking(page, "x")


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] * (each in LONG)) for each in VERBS if each not in SERVING]
)
def test_every_example_on_a_page_of_help_works(name: str, files: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    """Copied from the page, with files of the names that it has."""
    page = page_of(name, 80, monkeypatch, capsys)
    # The group has the example of a task.
    mine = [each for each in commands(page) if name != "choose" or "choose histogram" not in each]
    for number, line in enumerate(mine):
        words = shlex.split(line)
        folder = tmp_path / str(number)
        written = fresh(files, folder, words, monkeypatch)

        status = main(words[1:])
        said = capsys.readouterr()
        assert 0 == status, f"{line}\n{said.err}"
        assert said.out
        assert all((folder / path).exists() for path in written)


@pytest.mark.parametrize("name", [pytest.param(each, marks=[pytest.mark.slow] * (each in LONG)) for each in JSON])
def test_every_example_prints_the_json_that_its_schema_says(name: str, files, tmp_path, monkeypatch, capsys) -> None:
    """All members that must be there, each of its type, and none that no schema names."""
    verb = VERBS[name].verb
    for number, line in enumerate(verb.example.splitlines()):
        words = shlex.split(line)[1:]
        # A group whose task must be named has the example of one.
        schema = schemas.answer(" ".join(words[:2]) if " ".join(words[:2]) in schemas.ANSWERS else words[0])
        fresh(files, tmp_path / str(number), words, monkeypatch)

        if verb.spends:
            assert 0 == main([*words, "--dry-run", "--json"])
            planned = json.loads(capsys.readouterr().out)
            assert not faults(planned, schemas.dry_run())
            assert not unnamed(planned, schemas.dry_run())
        assert 0 == main([*words, "--json"])
        printed = json.loads(capsys.readouterr().out)
        if printed.get("dry_run"):
            schema = schemas.dry_run()
        assert not faults(printed, schema), line
        assert not unnamed(printed, schema), f"{line}: name these members in dpselect/cli/schemas.py"


def test_every_command_with_json_has_a_schema_and_no_other() -> None:
    """And the reason why a command has none is written down."""
    with_json = {name for name, verb in VERBS.items() if any("--json" in each.opts for each in verb.params)}
    assert with_json == {*schemas.ANSWERS}
    answering = {name for name, verb in VERBS.items() if verb.verb.run is not None}
    assert answering - with_json == {*WITHOUT_JSON}
    assert all(reason.endswith(".") for reason in WITHOUT_JSON.values())


def test_a_member_of_another_type_is_noticed() -> None:
    """And one that is missing, and one that no schema names."""
    schema = schemas.answer("histogram")
    printed = {"command": "histogram", "counts": [{"value": 3, "count": "2"}], "mechanism": "x", "more": 1}
    printed |= {"accuracy_line": "", "every_count_within": 3}

    assert {"/guarantee is missing", "/accuracy is missing", "/counts/0/count is '2', and should be integer"} == {
        *faults(printed, schema)
    }
    assert {"more"} == unnamed(printed, schema)


def test_a_long_example_is_broken_where_a_shell_goes_on_reading() -> None:
    """Before options only; joined again it is the same command."""
    line = "dpselect quantiles people.csv age --p 25 50 75 --where 'age > 3' --note \"a b\""
    lines = wrap_command(line, 40)

    assert all(each.endswith(" \\") for each in lines[:-1])
    assert all(len(each) <= 40 for each in lines)
    assert line == " ".join(" ".join(lines).replace(" \\", "").split())
    assert [line] == commands("Example:\n  " + "\n  ".join(lines))
    assert [line] == wrap_command(line, 200)
