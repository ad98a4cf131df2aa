"""Every published system by its printed name: where it is, and with which settings."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

from dpselect.kernel.errors import InputError

_CHAVES, _FARIAS = "dpselect.papers.chaves_2024", "dpselect.papers.farias_2021"
_SEVERAL, _SPS = "dpselect.papers.farias_et_al_2024", "dpselect.papers.yamamoto_and_shibuya_2024"
_FIVE = "dpselect.learn.jostle_trees"
_Place = tuple[str, str, dict[str, Any]]

_PLACES: dict[str, _Place] = {
    # Chaves 2024.
    "SNM-T": (_CHAVES, "snm_t", {}),
    "SNM-LAP": (_CHAVES, "snm_lap", {}),
    "SNM-LLN": (_CHAVES, "snm_lln", {}),
    "greedy tree": (_CHAVES, "greedy_tree", {}),
    "random forest": (_CHAVES, "random_forest", {}),
    # Farias 2021.
    "SLD": (_FARIAS, "sld", {}),
    "PrivTopk": (_FARIAS, "priv_topk", {}),
    "EMPrivTopk": (_FARIAS, "em_priv_topk", {}),
    "PFPrivTopk": (_FARIAS, "pf_priv_topk", {}),
    "LDPrivTopk": (_FARIAS, "ld_priv_topk", {}),
    "SLDPrivTopk": (_FARIAS, "sld_priv_topk", {}),
    "GlobalDiffPID3": (_FARIAS, "global_diff_pid3", {}),
    "LocalDiffPID3": (_FARIAS, "local_diff_pid3", {}),
    "ShiftedLocalDiffPID3": (_FARIAS, "shifted_local_diff_pid3", {}),
    "PrivateSQL": ("dpselect.papers.private_sql", "private_sql", {}),
    "SuLQ ID3": ("dpselect.papers.sulq", "SulqID3Classifier", {}),
    # Farias et al. 2024.
    "PrivPareto": (_SEVERAL, "priv_pareto", {}),
    "PrivPareto_local": (_SEVERAL, "priv_pareto", {"sensitivity": "local"}),
    "PrivPareto_global": (_SEVERAL, "priv_pareto", {"sensitivity": "global"}),
    "PrivAgg": ("dpselect.release.several_objectives", "priv_agg", {}),
    "PrivAgg_local": ("dpselect.release.several_objectives", "priv_agg", {"sensitivity": "local"}),
    "PrivAgg_global": ("dpselect.release.several_objectives", "priv_agg", {"sensitivity": "global"}),
    "DP-MOET": (_SEVERAL, "dp_moet", {}),
    "DP-MOTkIN": (_SEVERAL, "dp_motkin", {}),
    **{
        f"{name}-{selection.title()}_{sensitivity}": (
            _SEVERAL,
            attribute_,
            {"selection": selection, "sensitivity": sensitivity},
        )
        for name, attribute_ in (("DP-MOET", "dp_moet"), ("DP-MOTkIN", "dp_motkin"))
        for selection in ("pareto", "agg")
        for sensitivity in ("local", "global")
    },
    # Yamamoto and Shibuya 2024.
    "SPS": (_SPS, "sps", {}),
    "TDT study": (_SPS, "tdt_study", {}),
    **{f"SPS ({case})": (_SPS, "tdt_study", {"case": case}) for case in ("I", "II", "III", "IV")},
    # Imola and Yang 2018.
    "Jostle": ("dpselect.adaptive", "AdaptiveAlgorithm", {}),
    "MkChoiceMaker": ("dpselect.adaptive", "AdaptiveAlgorithm", {}),
    "A1": (_FIVE, "friedman_schuster", {}),
    "A2": (_FIVE, "mohammed", {}),
    "A3": (_FIVE, "jagannathan", {}),
    "A4": (_FIVE, "patil_singh", {}),
    "A5": (_FIVE, "fletcher_islam", {}),
}
EVERY_SYSTEM = tuple(_PLACES)
_BY_KEY = {"".join(filter(str.isalnum, name)).lower(): name for name in _PLACES}


def published_system(name: str) -> Callable[..., Any]:
    """Return a published system by its printed name, a function or a class whose documentation says what differs.

    Args:
        name: one of ``EVERY_SYSTEM``; spaces, hyphens and capitals do not matter.

    Raises:
        ValueError: no such system; the message names the nearest.

    >>> published_system("LocalDiffPID3")(1).mechanism
    'local-dampening'
    >>> published_system("DP-MOET-Agg_global")(1).mechanism
    'exponential'
    """
    found = attribute(str(name))
    if found is None:
        near = difflib.get_close_matches(str(name), EVERY_SYSTEM, n=3, cutoff=0.4) or EVERY_SYSTEM[:3]
        raise InputError(f"The system {name!r} does not exist: did you mean {' or '.join(near)}?")
    known: Callable[..., Any] = found
    return known


def attribute(name: str) -> Any:
    """Return the system of a name, printed or as of Python; ``None`` if there is none.

    >>> attribute("sld_priv_topk") is attribute("SLDPrivTopk")
    True
    """
    key = _BY_KEY.get("".join(filter(str.isalnum, name)).lower())
    if key is None:
        return None
    module, own, settings = _PLACES[key]
    made = getattr(importlib.import_module(module), own)
    return partial(made, **settings) if settings else made
