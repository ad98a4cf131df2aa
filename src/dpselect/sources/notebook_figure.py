"""A figure of matplotlib that a notebook shows, whether or not pyplot was ever imported; loaded when first drawn."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

# Dots per inch on a page, and as many pixels as one side may have there.
_DPI, _MOST = 110, 8_000


class NotebookFigure(Figure):
    """A figure without a window: ``savefig`` saves it, and a notebook shows it as it shows those of pyplot."""

    def _repr_png_(self) -> bytes:
        shown = io.BytesIO()
        longest = max(*self.get_size_inches())
        self.savefig(shown, format="png", dpi=min(_DPI, _MOST / longest))
        return shown.getvalue()
