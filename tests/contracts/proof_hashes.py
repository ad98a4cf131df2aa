"""Which functions a proof covers, and whether they are still as they were when it was last read.

The last line of a proof is its Covers line: names, each with a hash of its source. Comments, docstrings, layout and the
words of errors are not part of the hash, so only a change of what the code does makes a proof old.

    python -m tests.contracts.proof_hashes                     prints what is old
    python -m tests.contracts.proof_hashes --write FILE.md ... says that these proofs were read again and hold
"""

from __future__ import annotations

import argparse
import ast
import functools
import hashlib
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "dpselect"
LINE = re.compile(r"^Covers: (.*)\.$", re.MULTILINE)
_ENTRY = re.compile(r"`([\w.]+)` ([0-9a-f]{8})")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Two proofs share at most this part of the phrases of the shorter one; those of today share at most 45 %.
_SHARED = 0.65
_AGAIN = "read the proof again, then run python -m tests.contracts.proof_hashes --write"


@functools.cache
def hashes(source: str) -> dict[str, str]:
    """Return the hash of every function, class, method and constant of a module, by its name."""
    found: dict[str, str] = {}
    _collect(ast.parse(source), "", found)
    return found


def _collect(owner: ast.Module | ast.ClassDef, prefix: str, found: dict[str, str]) -> None:
    for node in owner.body:
        for name in _names(node):
            found[prefix + name] = hashlib.sha256(_form(node).encode()).hexdigest()[:8]
            if isinstance(node, ast.ClassDef):
                _collect(node, f"{prefix}{name}.", found)


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, _DEFINITIONS):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    flat = [each for target in targets for each in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [target.id for target in flat if isinstance(target, ast.Name)]


def _form(node: object) -> str:
    """Return a tree without docstrings and messages, in a form that is the same for every version of Python."""
    if isinstance(node, list):
        return f"[{', '.join(map(_form, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        return f"Raise({_form(node.exc.func)})"
    fields = dict(ast.iter_fields(node))
    if isinstance(node, _DEFINITIONS) and ast.get_docstring(node) is not None:
        fields["body"] = node.body[1:]
    shown = (f"{name}={_form(value)}" for name, value in fields.items() if value is not None and value != [])
    return f"{type(node).__name__}({', '.join(shown)})"


def provable(source: str) -> list[str]:
    """Return the functions, classes and constants of a module that a proof of it covers: all but names of types."""
    names = [name for node in ast.parse(source).body for name in _names(node)]
    types = {
        name
        for node in ast.parse(source).body
        if not isinstance(node, _DEFINITIONS)
        for name in _names(node)
        if re.match(r"_*[A-Z]\w*[a-z]", name)
    }
    return [name for name in dict.fromkeys(names) if name not in types]


def covered(proof: Path) -> dict[str, str]:
    """Return what a proof covers, module.name to hash; empty where it does not say."""
    line = LINE.findall(proof.read_text(encoding="utf-8"))
    return dict(_ENTRY.findall(line[-1])) if line else {}


def source_of(proof: Path, name: str) -> Path:
    """Return the file beside a proof that defines a covered name."""
    return proof.with_name(f"{name.partition('.')[0]}.py")


def stale(proof: Path, sources: dict[str, str] | None = None) -> list[str]:
    """Return one sentence for each covered name that is no longer there or no longer the same.

    Args:
        proof: the file.
        sources: by name of a module, text that stands for its file.
    """
    shown = proof.relative_to(SOURCE).as_posix() if proof.is_relative_to(SOURCE) else proof.name
    again = f"{_AGAIN} {proof.relative_to(ROOT).as_posix() if proof.is_relative_to(ROOT) else proof}."
    entries, lacking = covered(proof), []
    if not entries:
        return [f"{shown} does not say what it covers: {again}"]
    texts = dict(sources or {})
    for name, then in entries.items():
        module, _, inner = name.partition(".")
        if module not in texts:
            file = source_of(proof, name)
            texts[module] = file.read_text(encoding="utf-8") if file.exists() else ""
        now = hashes(texts[module]).get(inner)
        if now is None:
            lacking.append(f"{shown} proves {name}, which is not there any more: mend its Covers line, and {again}")
        elif now != then:
            lacking.append(f"{shown} proves an older {name}: {again}")
    return lacking


def phrases() -> dict[Path, frozenset[tuple[str, ...]]]:
    """Return the phrases of every proof: four words in a row."""
    return {proof: _phrases(proof) for proof in proofs()}


def pasted(proof: Path, known: Mapping[Path, frozenset[tuple[str, ...]]]) -> list[str]:
    """Return one sentence for each other proof that says nearly the same in other names: it proves something else."""
    own, shown = _phrases(proof), []
    for other, theirs in known.items():
        if other != proof and len(own & theirs) > _SHARED * min(len(own), len(theirs)):
            shown.append(
                f"{proof.name} reads like {other.relative_to(SOURCE).as_posix()} with other names: write what is true "
                "of this code and why, or refer to the other proof in a sentence."
            )
    return shown


def _phrases(proof: Path) -> frozenset[tuple[str, ...]]:
    """Return four words in a row, wherever they stand, without headings, names of code, numbers and symbols."""
    text = LINE.sub("", proof.read_text(encoding="utf-8"))
    text = re.sub(r"^#.*$|`[^`]*`", " ", text, flags=re.MULTILINE)
    words = re.findall(r"[a-z]{2,}", text.lower())
    return frozenset(zip(words, words[1:], words[2:], words[3:], strict=False))


def write(proof: Path) -> None:
    """Give the Covers line the hashes of today: of the names it has, or of all that the file beside it defines.

    Raises:
        SystemExit: a name is not there, or the text is that of another proof.
    """
    if other := pasted(proof, phrases()):
        raise SystemExit("\n".join(other))
    names = list(covered(proof))
    if not names:
        names = [f"{proof.stem}.{name}" for name in provable(proof.with_suffix(".py").read_text(encoding="utf-8"))]
    now = {name: hashes(source_of(proof, name).read_text(encoding="utf-8")) for name in names}
    gone = [name for name in names if name.partition(".")[2] not in now[name]]
    if gone:
        raise SystemExit(f"{proof.name} covers {', '.join(gone)}, which is not there: mend its Covers line first.")
    line = "Covers: " + ", ".join(f"`{name}` {now[name][name.partition('.')[2]]}" for name in names) + "."
    text = proof.read_text(encoding="utf-8")
    proof.write_text(LINE.sub("", text).rstrip() + f"\n\n{line}\n", encoding="utf-8")


def proofs() -> Iterator[Path]:
    """Return every proof that says what it covers."""
    return (proof for proof in sorted(SOURCE.rglob("*.md")) if LINE.search(proof.read_text(encoding="utf-8")))


def main() -> int:
    """Print what is old, or write the hashes of today."""
    parser = argparse.ArgumentParser(description="Prints which proofs are older than their code.")
    parser.add_argument("--write", nargs="+", type=Path, metavar="FILE.md", help="proofs that were read again")
    for proof in parser.parse_args().write or []:
        write(proof.resolve())
    old = [sentence for proof in proofs() for sentence in stale(proof)]
    print("\n".join(old) or "Every proof is as old as its code.")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
