"""Picture of a law: exact chances of three candidates, and what one more vote changes about them.

`python docs/pictures/law.py` draws it afresh.
"""

from paper import save

import dpselect as dps


def votes(coffee):
    """Return one vote per person, with so many for coffee."""
    votes = {"tea": 60, "coffee": coffee, "milk": 12}
    return dps.Scores(votes, sensitivity=1, range_bound=1, kind="integer")


def law():
    """Draw two mechanisms at one epsilon, beside a neighbour with one more vote."""
    return dps.plot.plot_pmf(votes(57), epsilon=0.5, mechanism=["permute-and-flip", "exponential"], neighbour=votes(58))


PICTURES = {"law": law}

if __name__ == "__main__":
    save(PICTURES)
