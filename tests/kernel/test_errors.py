"""Messages that know the arguments they name."""

from __future__ import annotations

import pickle

from dpselect.kernel.errors import Advice


def test_advice_is_plain_text_in_python() -> None:
    """Facts are shown as they are, whatever is in them; of two wordings the first is Python's."""
    said = Advice("{path}: pass {unknown='clip'} or {this|--that}, at most {most}", path="{a|b}{unknown}", most=3)

    assert "{a|b}{unknown}: pass unknown='clip' or this, at most 3" == said == str(ValueError(said))
    assert "{a|b}{unknown}: pass <unknown='clip'> or <this|--that>, at most 3" == said.with_words(
        lambda text: f"<{text}>"
    )


def test_advice_pickles_as_its_text() -> None:
    """Errors of worker processes arrive."""
    error = pickle.loads(pickle.dumps(ValueError(Advice("pass {nodes=} for {path}", path="{x}"))))

    assert "pass nodes= for {x}" == str(error)
    assert str is type(error.args[0])
