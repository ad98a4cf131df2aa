"""The commands about one column, about genetic markers, and the comparison of mechanisms."""

import json
import re
from pathlib import Path

import networkx
import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from tests.cli.test_command_registry import refusal


@pytest.fixture
def people(tmp_path: Path) -> str:
    """A hundred ages with names, most of them 40."""
    ages = [40] * 60 + list(range(20, 60))
    lines = ["name,age,pay", *(f"p{i},{age},{age / 2}" for i, age in enumerate(ages))]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.fixture
def study(tmp_path: Path) -> str:
    """Three markers in a hundred families."""
    path = tmp_path / "study.csv"
    path.write_text("snp,b,c\nrs1,90,10\nrs2,30,20\nrs3,22,20\n", encoding="utf-8")
    return str(path)


BOUNDS = ["--lower", "0", "--upper", "120"]


def test_percentile(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    """At a large epsilon the answer is exact; then come what it cost and its worst error, and no p-value."""
    assert 0 == main(["quantiles", people, "age", "--p", "90", *BOUNDS, "--epsilon", "1000"])

    answer, cost, worst = capsys.readouterr().out.splitlines()

    assert "percentile 90: 50" == answer
    assert "epsilon = 1000 per record added or removed, by permute-and-flip" == cost
    assert "as good as the best with probability 0.95, whatever the data" == worst


def test_median_of_decimals_on_a_finer_grid(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    """--step 0.5; --json for programs."""
    arguments = ["median", people, "pay", *BOUNDS, "--step", "0.5", "--epsilon", "1000", "--json"]
    assert 0 == main(arguments)
    answer = json.loads(capsys.readouterr().out)

    assert ([20.0], "1000", "add-remove") == (
        answer["candidates"],
        answer["guarantee"]["epsilon"],
        answer["guarantee"]["neighbours"],
    )


def test_the_record_with_the_median_value(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One of the sixty with the median age."""
    assert 0 == main(["median-record", people, "age", "--label", "name", *BOUNDS, "--epsilon", "1000"])
    first, cost, last = capsys.readouterr().out.splitlines()

    assert int(first.removeprefix("median: p")) < 81
    assert "epsilon = 1000 per record replaced, by local-dampening-flip" == cost
    assert last.startswith("no bound on the error: ")


def test_quantiles_of_a_histogram(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A .npy file is a histogram: cell i counts the value lower + i step."""
    np.save(tmp_path / "counts.npy", np.array([0, 500, 0, 500]))
    path = str(tmp_path / "counts.npy")
    assert 0 == main(["quantiles", path, "--p", "25", "75", "--lower", "10", "--step", "5", "--epsilon", "100"])

    assert ["percentile 25: 15", "percentile 75: 25"] == capsys.readouterr().out.splitlines()[:2]


def test_quantiles_by_shares_on_a_grid_of_any_size(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A step of a billionth is never written out; shares and percentages are the same release."""
    fine = [*BOUNDS, "--step", "1e-9", "--epsilon", "1000", "--json"]
    assert 0 == main(["quantiles", people, "pay", "--q", "1/4", "0.75", *fine])
    shares = json.loads(capsys.readouterr().out)
    assert 0 == main(["quantiles", people, "pay", "--p", "25", "75", *fine])

    assert ["0.25", "0.75"] == shares["q"]
    assert np.allclose(shares["candidates"], json.loads(capsys.readouterr().out)["candidates"], atol=1)


def test_quantiles_by_a_method_that_is_named(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The line before the last says which ran, and the last what is known of its error."""
    asked = ["quantiles", people, "age", "--p", "50", "90", *BOUNDS, "--epsilon", "1000"]
    for method, name in (("tree", "tree of counts"), ("auto", "recursive halving")):
        assert 0 == main([*asked, "--method", method])
        assert f"epsilon = 1000 per record added or removed, by {name}" == capsys.readouterr().out.splitlines()[-2]
    assert 0 == main([*asked, "--total", "60"])
    assert "percentile 50:" in capsys.readouterr().out
    assert "--total: leave it out, or name no --method" in refusal(
        [*asked, "--method", "tree", "--total", "60"], capsys
    )
    assert "did you mean tree" in refusal([*asked, "--method", "trees"], capsys)


@pytest.mark.parametrize("cell", ["", "x", "nan", "inf", "-99", "40.2", '"a,b"', "9" * 400])
def test_one_cell_is_read_by_itself(cell: str, people: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is refused, and nothing about it is said; all others are read as before."""
    with Path(people).open("a", encoding="utf-8") as file:
        file.write(f"\nghost,{cell},{cell}")
    for column, step in (("age", "1"), ("pay", "0.5")):
        arguments = [column, "--lower", "0", "--upper", "120", "--step", step, "--epsilon", "1000"]
        assert 0 == main(["quantiles", people, *arguments, "--p", "90"])
        assert 0 == main(["quantiles", people, *arguments, "--p", "25", "75"])
        assert 0 == main(["median-record", people, *arguments, "--label", "name"])
        assert "" == capsys.readouterr().err


def test_a_histogram_costs_by_its_cells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hundred cells of 10^10 records, which no memory holds one by one."""
    np.save(tmp_path / "h.npy", np.full(100, 10**10))
    for verb in (["quantiles", "--p", "50"], ["quantiles", "--p", "50", "99.9999"], ["median"]):
        assert 0 == main([verb[0], str(tmp_path / "h.npy"), *verb[1:], "--epsilon", "1"])
        assert re.match(r"(percentile 50|median): (49|50)$", capsys.readouterr().out.splitlines()[0])


def test_snp(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The markers in order of selection."""
    assert 0 == main(["snp", study, "--families", "100", "--k", "2", "--epsilon", "500"])
    lines = capsys.readouterr().out.splitlines()

    assert "  1  rs1" == lines[0]
    assert "in order of selection; epsilon = 500 per family replaced, by smooth-noisy-max, student-t" in lines[2]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_compare_prints_a_table_and_draws_a_picture(
    study: str, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exact figures for every mechanism, in a picture too."""
    picture = tmp_path / f"out.{suffix}"
    assert 0 == main(["compare", "snp", study, "--families", "100", "--epsilons", "1", "10", "--out", str(picture)])
    printed = capsys.readouterr().out

    assert "smooth-noisy-max" in printed
    assert "For public data only" in printed
    assert picture.stat().st_size > 5000


def test_compare_says_why_a_mechanism_does_not_apply(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The table says that it does not, and a line beneath holds the reason."""
    arguments = ["--families", "100", "--epsilons", "1", "--mechanisms", "inverse-sensitivity", "exponential"]
    assert 0 == main(["compare", "snp", study, *arguments])

    printed = capsys.readouterr().out
    assert 2 == len(re.findall(r"^  inverse-sensitivity +not applicable$", printed, re.MULTILINE))
    words = " ".join(printed.split())
    assert "inverse-sensitivity is not applicable: this mechanism needs the number of changes that" in words
    assert "pass " not in printed


def test_compare_leaves_out_what_does_not_apply(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it was asked for: the default is what applies, and the last line names the rest."""
    monkeypatch.setattr("research.commands.compare._USUAL", ("permute-and-flip", "inverse-sensitivity"))
    assert 0 == main(["compare", "top-k", "lesmis", "degree", "--epsilons", "1"])
    *lines, last = capsys.readouterr().out.splitlines()

    assert not [line for line in lines if "inverse" in line or "applicable" in line]
    assert "Not applicable here: inverse-sensitivity." in last


def test_compare_counts_steps_to_the_front(capsys: pytest.CaptureFixture[str]) -> None:
    """By the score that the command top-k draws by, not by the published one."""
    both = ["lesmis", "degree", "ego-density", "--pareto"]
    assert 0 == main(["compare", "top-k", *both, "--epsilons", "1", "--mechanisms", "permute-and-flip", "--json"])
    (row,) = json.loads(capsys.readouterr().out)["mechanisms"]
    graph = networkx.les_miserables_graph()
    parts = [utility(graph) for utility in (dps.utilities.degree, dps.utilities.ego_density)]
    law = dps.mechanism("permute-and-flip").pmf(dps.multiobjective.pareto_margin(parts), 1)

    assert max(law) == pytest.approx(row["probability_of_best"][0], abs=1e-6)


@pytest.mark.parametrize("task", [["percentile", "FILE", "age", "--p", "50"], ["median", "FILE", "age"]])
def test_compare_works_for_columns(task: list[str], people: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same data arguments as the command itself."""
    arguments = [people if argument == "FILE" else argument for argument in task]
    assert 0 == main(["compare", *arguments, *BOUNDS, "--epsilons", "1"])
    printed = capsys.readouterr().out

    assert "permute-and-flip" in printed
    assert "expected error, in the unit of age" in printed


def test_compare_works_for_graphs(capsys: pytest.CaptureFixture[str]) -> None:
    """A graph that ships with NetworkX."""
    assert 0 == main(["compare", "top-k", "lesmis", "degree", "--epsilons", "1"])

    assert "0.9" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quantiles", "FILE", "age", "--p", "50", "--epsilon", "1"], "pass --lower and --upper"),
        (["quantiles", "FILE", "--p", "50", *BOUNDS, "--epsilon", "1"], "has 3 columns"),
        (
            ["quantiles", "FILE", "age", "--p", "101", *BOUNDS, "--epsilon", "1"],
            "a percentage is a finite number from 0 to 100",
        ),
        (["quantiles", "FILE", "age", "--p", "50", *BOUNDS, "--step", "0", "--epsilon", "1"], "--step"),
        (["quantiles", "FILE", "age", "--p", "50", *BOUNDS, "--step", "500", "--epsilon", "1"], "--step"),
        (["quantiles", "none.npy", "--p", "50", "--epsilon", "1"], "does not exist"),
        (["median", "FILE", "age", "--lower", "9", "--upper", "9", "--epsilon", "1"], "--lower must be"),
        (["quantiles", "FILE", "age", "--p", "5", "5", *BOUNDS, "--epsilon", "1"], "given twice"),
        (["quantiles", "FILE", "age", *BOUNDS, "--epsilon", "1"], "either --q"),
        (["quantiles", "FILE", "age", "--p", "5", "--q", "0.1", *BOUNDS, "--epsilon", "1"], "either --q"),
        (
            ["quantiles", "FILE", "age", "--q", "25", *BOUNDS, "--epsilon", "1"],
            "a share, such as 0.25 for 25 per cent, is a finite",
        ),
        (["quantiles", "FILE", "age", "--p", "5", *BOUNDS, "--step", "500", "--epsilon", "1"], "--step"),
        (["snp", "FILE", "--families", "100", "--epsilon", "1"], "no column 'b'"),
        (["compare", "median", "FILE", "age", *BOUNDS, "--mechanisms", "expo"], "did you mean exponential"),
        (["compare", "median", "FILE", "age", *BOUNDS, "--out", "a.doc"], "not a picture"),
    ],
)
def test_bad_requests_end_with_one_sentence(
    arguments: list[str], message: str, people: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2, nothing on standard output."""
    assert message in refusal([people if argument == "FILE" else argument for argument in arguments], capsys)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.array([[1, 2], [3, 4]]), "one-dimensional"),
        (np.array([1.5, 2]), "integers >= 0"),
        (np.array([3]), "two counts"),
    ],
)
def test_bad_histograms_are_refused(
    content: np.ndarray, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence."""
    np.save(tmp_path / "counts.npy", content)
    assert message in refusal(["median", str(tmp_path / "counts.npy"), "--epsilon", "1"], capsys)


def test_commands_spend_from_a_ledger(people: str, study: str, tmp_path: Path, capsys) -> None:
    """Created, spent by two commands, shown as a bar, verified, exported; what does not fit is refused."""
    ledger = str(tmp_path / "b.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "1", "--dataset", "people"])
    percentile = ["quantiles", people, "age", "--p", "50", *BOUNDS, "--ledger", ledger, "--epsilon"]
    assert 0 == main([*percentile, "0.5"])
    quantiles = ["quantiles", people, "age", "--p", "25", "75", *BOUNDS, "--ledger", ledger, "--epsilon"]
    assert 0 == main([*quantiles, "0.25"])
    assert 0 == main(["budget", "spend", ledger, "--epsilon", "0.05", "--count", "2", "--note", "by hand"])
    capsys.readouterr()

    assert "left epsilon 0.15" in refusal([*percentile, "0.2"], capsys)
    assert "make another for those, dpselect budget create with --neighbours family." in refusal(
        ["snp", study, "--families", "100", "--epsilon", "0.1", "--ledger", ledger], capsys
    )
    assert 0 == main(["budget", "show", ledger])
    shown = capsys.readouterr().out
    assert f"[{'#' * 34}{'.' * 6}] epsilon: 0.85 spent, 0.15 left" in shown
    assert re.search(r"0\.25 x 1 +quantiles age +recursive halving$", shown, re.MULTILINE)
    assert "by hand" in shown
    assert 0 == main(["budget", "verify", ledger])
    assert "3 entries, unbroken; epsilon 0.85 spent" in capsys.readouterr().out
    assert 0 == main(["budget", "export", ledger])
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    described = first["metadata"].pop("description")
    assert {"command": "quantiles", "column": "age", "p": "50", "source": people} == first["metadata"]
    assert 64 == len(described)
    assert 0 == main(["budget", "export", ledger, "--backup", str(tmp_path / "copy")])
    capsys.readouterr()
    assert 0 == main(["budget", "show", str(tmp_path / "copy"), "--json"])
    assert "17/20" == json.loads(capsys.readouterr().out)["spent"]["epsilon"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["budget", "show", "none.ledger"], "ledger none.ledger does not exist"),
        (["budget", "create", "FILE", "--epsilon", "1", "--dataset", "x"], "exists already"),
        (["budget", "create", "x.ledger", "--epsilon", "0", "--dataset", "x"], "epsilon must be positive"),
        (["budget", "create", "x.ledger", "--epsilon", "one", "--dataset", "x"], "is not a number"),
        (["budget", "create", "x.ledger", "--epsilon", "1", "--dataset", "x", "--rule", "rho"], "needs a delta"),
        (["budget", "verify", "FILE"], "not a ledger"),
    ],
)
def test_bad_budgets_end_with_one_sentence(arguments: list[str], message: str, people: str, capsys) -> None:
    """Status 2, and no file is made."""
    assert message in refusal([people if argument == "FILE" else argument for argument in arguments], capsys)
    assert not Path("x.ledger").exists()


def test_several_metrics_are_combined(capsys: pytest.CaptureFixture[str]) -> None:
    """By Pareto dominance or by weights; one of both, and each metric once."""
    both = ["top-k", "lesmis", "degree", "ego-density", "--k", "2", "--epsilon", "5"]
    for how in (["--pareto"], ["--weights", "1", "100"]):
        assert 0 == main([*both, *how, "--json"])
        answer = json.loads(capsys.readouterr().out)
        assert 2 == len(answer["candidates"])
        assert answer["metric"].startswith("degree and ego-density")
    assert "choose one of them" in refusal(both, capsys)
    assert "choose one of them" in refusal([*both, "--pareto", "--weights", "1", "2"], capsys)
    assert "--weights: a list holds 2 to 20 values." in refusal([*both, "--weights", "1"], capsys)
    assert "--weights: each metric has one weight: name as many." in refusal([*both, "--weights", *"123"], capsys)
    one = ["top-k", "lesmis", "degree", "--epsilon", "1"]
    assert "name more than one" in refusal([*one, "--pareto"], capsys)
    assert "given twice" in refusal([*one, "degree", "--pareto"], capsys)
    for more, told in (([], "steps to the Pareto front"), (["--mechanism", "local-dampening-flip"], "Pareto")):
        assert 0 == main([*both, "--pareto", *more, "--json"])
        answer = json.loads(capsys.readouterr().out)
        assert f"degree and ego-density, {told}" == answer["metric"]
        assert answer["mechanism"].startswith(more[-1] if more else "permute-and-flip")
    shifted = [*both, "--pareto", "--mechanism", "shifted-local-dampening-flip"]
    assert "take --mechanism local-dampening-flip or permute-and-flip." in refusal(shifted, capsys)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        (["-1e3", "2"], "-1000 x degree + 2 x ego-density"),
        (["-1/2", "-.5"], "-1/2 x degree + -1/2 x ego-density"),
        (["1/3", "0"], "1/3 x degree + 0 x ego-density"),
    ],
)
def test_weights_of_every_form_are_recorded(weights, told: str, tmp_path: Path, capsys) -> None:
    """As exact numbers: in the text, in JSON and in the ledger."""
    ledger = str(tmp_path / "b.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "9", "--dataset", "x", "--neighbours", "edge"])
    both = ["top-k", "lesmis", "degree", "ego-density", "--epsilon", "1", "--ledger", ledger]
    capsys.readouterr()
    assert 0 == main([*both, "--weights", *weights])
    assert f"in order of selection by {told}; epsilon" in capsys.readouterr().out
    assert 0 == main([*both, "--weights", *weights, "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert dict(part.split(" x ")[::-1] for part in told.split(" + ")) == answer["weights"]
    assert "degree and ego-density, weighted" == answer["metric"]
    assert 0 == main(["budget", "export", ledger])

    for line in capsys.readouterr().out.splitlines():
        facts = json.loads(line)["metadata"]
        assert ("degree and ego-density, weighted", told) == (facts["metric"], facts["weights"])


def test_without_weights_the_metric_is_recorded(tmp_path: Path, capsys) -> None:
    """One metric, and several by their steps to the Pareto front."""
    ledger = str(tmp_path / "b.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "9", "--dataset", "x", "--neighbours", "edge"])
    one = ["top-k", "lesmis", "--epsilon", "1", "--ledger", ledger, "degree"]
    capsys.readouterr()
    for more, told in (
        ([], "degree"),
        (["ego-density", "--pareto"], "degree and ego-density, steps to the Pareto front"),
    ):
        assert 0 == main([*one, *more])
        assert f"in order of selection by {told}; epsilon" in capsys.readouterr().out
        assert 0 == main(["budget", "export", ledger])
        facts = json.loads(capsys.readouterr().out.splitlines()[-1])["metadata"]
        assert {"command": "top-k", "source": "lesmis", "metric": told}.items() <= facts.items()


def test_a_graph_after_the_weights_is_told_where_it_belongs(capsys) -> None:
    """Whatever follows --weights is taken for a weight."""
    both = ["top-k", "degree", "ego-density", "--epsilon", "1", "--weights", "1", "2", "e.csv"]

    assert "'e.csv' is not a number" in (said := refusal(both, capsys))
    assert "and the dataset before --weights" in said


def test_the_front_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two metrics of public data: candidates, front, the best and the drawn."""
    both = [
        "compare",
        "top-k",
        "lesmis",
        "degree",
        "ego-density",
        "--pareto",
        "--epsilons",
        "1",
    ]
    picture = tmp_path / "front.png"
    assert 0 == main([*both, "--mechanisms", "local-dampening-flip", "--objectives", str(picture)])
    assert picture.stat().st_size > 5000
    capsys.readouterr()
    one = [
        "compare",
        "top-k",
        "lesmis",
        "degree",
        "--epsilons",
        "1",
        "--objectives",
        str(tmp_path / "x.png"),
    ]
    assert "name two" in refusal(one, capsys)
    same = [*both, "--out", str(tmp_path / "x.svg"), "--objectives", str(tmp_path / "." / "x.svg")]
    assert "--out and --objectives are the same file" in refusal(same, capsys)
    assert not (tmp_path / "x.svg").exists()


@pytest.fixture
def drawn(monkeypatch) -> list:
    """The figures that were saved."""
    figures: list = []
    monkeypatch.setattr("dpselect.analysis.compare.save_figure", lambda figure, *_, **__: figures.append(figure))
    return figures


def front_of(figure) -> list:
    """The corners of the line that shows the front, and what the axes are called."""
    (axes,) = figure.axes
    (line,) = (each for each in axes.lines if each.get_label() == "front")
    return [sorted(zip(*map(list, line.get_data()), strict=True)), axes.get_xlabel(), axes.get_ylabel()]


@pytest.mark.parametrize("weights", [(1, 1), (-1, 1), (1, -2), (-1e-9, -3)])
def test_the_front_faces_where_weights_point(weights: tuple, drawn: list) -> None:
    """Nobody on it is beaten in both objectives, each in the direction of its weight."""
    points = [(0, 0), (1, 5), (2, 3), (2, 4), (4, 4), (5, 0), (5, 1), (3, 6), (0, 6)]
    signed = [(weights[0] * x, weights[1] * y) for x, y in points]
    front = {
        points[i]
        for i, (x, y) in enumerate(signed)
        if not any(a >= x and b >= y and (a, b) != (x, y) for a, b in signed)
    }
    parts = [dps.Scores(list(values), 1) for values in zip(*points, strict=True)]
    dps.accuracy.compare.draw_front(parts, ["a", "b"], [0], [1], "x.png", weights=weights)

    names = [name + ("" if weight > 0 else ", less is better") for name, weight in zip("ab", weights, strict=True)]
    assert [sorted(front), *names] == front_of(drawn[0])


def test_an_objective_of_weight_zero_is_not_on_the_front(drawn: list) -> None:
    """The front is where the other is best, all along the picture; two weights of zero have none."""
    parts = [dps.Scores([1, 3, 2], 1), dps.Scores([7, 8, 9], 1)]
    dps.accuracy.compare.draw_front(parts, ["a", "b"], [0], [1], "x.png", weights=(-1, 0))
    dps.accuracy.compare.draw_front(parts, ["a", "b"], [0], [1], "x.png", weights=(0, 2))

    assert [[(1, 0), (1, 1)], "a, less is better", "b, not counted"] == front_of(drawn[0])
    assert [[(0, 9), (1, 9)], "a, not counted", "b"] == front_of(drawn[1])
    with pytest.raises(ValueError, match="not both zero"):
        dps.accuracy.compare.draw_front(parts, ["a", "b"], [0], [1], "x.png", weights=(0, 0))


def test_the_picture_of_negative_weights_has_the_best_on_its_front(drawn: list, tmp_path: Path) -> None:
    """Where fewer neighbours are better, the best stands at the left."""
    both = ["compare", "top-k", "lesmis", "degree", "ego-density", "--weights", "-1", "1"]
    assert 0 == main([*both, "--epsilons", "1", "--objectives", str(tmp_path / "x.png")])
    (axes,) = drawn[0].axes
    (best,) = (set(zip(*line.get_data(), strict=True)) for line in axes.lines if line.get_label() == "best, no noise")

    assert set(front_of(drawn[0])[0]) & best
    assert "degree, less is better" == axes.get_xlabel()


def test_a_percentage_that_may_be_a_share_is_refused(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In one sentence that says how to ask for either."""
    assert 2 == main(["quantiles", people, "age", "--p", "0.5", *BOUNDS, "--epsilon", "1"])

    words = capsys.readouterr().err
    assert "For the share pass 50; for 0.5 per cent pass the share 0.005 to dpselect quantiles --q." in words
