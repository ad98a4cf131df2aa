"""SuLQ's ID3: every node asks for noisy counts of every attribute, and splits by the largest noisy information gain.

The selection of Friedman and Schuster costs one query per node; this one costs one per attribute, so of the
B / (2 (d + 1)) for the selection each table of counts gets an equal part. Counts, stopping rule, leaves and pruning are
those of ``DPID3Classifier``, so a path spends B, exactly.

References: Blum et al. 2005; Farias 2021, section 7.2; Friedman and Schuster 2010, section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.learn import DPID3Classifier
from dpselect.learn.builder import PathCodes, Splitter, one_child_a_value
from dpselect.learn.domains import Attribute
from dpselect.learn.export import register_model
from dpselect.release.session import Session
from dpselect.utilities.counts import ONE
from dpselect.utilities.splits import Integers, row_scores_gain
from dpselect.views.records import NodeCounts


@dataclass(frozen=True)
class NoisyGains:
    """One child a value: the attribute whose noisy counts have the largest information gain."""

    def split(
        self, records: NodeCounts, path_codes: PathCodes, going: NDArray[np.bool_], epsilon: Fraction, draws: Session
    ) -> tuple[Integers, list[Integers]]:
        """Ask for the counts of every attribute that still has several values, at an equal share of epsilon."""
        split = np.full(going.size, -1, dtype=np.int64)
        tables = records.level(going.size)
        nodes = np.flatnonzero(going).tolist()
        with draws.disjoint(len(nodes)) as parts:
            for node, part in zip(nodes, parts, strict=True):
                places = [place for place, codes in enumerate(path_codes) if codes[node].sum() > 1]
                gains = []
                for place in places:
                    counts = tables[place][node][path_codes[place][node]]
                    noisy = part.counts(counts, epsilon / len(places), ONE)
                    gains.append(float(row_scores_gain(np.maximum(noisy, 0)).sum()))
                split[node] = places[int(np.argmax(gains))]
        return split, one_child_a_value(split, path_codes)


@register_model
class SulqID3Classifier(DPID3Classifier):
    """ID3 of noisy counts for every attribute: what selection replaced.

    Guarantee: epsilon-differential privacy, add-remove of one row, as ``DPID3Classifier``, whose parameters it takes;
    criterion and mechanism mean nothing here.

    >>> X, y = [[0, 1], [1, 0], [0, 0], [1, 1]] * 500, [0, 1, 0, 1] * 500
    >>> model = SulqID3Classifier(10, 1, domains={0: [0, 1], 1: [0, 1]}, classes=[0, 1])
    >>> model.fit(X, y).predict([[0, 1], [1, 1]])
    array([0, 1])
    """

    def _splitter(self, _: Sequence[Attribute]) -> Splitter:
        return NoisyGains()
