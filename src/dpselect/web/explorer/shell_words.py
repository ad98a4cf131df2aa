"""Names in a command that is copied to a terminal, where a sign that is not shown could act as a key."""

from __future__ import annotations

import shlex

from dpselect.kernel.errors import InputError


def quote_word(name: str) -> str:
    r"""Return a name as one word of a shell; what is not printable is spelled by its bytes, as bash and zsh read it.

    Raises:
        ValueError: it has a null character, which no command can be given.

    >>> print(quote_word("job"), quote_word("two words"), quote_word("it's\n"))
    job 'two words' $'it\'s\012'
    """
    if "\0" in name:
        raise InputError("A name has a null character, which no command can hold: give it another name.")
    if name.isprintable():
        return shlex.quote(name)
    return "$'" + "".join(map(_escape_letter, name)) + "'"


def _escape_letter(letter: str) -> str:
    if letter in "\\'":
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    # Half a pair stands for a byte of a file's name that is not UTF-8.
    lone = "\udc80" <= letter <= "\udcff"
    return "".join(f"\\{byte:03o}" for byte in letter.encode(errors="surrogateescape" if lone else "surrogatepass"))
