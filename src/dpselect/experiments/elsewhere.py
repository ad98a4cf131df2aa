"""Numbers the papers print that no experiment here repeats, and why."""

from __future__ import annotations

from dpselect.experiments.experiment import Absent

NOT_REPRODUCED: tuple[Absent, ...] = ()
