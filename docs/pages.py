"""The generated pages: the reference from docstrings and commands, the proofs, the benchmarks.

They are written into reference/made/, which is not kept.
"""

import importlib
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import click

import dpselect as dps
from dpselect.cli import click_commands, command_registry
from dpselect.cli.examples import wrap_command

DOCS = Path(__file__).parent
ROOT = DOCS.parent
SOURCE = ROOT / "src" / "dpselect"
MADE = DOCS / "reference" / "made"
PROOF_SECTION = "## Claim"

# What the pages of modules are called; a module that is not here is called by its name.
TITLES = {
    "sensitivity": "Sensitivities",
    "ledger": "Ledgers",
    "learn": "Trees",
    "audit": "The auditor",
    "chooser": "The chooser",
    "client": "The client of a server",
    "accuracy.compare": "Comparing mechanisms",
    "accuracy.metrics": "How good a choice was",
}
# Packages that are not public by themselves, or have pages of another kind.
INNER = {"core", "cli", "views", "sources", "mechanisms", "utilities", "papers"}

# Files of the repository, and the page of the site that shows them.
SHOWN_ON = {
    "research/comparisons/README.md": "record/benchmarks.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "data/README.md": "record/data.md",
    "src/dpselect": "record/proofs.md",
    "src/dpselect/__init__.py": "api.md",
    "src/dpselect/cli": "commands.md",
    "src/dpselect/mechanisms": "mechanisms.md",
    "src/dpselect/utilities": "utilities.md",
    "src/dpselect/papers": "papers.md",
}


def write_all() -> None:
    """Write every page; one that did not change is left alone, so that the next build is quick."""
    pages = every_page()
    for path in MADE.rglob("*.md"):
        if path.relative_to(MADE).as_posix() not in pages:
            path.unlink()
    for name, text in pages.items():
        path = MADE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def public_modules() -> dict[str, ModuleType]:
    """Return the public modules, and the packages that are loaded when they are first used."""
    modules = {name: getattr(dps, name) for name in dps.__all__ if isinstance(getattr(dps, name), ModuleType)}
    packages = [file.parent.name for file in SOURCE.glob("*/__init__.py")]
    names = (*packages, "interop", "multiobjective", "tuning")
    modules |= {name: importlib.import_module(f"dpselect.{name}") for name in names}
    modules |= {
        f"accuracy.{module.__name__.rpartition('.')[2]}": module
        for module in (dps.accuracy.compare, dps.accuracy.metrics)
    }
    return {name: module for name, module in modules.items() if name not in INNER and public_names(module)}


def every_page() -> dict[str, str]:
    """Return path below reference/made/ to text."""
    utilities, papers = (
        {function.__name__: function for function in room.EVERY_UTILITY} for room in (dps.utilities, dps.papers)
    )
    pages = {"api.md": api_reference(), "commands.md": command_line(), "record/benchmarks.md": benchmarks()}
    pages["record/data.md"] = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    pages |= {page: of_project(name) for name, page in SHOWN_ON.items() if "/" not in name}
    pages |= {f"{name}.md": module_page(name, module) for name, module in public_modules().items()}
    pages |= catalogue("mechanisms", "Mechanisms", dps.mechanisms.MECHANISMS)
    pages |= catalogue("utilities", "Utilities", utilities)
    pages |= catalogue("papers", "What the papers print", papers)
    others = ["SulqID3Classifier", "RandomDecisionForestClassifier", "private_sql"]
    pages["papers.md"] += "\n" + _autodoc("dpselect.papers", dps.papers, others)
    pages |= proofs()
    return pages


def api_reference() -> str:
    """Return the page of everything that ``import dpselect as dps`` gives, unless another page has it."""
    modules = public_modules().items()
    elsewhere = {id(getattr(module, name)): page for page, module in modules for name in public_names(module)}
    own, lines = [], []
    for name in dps.__all__:
        value = getattr(dps, name)
        if page := elsewhere.get(id(value)):
            lines.append(f"`dps.{name}` is on the page [{_title(page)}]({page}.md).")
        elif not isinstance(value, ModuleType):
            own.append(name)
    return _page(
        "API reference", "What `import dpselect as dps` gives.", "\n".join(lines), _autodoc("dpselect", dps, own)
    )


def module_page(name: str, module: ModuleType) -> str:
    """Return the page of one public module."""
    opening = inspect.getdoc(module).splitlines()[0]
    parts = [_autodoc(f"dpselect.{name}", module, public_names(module))]
    if name == "learn":
        parts += [
            "## What all of them share",
            _rst([".. autoclass:: dpselect.learn.estimator.PrivateEstimator", "   :members:"]),
            _rst([".. autoclass:: dpselect.learn.private_trees.PrivateTrees", "   :members:"]),
            _rst([".. autoclass:: dpselect.learn.boosted.estimator.PrivateBoosted", "   :members:"]),
        ]
    return _page(_title(name), f"`dpselect.{name}`: {opening}", *parts)


def public_names(module: ModuleType) -> list[str]:
    """Return what the module lists as public, or else the functions and classes that it defines."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not isinstance(getattr(module, name), ModuleType)]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == module.__name__
    ]


def catalogue(folder: str, title: str, functions: Mapping[str, Callable[..., Any]]) -> dict[str, str]:
    """Return a page for each mechanism or utility, and a table of them all."""
    pages, rows = {}, []
    for name, function in functions.items():
        module = inspect.getmodule(function).__name__
        words = dps.mechanism(name).summary if folder == "mechanisms" else _first_paragraph(function)
        proof = proof_page(Path(inspect.getfile(function)).with_suffix(".md"))
        pages[f"{folder}/{name}.md"] = _page(
            name,
            f"[The proof](../{proof})",
            _rst([f".. automodule:: {module}", "   :no-index:"]),
            _rst([f".. autofunction:: dpselect.{folder}.{function.__name__}"]),
        )
        rows.append(f"| [{name}]({folder}/{name}.md) | {_cell(words)} |")
    heading = "when to use it" if folder == "mechanisms" else "what it scores"
    table = "\n".join([f"| name | {heading} |", "|---|---|", *rows])
    pages[f"{folder}.md"] = _page(title, table, _contents(f"{folder}/{name}" for name in functions))
    return pages


def proofs() -> dict[str, str]:
    """Return every proof as it stands beside its code, and the list of them."""
    files = [file for file in sorted(SOURCE.rglob("*.md")) if PROOF_SECTION in file.read_text(encoding="utf-8")]
    pages = {proof_page(file): file.read_text(encoding="utf-8") for file in files}
    opening = (
        "Every mechanism, every utility, and every file that a release must trust has its proof beside its code; these "
        "are all of them. The last line of a proof names what it covers, with a hash of the source as it was read."
    )
    names = [name.removeprefix("record/").removesuffix(".md") for name in pages]
    pages["record/proofs.md"] = _page("Proofs", opening, _contents(names))
    return pages


def proof_page(file: Path) -> str:
    """Return where the page of a proof is, below reference/made/."""
    # The package may be imported from where it was installed.
    root = SOURCE if file.is_relative_to(SOURCE) else Path(dps.__file__).parent
    *rooms, _ = file.relative_to(root).parts
    named = "" if rooms[:1] in (["mechanisms"], ["utilities"]) else "".join(f"{room}_" for room in rooms)
    return f"record/proofs/{named}{file.stem}.md"


def benchmarks() -> str:
    """Return the list of benchmarks, with links that lead to the printed results."""
    text = (ROOT / "research" / "comparisons" / "README.md").read_text(encoding="utf-8")
    return text.replace("](results/", "](../../../../research/comparisons/results/")


def of_project(name: str) -> str:
    """Return a page of the repository's first folder, with links that lead to the pages of the site."""
    return (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](../../")


def command_line() -> str:
    """Return the command line as the verbs describe themselves."""
    root = click_commands.root()
    parts = []
    for panel, verbs in command_registry.panels().items():
        parts.append(f"## {panel}")
        for name in verbs:
            parts += _commands(root.import_command(name), f"dpselect {name}", "###")
    opening = "Bad input ends with status 2 and one sentence on standard error, a broken claim with status 1."
    return _page("Command line", opening, *parts)


def _commands(verb: click.Command, name: str, level: str) -> Iterator[str]:
    yield f"{level} {name}"
    yield verb.help
    yield _described(verb, name)
    if isinstance(verb, click.Group):
        for task, inner in verb.commands.items():
            yield from _commands(inner, f"{name} {task}", f"{level}#")


def _described(verb: click.Command, name: str) -> str:
    usage = " ".join([name, *verb.collect_usage_pieces(click.Context(verb))])
    rows = []
    for param in verb.params:
        written = param.opts[0] if isinstance(param, click.Option) else ""
        if not getattr(param, "is_flag", False):
            written = f"{written} {param.metavar or ''}".strip()
        needed = " (required)" if param.required and "(required)" not in param.help else ""
        rows.append(f"| `{_cell(written)}` | {_cell(param.help)}{needed} |")
    table = "\n".join(["| argument | what it is |", "|---|---|", *rows]) if rows else ""
    return f"```text\n{usage}\n\n{_examples(verb)}\n```\n\n{table}"


def _examples(verb: click.Command) -> str:
    """Return the examples of a command, broken as on its page of help."""
    lines: list[str] = verb.verb.example.splitlines()  # type: ignore[attr-defined]
    return "\n".join(["example:", *(line for each in lines for line in wrap_command(each, 100))])


def show_as_written(_app: Any, what: str, _name: str, _it: Any, _options: Any, lines: list[str]) -> None:
    """Keep the indented formulas of a module line by line, and bars, powers and trailing underscores as they are."""
    shown, kept = [], ""
    for before, line in zip(["", *lines], lines, strict=False):
        formula = line.startswith("    ") or not line.strip()
        if (kept == "formula" and not formula) or (kept == "example" and not line.strip()):
            kept = ""
        if not kept and line.lstrip().startswith(">>>"):
            kept = "example"
        elif not kept and what == "module" and line.startswith("    ") and not before.strip():
            shown += ["::", ""]
            kept = "formula"
        shown.append(line.replace("``", "") if kept == "formula" else line if kept else _plain(line))
    lines[:] = shown


def _plain(line: str) -> str:
    parts = re.split(r"(``.*?``|:\w+:`.*?`|^\s*\.\. .*$|^\s*:[^:]+:)", line)
    parts[::2] = [re.sub(r"\||(?<!\\)\*\*|(?<=\w)_(?=\W|$)", _escaped, part) for part in parts[::2]]
    return "".join(parts)


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"\\{sign}" for sign in found[0])


def readable_defaults(
    _app: Any, _what: str, _name: str, _it: Any, _options: Any, arguments: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Show a default that is not Python, such as <factory>, as three dots."""
    return arguments and re.sub(r"<\w[^<>]*>", "...", arguments), returns


def leave_out_requests(_app: Any, _what: str, name: str, _it: Any, skip: bool, _options: Any) -> bool:
    """Leave out the methods with which scikit-learn routes metadata: it adds them, and users do not call them."""
    return skip or bool(re.fullmatch(r"set_\w+_request", name))


def keep_links_inside(_app: Any, page: str, source: list[str]) -> None:
    """Lead links to files of the repository to the pages of the site that show them."""
    folder = (DOCS / page).parent

    def inside(link: re.Match[str]) -> str:
        # Generated pages speak of each other from where they are.
        target = Path(os.path.normpath(folder / link[1]))
        path = target.relative_to(ROOT).as_posix() if target.is_relative_to(ROOT) else ""
        if made := SHOWN_ON.get(path):
            return f"](/reference/made/{made})"
        if path.startswith("src/") and path.endswith(".md"):
            return f"](/reference/made/{proof_page(target)})"
        return link[0]

    source[0] = re.sub(r"\]\((?!\w+:|/|#)([^)#\s]+)\)", inside, source[0])


def close_examples(_app: Any, _page: str, source: list[str]) -> None:
    """Leave out the empty line with which an example tells doctest that its output ends."""
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)


def _autodoc(path: str, module: ModuleType, names: list[str]) -> str:
    lines = []
    for name in names:
        value = getattr(module, name)
        if inspect.ismodule(value):
            lines += [f".. automodule:: {value.__name__}", "   :members:", ""]
        elif inspect.isclass(value):
            lines += [f".. autoclass:: {path}.{name}", "   :members:", ""]
        elif callable(value):
            lines += [f".. autofunction:: {path}.{name}", ""]
        else:
            lines += [f".. py:data:: {path}.{name}", "", f"   Holds {_held(value)}.", ""]
    return _rst(lines)


def _held(values: Iterable[Any]) -> str:
    """Return the members of a public constant by name."""
    names = (getattr(value, "__name__", getattr(value, "name", value)) for value in values)
    return ",\n   ".join(f"``{name}``" for name in names)


def _rst(lines: list[str]) -> str:
    return "\n".join(["```{eval-rst}", *lines, "```"])


def _page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", *(part for part in parts if part)]) + "\n"


def _contents(pages: Iterable[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```"])


def _first_paragraph(function: Callable[..., Any]) -> str:
    """Return how the module of a utility begins: what it is, as a formula."""
    return inspect.getdoc(inspect.getmodule(function)).split("\n\n")[0].replace("\n", " ")


def _cell(words: str) -> str:
    return words.replace("``", "`").replace("|", r"\|").replace("*", r"\*")


def _title(module: str) -> str:
    return TITLES.get(module, module.capitalize())


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:].rstrip(".") + "."
