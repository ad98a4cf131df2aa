"""Numbers the papers print that no experiment here repeats, and why."""

from __future__ import annotations

from research.engine.experiment import NotReproduced

_MEDIAN_ONLY = "the utility of LD2 is defined for the median only; the thesis does not print its extension"

NOT_REPRODUCED: tuple[NotReproduced, ...] = (
    NotReproduced("000", "Figure 7", "HEPTH, p = 90: SNM-T needs less budget than LD2", "76%", _MEDIAN_ONLY),
    NotReproduced("000", "Figure 7", "HEPTH, p = 99: SNM-T needs less budget than LD2", "76%", _MEDIAN_ONLY),
    NotReproduced("000", "Figure 7", "PATENT, p = 90: SNM-T needs less budget than LD2", "70%", _MEDIAN_ONLY),
    NotReproduced("000", "Figure 7", "PATENT, p = 99: SNM-T needs less budget than LD2", "70%", _MEDIAN_ONLY),
    NotReproduced(
        "000",
        "Figure 9",
        "processor seconds of a fit in the logs, by dataset, depth and noise",
        "0.60 to 5.69",
        "they are seconds of another machine; ours are in research/comparisons/results/trees_speed.txt",
    ),
)
