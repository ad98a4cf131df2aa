"""The command line."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import command_registry, exit_status, main
from dpselect.cli.options import CommandOption
from dpselect.cli.request import Request
from dpselect.kernel.errors import Advice, InputError
from dpselect.queries.metrics import METRICS
from tests.cli.every import every_command
from tests.cli.inputs import changed

TWENTY = f"compare top-k lesmis degree --epsilons {' '.join(map(str, range(1, 21)))}"
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    """A small edge file: a star of five with one extra edge."""
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n0,1\n0,2\n0,3\n0,4\n3,4\n", encoding="utf-8")
    return path


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str], status: int = 2) -> str:
    """Run a command that must fail; return what it says. Status 1 says that something was spent."""
    expected = status
    try:
        status = main(arguments)
    except SystemExit as end:
        status = end.code
    printed = capsys.readouterr()
    assert expected == status
    assert "" == printed.out
    assert 1 == printed.err.count("\n")
    return printed.err


def test_top_k_prints_names_in_order(edges: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list is ranked; then comes what it cost, how wrong it may be, and what the gaps say."""
    assert 0 == main(["top-k", str(edges), "degree", "--k", "2", "--epsilon", "1000", "--nodes", "6"])
    lines = capsys.readouterr().out.splitlines()

    assert re.fullmatch(r" +1  0", lines[0])
    assert "in order of selection by degree; epsilon = 1000 per edge, by permute-and-flip, one-shot" == lines[2]
    assert re.fullmatch(
        r"p = \S+: whatever the data, a wrong name comes with a p this small in at most \S+ % of releases"
        "|no p-value: the last name has no lead over the others in this draw, which says nothing about it",
        lines[-1],
    )


def test_margins_name_the_best_of_any_metric(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By ego betweenness, which dampening does not; steps are edges; degrees stay what they are."""
    ledger = str(tmp_path / "l.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "9000", "--neighbours", "edge", "--dataset", "graph"])
    command = ["top-k", "lesmis", "--k", "3", "--epsilon", "900", "--margin", "--ledger", ledger]
    capsys.readouterr()
    assert 0 == main([*command, "ego-betweenness", "--max-degree", "76"])
    printed = capsys.readouterr().out

    assert {"Valjean", "Gavroche", "Marius"} == {*re.findall(r"^ +\d  (\w+)$", printed, re.MULTILINE)}
    assert "in order of selection by the margin of ego-betweenness; " in printed
    assert " edges behind the 3rd best" in printed
    assert "\np = " in printed
    assert 0 == main(["budget", "export", ledger])
    facts = json.loads(capsys.readouterr().out.splitlines()[-1])["metadata"]
    assert ("yes", "ego-betweenness") == (facts["margin"], facts["metric"])
    assert 0 == main([*command, "degree", "--json"])
    assert json.loads(capsys.readouterr().out)["margin"] is True
    command[3] = "77"
    assert "ask for fewer" in refusal([*command, "degree"], capsys)


def test_followers_protect_a_persons_whole_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Source points to target, in memory as in an engine; other metrics and shipped graphs have no such list."""
    (tmp_path / "e.csv").write_text("source,target\n" + "0,1\n" * 9 + "0,2\n3,2\n2,2\n")
    command = ["top-k", str(tmp_path / "e.csv"), "followers", "--epsilon", "1000", "--nodes", "4"]
    for more in ([], ["--in-place"]):
        assert 0 == main([*command, *more])
        printed = capsys.readouterr()
        assert "" == printed.err
        assert re.match(r" +1  2\n", printed.out)
        assert "the whole list of a person, whatever its length; epsilon = 1000 per person" in printed.out
    assert "name it alone" in refusal([*command, "degree", "--pareto"], capsys)
    shipped = ["top-k", "lesmis", "followers", "--epsilon", "1"]
    assert "Edges of a shipped graph have no directions" in refusal(shipped, capsys)


def test_a_truncated_graph_needs_no_promise_about_degrees(edges: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What exceeds the bound is refused, and with --truncate it is not; the line says what is protected."""
    command = ["top-k", str(edges), "open-pairs", "--epsilon", "1000", "--nodes", "6"]
    assert "--truncate" in refusal([*command, "--max-degree", "3"], capsys)
    assert "needs --max-degree" in refusal([*command, "--truncate"], capsys)
    for more in ([], ["--in-place"]):
        assert 0 == main([*command, "--max-degree", "3", "--truncate", *more])
        printed = capsys.readouterr().out
        assert re.match(r" +1  0\n", printed)
        assert (
            "at most 3 edges of each node were read, and any error is about those; protected is one edge of the whole"
            in printed
        )
    assert 0 == main([*command, "--max-degree", "3", "--truncate", "--json"])
    assert 3 == json.loads(capsys.readouterr().out)["truncated_to"]
    followers = ["top-k", str(edges), "followers", "--epsilon", "1", "--nodes", "6"]
    assert "--truncate: " in refusal([*followers, "--max-degree", "3", "--truncate"], capsys)


def test_the_columns_of_the_ends_may_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a file and in an engine; files without names of columns have none to name."""
    (tmp_path / "e.csv").write_text("to,at,who\n2,5,0\n2,6,1\n")
    (tmp_path / "e.txt").write_text("0 2\n")
    named = ["--ends", "who", "to", "--epsilon", "1000", "--nodes", "3"]
    for more in ([], ["--in-place"]):
        for metric in ("degree", "followers"):
            assert 0 == main(["top-k", str(tmp_path / "e.csv"), *named, metric, *more])
            assert re.match(r" +1  2\n", capsys.readouterr().out)
    assert "have names in tables alone" in refusal(["top-k", str(tmp_path / "e.txt"), *named, "degree"], capsys)
    assert "--ends: a graph that ships with NetworkX is not a file: leave it out." in refusal(
        ["top-k", "lesmis", "degree", "--ends", "who", "whom", "--epsilon", "1"], capsys
    )


def test_weights_that_are_dropped_take_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, beside the answer, in a file as in an engine."""
    (tmp_path / "e.csv").write_text("source,target,weight\n0,1,7\n")
    for more in ([], ["--in-place"]):
        command = ["top-k", str(tmp_path / "e.csv"), "degree", "--epsilon", "1", "--nodes", "2", *more]
        assert 0 == main(command)
        said = capsys.readouterr().err
        assert re.fullmatch(r"dpselect top-k: Weights are dropped: .* weighted-degree with --weight-cap .*\n", said)
        command[2] = "followers"
        assert 0 == main(command)
        assert "" == capsys.readouterr().err


def test_what_was_dropped_is_not_said_beside_a_refusal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An answer says it; a refusal stands alone."""
    (tmp_path / "e.csv").write_text("source,target,weight\n0,1,7\n")
    command = ["top-k", str(tmp_path / "e.csv"), "open-pairs", "--nodes", "3", "--epsilon", "1"]
    assert "Weights" not in refusal(command, capsys)
    assert 0 == main([*command, "--max-degree", "2", "--dry-run"])
    assert "private, for you alone: 0 of 1 lines are not edges between the public nodes\n" == capsys.readouterr().err
    assert 0 == main([*command, "--max-degree", "2"])
    assert 1 == capsys.readouterr().err.count("Weights are dropped")


def test_weights_are_added_up_to_a_public_cap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a file, and of a shipped graph; whatever does not fit together is refused."""
    (tmp_path / "e.csv").write_text("source,target,minutes\n0,1,7\n1,0,8\n1,2,9\n2,2,100\n3,2,many\n")
    command = ["top-k", str(tmp_path / "e.csv"), "--nodes", "4", "--epsilon", "1000", "weighted-degree"]
    weights = ["--weight-column", "minutes", "--weight-cap", "10"]
    assert 0 == main([*command, *weights])
    printed = capsys.readouterr()
    assert "" == printed.err
    assert re.match(r" +1  1\n", printed.out)
    assert "everything between two nodes, counted up to 10; epsilon = 1000 per edge" in printed.out
    assert 0 == main([*command, *weights[:2], "--weight-cap", "2.5"])
    capsys.readouterr()
    lesmis = ["top-k", "lesmis", "--epsilon", "1000", "weighted-degree", "--weight-cap", "31", "--json"]
    assert 0 == main(lesmis)
    assert ["Valjean"] == json.loads(capsys.readouterr().out)["candidates"]
    assert "--weight-cap" in refusal(command, capsys)
    assert "needs the columns" in refusal([*command, "--weight-cap", "3"], capsys)
    whole = ["--weight-cap", "2.5", "--weight-kind", "integer"]
    assert "where --weight-kind is integer" in refusal([*command, *weights[:2], *whole], capsys)
    assert "name it alone" in refusal([*command, *weights, "degree", "--pareto"], capsys)
    assert "in memory" in refusal([*command, *weights, "--in-place"], capsys)
    assert "--truncate: " in refusal([*command, *weights, "--truncate", "--max-degree", "3"], capsys)
    assert "go with the metric weighted-degree" in refusal([*command[:-1], "degree", *weights], capsys)


def test_a_choice_comes_with_a_p_value_wherever_gaps_are_free(edges: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In words, and for programs; dampened scores, lists of everyone and budgets by rho have none."""
    command = ["top-k", str(edges), "--nodes", "6", "--epsilon", "100", "degree"]
    assert 0 == main(command)
    assert "a wrong choice comes with a p this small in at most " in capsys.readouterr().out
    assert 0 == main([*command, "--k", "2", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (2, True) == (len(answer["gaps"]), 0 < answer["p_value"] <= 1)
    rhos = str(edges.parent / "rho.ledger")
    assert 0 == main(
        [
            "budget",
            "create",
            rhos,
            *["--epsilon", "900", "--delta", "1e-6", "--rule", "rho", "--neighbours", "edge", "--dataset", "graph"],
        ]
    )
    capsys.readouterr()
    command[command.index("--epsilon") + 1] = "10"
    for without in (["--k", "6"], ["--mechanism", "exponential"], ["--k", "2", "--ledger", rhos]):
        assert 0 == main([*command, *without])
        assert "\np = " not in capsys.readouterr().out


def test_json_is_for_programs(edges: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON holds the candidates and the exact promise."""
    arguments = [
        "open-pairs",
        "--epsilon",
        "0.25",
        "--nodes",
        "6",
        "--max-degree",
        "5",
        "--json",
    ]
    assert 0 == main(["top-k", str(edges), *arguments])
    answer = json.loads(capsys.readouterr().out)

    assert {"command", "candidates", "metric", "mechanism", "guarantee", "accuracy", "accuracy_line"} == set(answer)
    exact = {"epsilon": "1/4", "epsilon_float": 0.25, "delta": "0", "delta_float": 0.0, "neighbours": "edge"}
    assert exact == answer["guarantee"]
    assert answer["candidates"][0] in range(6)


@pytest.mark.parametrize("metric", sorted({*METRICS} - {"followers"}))
def test_every_metric_works_on_a_shipped_graph(metric: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A graph that ships with NetworkX needs no file."""
    cap = ["--weight-cap", "31"] if metric == "weighted-degree" else []
    bound = ["--max-degree", "40"] if METRICS[metric].bounded else []
    assert 0 == main(["top-k", "lesmis", metric, "--k", "3", "--epsilon", "1", *bound, *cap])
    assert capsys.readouterr().out.splitlines()[3].startswith("in order of selection by")


def test_a_decay_is_public_and_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the answer and in the ledger; without one it is 20, and other metrics have none."""
    ledger = str(tmp_path / "spent.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "9", "--neighbours", "edge", "--dataset", "lesmis"])
    command = ["top-k", "lesmis", "linear-decay", "--epsilon", "1", "--max-degree", "40", "--json"]
    capsys.readouterr()

    for words, decay in ((["--decay", "7", "--ledger", ledger], 7), ([], 20)):
        assert 0 == main([*command, *words])
        assert decay == json.loads(capsys.readouterr().out)["decay"]
    assert b'"decay": "7"' in Path(ledger).read_bytes()
    assert "--decay: a whole number from 1" in refusal([*command, "--decay", "0"], capsys)
    command[2] = "open-pairs"
    assert "--decay: this goes with linear-decay: leave it out." in refusal([*command, "--decay", "7"], capsys)
    assert 0 == main(command)
    assert "decay" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("mechanism", "sensitivity"),
    [
        ("local-dampening-flip", "refined"),
        ("smooth-noisy-max", "refined"),
        ("shifted-local-dampening-flip", "degree"),
        ("permute-and-flip", "degree"),
        (None, "refined"),
    ],
)
def test_the_mechanism_says_how_closely_ego_betweenness_is_bounded(
    mechanism: str | None, sensitivity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A public rule: what is shifted would rank by what nodes share."""
    asked = []
    bounded = dps.utilities.ego_betweenness

    def listening(*graph, **words):
        asked.append(words["sensitivity"])
        return bounded(*graph, **words)

    monkeypatch.setattr(dps.utilities, "ego_betweenness", listening)
    command = ["top-k", "lesmis", "ego-betweenness", "--epsilon", "1", "--max-degree", "40"]
    assert 0 == main([*command, *(["--mechanism", mechanism] if mechanism else [])])
    # A plan asks it of a graph without edges.
    assert {sensitivity} == {*asked}


@pytest.mark.parametrize("metric", ["ego-betweenness", "linear-decay"])
def test_what_dampening_loses_is_ranked_by_its_margin(metric: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Unless a mechanism, a joint list or several metrics are asked for; the release says which it was."""
    command = ["top-k", "lesmis", metric, "--k", "3", "--epsilon", "900", "--max-degree", "76", "--json"]

    assert 0 == main(command)
    facts = json.loads(capsys.readouterr().out)
    assert (True, {"Valjean", "Gavroche", "Marius"}) == (facts["margin"], {*facts["candidates"]})
    assert "permute-and-flip, one-shot" == facts["mechanism"]
    for more in (["--mechanism", "local-dampening-flip"], ["degree", "--pareto"]):
        assert 0 == main([*command, *more])
        assert "margin" not in json.loads(capsys.readouterr().out)


def test_labels_come_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Public labels, one a line; those without an edge may win too."""
    (tmp_path / "edges.csv").write_text("source,target\nann,bob\n", encoding="utf-8")
    (tmp_path / "names.txt").write_text("ann\nbob\neve\n", encoding="utf-8")
    command = ["top-k", str(tmp_path / "edges.csv"), "degree", "--k", "3", "--epsilon", "1"]

    assert 0 == main([*command, "--nodes", str(tmp_path / "names.txt")])
    assert {"ann", "bob", "eve"} <= set(capsys.readouterr().out.split())


def test_labels_that_look_like_numbers_stay_as_written(tmp_path: Path, capsys) -> None:
    """007 is printed as 007: what is released is a public label."""
    (tmp_path / "edges.csv").write_text("source,target\n007,08\n007,9\n", encoding="utf-8")
    (tmp_path / "names.txt").write_text("\ufeff007\n08\n9\n", encoding="utf-8")
    command = ["top-k", str(tmp_path / "edges.csv"), "degree", "--epsilon", "1000"]

    assert 0 == main([*command, "--nodes", str(tmp_path / "names.txt")])
    assert "007" == capsys.readouterr().out.split()[1]


def test_mechanisms_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    """In the order of the list; what does not fit beside a name goes on beneath."""
    assert 0 == main(["mechanisms"])
    lines = capsys.readouterr().out.splitlines()
    assert list(dps.mechanisms.MECHANISMS) == [line.split()[0] for line in lines if not line.startswith(" ")]
    assert 0 == main(["mechanisms", "--json"])
    assert len(dps.mechanisms.MECHANISMS) == len(json.loads(capsys.readouterr().out)["mechanisms"])


@pytest.mark.parametrize("words", ["mechanisms", "demo", "compare top-k lesmis degree", TWENTY], ids=str.split)
def test_tables_fit_into_eighty_columns(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """However many epsilons there are: a wider table goes on beneath itself."""
    assert 0 == main(words.split())
    lines = capsys.readouterr().out.splitlines()

    assert [] == [line for line in lines if len(line) > 80]
    assert (words == TWENTY) == ("probability of naming a best candidate, continued" in lines)


def test_demo_compares_mechanisms_with_exact_probabilities(capsys: pytest.CaptureFixture[str]) -> None:
    """The demo names the true best, shows a table of probabilities and makes one release, by open pairs."""
    assert 0 == main(["demo"])
    text = capsys.readouterr().out

    assert "Valjean" in text
    assert text.index("open-pairs") < text.index("shifted-local-dampening-flip")
    assert "by open pairs and\nlocal-dampening-flip." in text
    chances = [float(number) for number in re.findall(r"\b[01]\.\d{3}\b", text)]
    assert len(chances) >= 28
    assert all(0 <= chance <= 1 for chance in chances)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--epsilon", "0"], "positive and finite"),
        (["--epsilon", "-1"], "positive and finite"),
        (["--epsilon", "nan"], "epsilon must be positive and finite"),
        (["--epsilon", "inf"], "epsilon must be positive and finite"),
        (["--epsilon", "1e400"], "--epsilon: epsilon is a positive number of at most 1000 with at most 6 decimals."),
        (["--epsilon", "1/3"], "--epsilon: epsilon is a positive number of at most 1000 with at most 6 decimals."),
        (["--epsilon", "1e-99999"], "is not a number"),
        (["--nodes", "99999999999999999999"], "more than fits"),
        (["--nodes", "."], "'.' is neither"),
        (["--nodes", "0"], "--nodes must be at least 1: how many public nodes"),
        (["--k", "0"], "--k: a whole number from 1 to 100 is expected."),
        (["--k", "-2"], "--k: a whole number from 1 to 100 is expected."),
        (["--k", "1.5"], "--k: '1.5' is not a whole number"),
        (["--k", "7"], "--k: This has 6 nodes: ask for at most as many."),
        (["--mechanism", "permute-and-flop"], "did you mean permute-and-flip"),
        (["fame"], "the metric: 'fame' is not one of them: it is one of degree, core-number, ego-"),
        (["degree,ego-density"], "the metric: 'degree,ego-density' are several: write spaces between."),
        (["ego-density"], "the metric: Several metrics are combined by --pareto or by --weights"),
        (["--bogus"], "dpselect top-k: the option --bogus does not exist: see dpselect top-k --help.\n"),
        (["--metric", "degree"], "the option --metric does not exist: name the metric after the dataset."),
        (["--max-degre=3"], "the option --max-degre does not exist, did you mean --max-degree: see"),
        (["--mechanism", ""], "--mechanism: '' is not one of them: it is one of permute-and-flip,"),
        (["--mechanism", "inverse-sensitivity"], "take another, such as --mechanism local-dampening-flip.\n"),
        (["--nodes", "nowhere.txt"], "'nowhere.txt' is neither"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(edges: Path, change, message: str, capsys) -> None:
    """Nothing is drawn and nothing is printed but the sentence."""
    command = ["top-k", str(edges), "degree", "--epsilon", "1", "--nodes", "6"]

    assert message in refusal(changed(command, change), capsys)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["degree", "--epsilon", "1"], "pass --nodes, their number"),
        (["ego-betweenness", "--epsilon", "1", "--nodes", "6"], "needs --max-degree: a public"),
        (
            ["ego-betweenness", "--epsilon", "1", "--nodes", "6", "--max-degree", "3"],
            "the graph exceeds --max-degree,",
        ),
        (["ego-betweenness", "--epsilon", "1", "--nodes", "6", "--max-degree", "1"], ""),
        (["degree", "--nodes", "6"], "--epsilon"),
    ],
)
def test_missing_public_facts_are_asked_for(edges: Path, arguments, message: str, capsys) -> None:
    """Nodes, maximum degree and epsilon are never guessed."""
    assert message in refusal(["top-k", str(edges), *arguments], capsys)


@pytest.mark.parametrize(
    "said, shown",
    [
        (Advice("pass {unknown='clip'}, or {nodes=}."), "pass --unknown clip, or --nodes."),
        (Advice("{max_depth} must be an integer"), "--max-depth must be an integer"),
        (Advice("lower {max_depth=3} (or {delta=1e-6})."), "lower --max-depth 3 (or --delta 1e-6)."),
        (Advice("pass {nodes=|--nodes}, a number"), "pass --nodes, a number"),
        (Advice("pass {classes=}, or {max_leaves=3}"), "pass classes=, or max_leaves=3"),
        (Advice("no {path}: pass {nodes=}", path="nodes=/{max_depth}"), "no nodes=/{max_depth}: pass --nodes"),
        ("Column 'max_depth' wants nodes=2", "Column 'max_depth' wants nodes=2"),
    ],
)
def test_advice_in_arguments_becomes_advice_in_options(said: str, shown: str, capsys) -> None:
    """Arguments that the command has, with their values; what it does not have and what a message quotes stay."""
    parameters = {
        name: CommandOption(f"--{name.replace('_', '-')}") for name in ("unknown", "max_depth", "nodes", "delta")
    }
    request = Request(["train"])
    request.parameters = parameters

    assert 2 == exit_status.ending(InputError(said), request)
    assert f"dpselect: {shown}\n" == capsys.readouterr().err


def test_every_option_that_advice_names_is_there() -> None:
    """Of some command: those that the library writes out for the command line."""
    known = {option for _, params in every_command() for param in params for option in param.opts}
    named = set()
    for file in (Path(__file__).parents[2] / "src" / "dpselect").rglob("*.py"):
        if "Advice(" not in (text := file.read_text(encoding="utf-8")):
            continue
        for call in ast.walk(ast.parse(text)):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Advice":
                named |= set(re.findall(r"--[a-z][a-z-]+", ast.unparse(call)))

    assert {"--overwrite", "--nodes", "--max-degree", "--mechanism"} <= named <= known


@pytest.mark.parametrize("line", ["2 secret words", "2", "x 1", "9 1", "-1 0", "1.5 0"])
def test_a_line_that_is_no_edge_is_left_out(line: str, tmp_path: Path, capsys) -> None:
    """Whether there is an answer does not depend on one line, and nothing is said about it."""
    (tmp_path / "edges.txt").write_text(f"# comment\n0\t1\n{line}\n", encoding="utf-8")
    asked = ["top-k", str(tmp_path / "edges.txt"), "degree", "--epsilon", "900", "--nodes", "3", "--k", "3"]
    assert 0 == main(asked)
    printed = capsys.readouterr()

    assert ("2", "") == (printed.out.splitlines()[2].split()[1], printed.err)


def test_a_missing_file_and_an_unknown_graph_are_told_apart(capsys) -> None:
    """A path that is not there, and a name that ships with nothing."""
    assert "nowhere.csv" in refusal(["top-k", "nowhere.csv", "degree", "--epsilon", "1", "--nodes", "3"], capsys)
    assert "lesmis" in refusal(["top-k", "lesmiz", "degree", "--epsilon", "1"], capsys)


def test_the_module_runs_as_a_command() -> None:
    """The console script is the function main; help is short and clean."""
    done = subprocess.run(
        [sys.executable, "-m", "dpselect", "--help"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2] / "src",
    )
    assert "top-k" in done.stdout
    assert "" == done.stderr


def test_a_newcomer_sees_the_commands_that_most_people_need(capsys) -> None:
    """Twenty-one with a line each; the others are named, and explained with --all, in either order."""
    pages = []
    for words in (["--help"], ["--help", "--all"], ["--all", "--help"]):
        assert 0 == main(words)
        pages.append(capsys.readouterr().out)
    short, *whole = pages
    explained = [
        [name for name in command_registry.lines() if re.search(rf"^  {name}  ", page, re.MULTILINE)] for page in pages
    ]

    assert 21 == len(explained[0])
    assert "explains more: datasets, history, choose" in short
    assert explained[1] == explained[2] == [*command_registry.lines()]
    assert all("explains more" not in page for page in whole)


def test_importing_stays_light() -> None:
    """Heavy libraries are imported by the function that needs them."""
    heavy = ("scipy", "numba", "networkx", "pyarrow", "cryptography")
    check = f"import sys, dpselect.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", check],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2] / "src",
    )
    assert "[]" == done.stdout.strip()


def test_the_readme_gives_the_two_commands() -> None:
    """One installs and runs the main job, one installs and runs the tests."""
    assert 'python -m pip install ".[all]" && dpselect demo' in README
    assert 'python -m pip install ".[test]" && python -m pytest' in README


def test_a_dry_run_of_a_list_states_one_error(capsys: pytest.CaptureFixture[str]) -> None:
    """That of the list; where everyone is named no name can be wrong."""
    line = ["top-k", "lesmis", "degree", "--epsilon", "1", "--dry-run", "--k"]
    assert 0 == main([*line, "5"])
    some = capsys.readouterr().out
    assert 0 == main([*line, "77"])
    everyone = capsys.readouterr().out

    assert "accuracy   each less than" in some
    assert "accuracy   all candidates are named, so only their order can be wrong" in everyone
    assert "error  " not in some + everyone


@pytest.mark.parametrize("nodes", ["names.txt", "g.graphml"])
def test_nodes_are_named_by_a_label(nodes: str, tmp_path: Path, monkeypatch, capsys) -> None:
    """In the list of nodes as in the edges; a file of another form has none."""
    monkeypatch.chdir(tmp_path)
    Path("names.txt").write_text("Lee, Ann\nbob\neve\n", encoding="utf-8")
    Path("g.graphml").write_text(
        '<graphml><key id="k" for="node" attr.name="name"/><graph edgedefault="undirected">'
        '<node id="n0"><data key="k">Lee, Ann</data></node><node id="n1"><data key="k">bob</data></node>'
        '<node id="n2"><data key="k">eve</data></node>'
        '<edge source="n0" target="n1"/><edge source="n1" target="n2"/></graph></graphml>',
        encoding="utf-8",
    )
    asked = ["top-k", "g.graphml", "degree", "--nodes", nodes, "--label", "name", "--epsilon", "1000"]
    assert 0 == main(asked)
    assert re.match(r" +1  bob\n", capsys.readouterr().out)
    assert 0 == main(["check", "g.graphml", "--nodes", nodes, "--label", "name", "--json"])
    assert 2 == json.loads(capsys.readouterr().out)["edges"]
    Path("e.csv").write_text("source,target\nbob,eve\n", encoding="utf-8")
    assert "--label: only .graphml" in refusal(["top-k", "e.csv", *asked[2:]], capsys)


def test_cells_with_line_breaks_are_declared(tmp_path: Path, capsys) -> None:
    """Otherwise one line is one record."""
    (tmp_path / "notes.csv").write_text('note,age\n"a\nb",40\n"a\nb",40\n"a\nb",40\n', encoding="utf-8")
    asked = ["check", str(tmp_path / "notes.csv"), "age", "--lower", "0", "--upper", "99"]
    assert 0 == main([*asked, "--line-breaks"])
    assert "rows: 3\nage: 3 numbers" in capsys.readouterr().out
    assert 0 == main(asked)
    out = capsys.readouterr().out
    assert "rows: 6\n" in out
    assert "age: 3 numbers, 3 empty" in out
