"""Commands that ask a query of private data, as a shell reads them."""

from __future__ import annotations

from typing import Any

from dpselect.mechanisms.large_epsilon import LARGEST
from dpselect.queries import Query
from dpselect.web.explorer.shell_words import quote_word


def shell_of(query: Query[Any], dataset: str, *more: str) -> str:
    """Return the command of a query.

    Args:
        query: what is not a default of it is written.
        dataset: the file of a description or of data.
        more: further options, as a shell reads them; empty ones are left out.

    >>> from dpselect.queries import Median
    >>> shell_of(Median("income", epsilon=0.5), "people.csv", "--lower 0 --upper 9")
    'dpselect median people.csv income --epsilon 0.5 --lower 0 --upper 9'
    >>> shell_of(Median("-x", epsilon=20), "survey.toml")
    'dpselect median --epsilon 20 --yes -- survey.toml -x'
    """
    words, options = [quote_word(dataset)], list[str]()
    for name, each in query.fields().items():
        kind, value = each.metadata["kind"], getattr(query, name)
        if value == each.default:
            continue
        written = kind.write(value)
        texts = [quote_word(plain(one)) for one in (written if isinstance(written, list | tuple) else [written])]
        if not each.kw_only:
            words += texts
        elif value is True:
            options.append(f"--{name.replace('_', '-')}")
        else:
            # An equals sign, so that a name that begins with a dash is a name.
            sign = "=" if texts[0].startswith("-") else " "
            options.append(f"--{name.replace('_', '-')}{sign}{' '.join(texts)}")
    options += {"model": ["--out model.json"], "table": ["--out synthetic.csv"]}.get(query.form, [])
    options += [each.strip() for each in more if each.strip()]
    options += ["--yes"] * (query.epsilon > LARGEST)
    command = f"dpselect {query.name.replace('_', '-')}"
    if any(word.startswith("-") for word in words):
        return " ".join([command, *options, "--", *words])
    return " ".join([command, *words, *options])


def plain(value: Any) -> str:
    """Return a value as people write it."""
    return f"{value:.12g}" if isinstance(value, float) else str(value).lower() if value is False else str(value)
