"""Names of the library: one per thing, the field's word, and no dialect; the words are in vocabulary.toml."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.contracts import size
from tests.contracts.syntax import SOURCE, modules, parsed, statements

WORDS = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
# Exceptions that tell dpselect's own code how to go on, and reach no caller.
SIGNALS = {"RowsMoved", "StopAtSpend"}
_OPENINGS = {*WORDS["questions"], "are", "can", "do", "does", "is", "whether"}

Trees = Mapping[str, ast.Module]


@pytest.fixture(scope="module")
def trees() -> Trees:
    """Every module of the library, by its path below it."""
    return {path.relative_to(SOURCE).as_posix(): parsed(path) for path in modules()}


def parts(name: str) -> list[str]:
    """Return the words of a name in small letters."""
    return [
        word.lower()
        for piece in name.strip("_").split("_")
        for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", piece)
    ]


def definitions(trees: Trees) -> Iterator[tuple[str, str]]:
    """Yield the place and the name of every module, class and public function."""
    for path, tree in trees.items():
        stem = path.rpartition("/")[2].removesuffix(".py")
        if not stem.startswith("__"):
            yield path, stem
        for node in statements(tree):
            if isinstance(node, ast.ClassDef):
                yield f"{path}:{node.name}", node.name
        for node in tree.body:
            if isinstance(node, _FUNCTION) and not node.name.startswith("_"):
                yield f"{path}:{node.name}", node.name


def repeated_classes(trees: Trees) -> list[str]:
    """Return the names that more than one class has."""
    names = Counter(node.name for tree in trees.values() for node in statements(tree) if isinstance(node, ast.ClassDef))
    return sorted(name for name, count in names.items() if count > 1)


def frequent_files(paths: Sequence[str]) -> list[str]:
    """Return the file names that occur more than twice, not counting files named after something published."""
    published = tuple(f"{folder}/" for folder in WORDS["published"])
    own = [path for path in paths if not any(f"/{path}".find(f"/{folder}") >= 0 for folder in published)]
    names = Counter(path.rpartition("/")[2] for path in own)
    return sorted(name for name, count in names.items() if count > 2 and name != "__init__.py")


def misnamed_exceptions(trees: Trees) -> list[str]:
    """Return exceptions whose name does not end in Error, and other classes whose name does; warnings have Warning."""
    bases: dict[str, set[str]] = {}
    for tree in trees.values():
        for node in statements(tree):
            if isinstance(node, ast.ClassDef):
                bases[node.name] = {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}
    raised, warned = size.exceptions(), {"Warning", "UserWarning"}
    for _ in bases:
        raised |= {name for name, above in bases.items() if above & raised}
        warned |= {name for name, above in bases.items() if above & warned}
    wrong = {name for name in bases if (name in raised) != name.endswith("Error") and name not in SIGNALS}
    return sorted(name for name in wrong if not (name in warned and name.endswith("Warning")))


def is_participle(name: str) -> bool:
    """Return whether a name is one word, and that a participle."""
    words = parts(name)
    if len(words) != 1 or words[0] in WORDS["not_participles"]:
        return False
    return words[0] in WORDS["participles"] or (words[0].endswith("ed") and len(words[0]) > 4)


def participles(trees: Trees) -> list[str]:
    """Return modules, classes and public functions that are one word, and that a participle."""
    return [place for place, name in definitions(trees) if is_participle(name)]


def hidden_participles(trees: Trees) -> list[str]:
    """Return private functions, and methods of any kind, that are one word, and that a participle."""
    found = []
    for path, tree in trees.items():
        functions = [(path, node) for node in tree.body if isinstance(node, _FUNCTION) and node.name.startswith("_")]
        for node in statements(tree):
            if isinstance(node, ast.ClassDef):
                functions += [(f"{path}:{node.name}", each) for each in node.body if isinstance(each, _FUNCTION)]
        found += [f"{place}:{each.name}" for place, each in functions if is_participle(each.name)]
    return found


def foreign_words(trees: Trees) -> list[str]:
    """Return modules, classes and public functions with a metaphor or a question word among their parts."""
    refused = {*WORDS["metaphors"], *WORDS["questions"]}
    return [place for place, name in definitions(trees) if refused & set(parts(name))]


def retired(trees: Trees) -> list[str]:
    """Return where a name that was replaced is defined again: as a module, a class, a function or a method."""
    found = [f"{place}: {WORDS['retired'][name]}" for place, name in definitions(trees) if name in WORDS["retired"]]
    for path, tree in trees.items():
        for node in statements(tree):
            if isinstance(node, ast.ClassDef):
                for each in node.body:
                    if isinstance(each, _FUNCTION) and each.name in WORDS["retired"]:
                        found.append(f"{path}:{node.name}.{each.name}: {WORDS['retired'][each.name]}")
    return found


def questioning_openings(trees: Trees) -> list[str]:
    """Return the modules, classes and functions whose docstring begins with a question."""
    found = []
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, *_FUNCTION)):
                first = re.match(r"\w+", ast.get_docstring(node) or "")
                if first and first[0].lower() in _OPENINGS:
                    found.append(f"{path}:{getattr(node, 'lineno', 1)}")
    return found


def unknown_exceptions(trees: Trees) -> list[str]:
    """Return what docstrings say is raised and is the name of no exception."""
    known = size.exceptions() | SIGNALS
    found = []
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.ClassDef, *_FUNCTION)):
                section = re.search(r"^Raises:\n((?:    .*\n?|\n)*)", ast.get_docstring(node) or "", re.MULTILINE)
                lines = re.findall(r"^    ([A-Z][\w, ]*):", section[1] if section else "", re.MULTILINE)
                named = {name for line in lines for name in re.findall(r"\w+", line)}
                found += [f"{path}:{node.name}: {name}" for name in sorted(named - known)]
    return found


def foreign_reprs(trees: Trees) -> list[str]:
    """Return the classes whose ``repr`` begins with the name of another class."""
    return [
        f"{path}:{node.name}"
        for path, tree in trees.items()
        for node in statements(tree)
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, _FUNCTION) and method.name == "__repr__"
        for text in ast.walk(method)
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
        for name in re.findall(r"^([A-Z]\w+)\(", text.value)
        if name != node.name
    ]


def test_a_class_name_is_used_once(trees: Trees) -> None:
    """Whoever searches for a class finds one."""
    assert repeated_classes(trees) == []


def test_a_file_name_is_used_at_most_twice(trees: Trees) -> None:
    """Not counting files named after a command, a query, a score or a page."""
    assert frequent_files(list(trees)) == []


def test_exceptions_and_nothing_else_are_called_errors(trees: Trees) -> None:
    """But warnings, which are called so, and two signals."""
    assert misnamed_exceptions(trees) == []


def test_no_name_is_a_bare_participle(trees: Trees) -> None:
    """A function is a verb or the noun of its result."""
    assert participles(trees) == []


def test_no_private_function_and_no_method_is_a_bare_participle(trees: Trees) -> None:
    """The same rule, where only the library's own code reads the name."""
    assert hidden_participles(trees) == []


def test_no_name_is_a_metaphor_or_a_question(trees: Trees) -> None:
    """A noun of the field, or of the ecosystem."""
    assert foreign_words(trees) == []


def test_no_retired_name_comes_back(trees: Trees) -> None:
    """The message says what is written instead."""
    assert retired(trees) == []


def test_docstrings_of_modules_begin_with_what_is_there(trees: Trees) -> None:
    """A noun phrase or an imperative."""
    assert questioning_openings(trees) == []


def test_docstrings_name_exceptions_that_there_are(trees: Trees) -> None:
    """By the names that they have now."""
    assert unknown_exceptions(trees) == []


def test_a_repr_begins_with_the_name_of_its_class(trees: Trees) -> None:
    """Where it begins with the name of any class."""
    assert foreign_reprs(trees) == []


def test_every_retired_name_has_a_successor_that_is_defined(trees: Trees) -> None:
    """Or the list has grown old."""
    defined = {name for _, name in definitions(trees)}
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, _FUNCTION):
                defined.add(node.name)
            elif isinstance(node, ast.Name):
                defined.add(node.id)

    for old, new in WORDS["retired"].items():
        assert set(re.findall(r"\w+", new)) - {"or"} <= defined, f"{old}: {new}"


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [
        (repeated_classes, "views/newcomer.py", "class Guarantee:\n    pass\n"),
        (misnamed_exceptions, "views/newcomer.py", "class Wrong(ValueError):\n    pass\n"),
        (misnamed_exceptions, "views/newcomer.py", "class RankError:\n    pass\n"),
        (participles, "views/shown.py", '"""A file."""\n'),
        (participles, "views/newcomer.py", "class Asked:\n    pass\n"),
        (participles, "views/newcomer.py", "def answered() -> None:\n    pass\n"),
        (hidden_participles, "views/newcomer.py", "def _answered() -> None:\n    pass\n"),
        (hidden_participles, "views/newcomer.py", "class A:\n    def left(self) -> None:\n        pass\n"),
        (hidden_participles, "views/newcomer.py", "class A:\n    async def _kept(self) -> None:\n        pass\n"),
        (foreign_words, "views/newcomer.py", "class StreamDesk:\n    pass\n"),
        (foreign_words, "views/newcomer.py", "def what_there_is() -> None:\n    pass\n"),
        (foreign_words, "views/wall.py", '"""A file."""\n'),
        (retired, "views/newcomer.py", "class Draws:\n    pass\n"),
        (retired, "views/newcomer.py", "class A:\n    def log_law(self) -> None:\n        pass\n"),
        (questioning_openings, "views/newcomer.py", '"""What a view is."""\n'),
        (
            unknown_exceptions,
            "views/newcomer.py",
            'def f() -> None:\n    """A.\n\n    Raises:\n        Busy: b.\n    """\n',
        ),
        (foreign_reprs, "views/newcomer.py", 'class A:\n    def __repr__(self) -> str:\n        return "Draws(1)"\n'),
        (questioning_openings, "views/newcomer.py", '"""Whether it is one."""\n'),
        (questioning_openings, "views/newcomer.py", 'class View:\n    """What a view is."""\n'),
    ],
)
def test_a_planted_violation_is_found(rule, path: str, source: str, trees: Trees) -> None:
    """One more than without it."""
    few = {each: tree for each, tree in trees.items() if each.startswith("views/") or each == "kernel/guarantee.py"}

    assert len(rule({**few, path: ast.parse(source)})) == len(rule(few)) + 1


def test_a_third_file_of_one_name_is_found() -> None:
    """A second one is not, nor is one that is named after a query."""
    assert frequent_files(["kernel/sum.py", "views/sum.py", "queries/sum.py"]) == []
    assert frequent_files(["kernel/sum.py", "views/sum.py", "ledger/sum.py"]) == ["sum.py"]
