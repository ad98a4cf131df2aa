"""The engines of the suite of engines."""

from __future__ import annotations

from tests.warehouse import engines

globals().update({name: each for name, each in vars(engines).items() if name in engines.FIXTURES})
