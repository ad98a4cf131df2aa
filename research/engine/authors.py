"""The papers by authors and years, which is how people know them."""

from __future__ import annotations

from typing import NamedTuple


class Paper(NamedTuple):
    """Who wrote it and when, what it is about, and the name of its page."""

    authors: str
    subject: str
    slug: str


PAPERS: dict[str, Paper] = {
    "000": Paper("Chaves 2024", "Smooth Noisy Max", "chaves-2024"),
    "001": Paper("Farias 2021", "Local dampening", "farias-2021"),
    "002": Paper("Yamamoto and Shibuya 2024", "Smooth private selection", "yamamoto-and-shibuya-2024"),
    "003": Paper("Farias et al. 2024", "Several objectives: PrivPareto and PrivAgg", "farias-et-al-2024"),
    "004": Paper("Imola and Yang 2018", "Jostle: the choice of an algorithm", "imola-and-yang-2018"),
}
