"""What stands in addresses, commands and Python is the number of the page, with all of its digits."""

from __future__ import annotations

import re
import shlex

import pytest

from dpselect.web.explorer.form_fields import NumberField, exact_text
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.pages import PAGES
from dpselect.web.explorer.text_column import TextColumn

# With all decimals that an epsilon has; fewer would pay more than the page shows.
LONG = 0.123457
ASKED = [page for page in PAGES if any(field.name == "epsilon" for field in page.content.fields(EXAMPLES))]


@pytest.mark.parametrize("number", [0.12345674999999997, LONG, 0.1, 0.001, 1e-7, 100.0, 2, 1 / 3, 5e-324, 1e300, 10**9])
def test_the_text_reads_as_the_same_number(number) -> None:
    """And an address that is written is read as what was written."""
    field = NumberField("epsilon", "Epsilon", 1, 0, 1e301)

    assert float(exact_text(number)) == number
    assert field.read({name: [text] for name, text in field.write(number)}) == number


@pytest.mark.parametrize("page", ASKED, ids=lambda page: page.path)
def test_commands_and_python_have_every_digit(page) -> None:
    """Each epsilon in them is the one that was asked for, except a share of it and the budget of an audit."""
    state = {field.name: field.read({}) for field in page.content.fields(EXAMPLES)} | {"epsilon": LONG}
    view = page.content.view(state, EXAMPLES)

    assert repr(LONG) in view.commands.python
    # A comparison of mechanisms draws lines over many epsilons, and not the one of the page.
    assert (repr(LONG) in view.example) is (page.path != "mechanisms")
    texts = [view.commands.shell, *(word for part in view.parts if part.kind == "note" for word in part.words)]
    for priced in re.findall(r"--epsilon (\S+)", " ".join(texts)):
        assert repr(LONG) == priced


@pytest.mark.parametrize("path", ["tree", "mechanisms", "audit"])
def test_the_headline_has_the_digits_of_the_command(path) -> None:
    """Where it names the epsilon of the page, it is the same text."""
    (page,) = [page for page in PAGES if page.path == path]
    state = {field.name: field.read({}) for field in page.content.fields(EXAMPLES)} | {"epsilon": LONG}

    assert f"psilon {LONG!r}" in page.content.view(state, EXAMPLES).headline


@pytest.mark.parametrize(
    "path, changed, file",
    [
        ("candidates", {"column": "-x"}, "people.csv"),
        ("mechanisms", {"column": "-x"}, "people.csv"),
        ("tree", {"class": "-x"}, "people.toml"),
    ],
)
def test_a_column_that_begins_with_a_dash_is_no_option(path, changed, file) -> None:
    """It comes last in the command, after what ends the options."""
    table = Material(columns={"-x": TextColumn.of("0123" * 5), "y": TextColumn.of("aabb" * 5)}, given="table")
    (page,) = [page for page in PAGES if page.path == path]
    state = {field.name: field.read({}) for field in page.content.fields(table)} | changed

    assert ["--", file, "-x"] == shlex.split(page.content.view(state, table).commands.shell)[-3:]


@pytest.mark.parametrize("page", ASKED, ids=lambda page: page.path)
def test_an_epsilon_has_no_more_decimals_than_a_query(page) -> None:
    """What no command could ask is refused, and not rounded."""
    fields = [field for field in page.content.fields(EXAMPLES) if field.name == "epsilon"]

    with pytest.raises(ValueError, match=r"Epsilon has at most 6 decimals: .*\.$"):
        fields[0].read({"epsilon": ["0.1234567"]})
