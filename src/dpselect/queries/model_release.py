"""Models as they may be published: an estimator with its promise and its error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpselect.release.release import Release


@dataclass(frozen=True)
class ModelRelease(Release[Any]):
    """A model as it may be published: an estimator, fitted, unless this is an example."""

    @property
    def _answer(self) -> dict[str, str]:
        from dpselect.learn.export import answer_of

        return answer_of(self.value) if hasattr(self.value, "attributes_") else {"model": self.mechanism}

    @property
    def _protects(self) -> str | None:
        protects: str | None = self.value._protects
        return protects
