"""Pictures of local sensitivity: pairs of people who agree, among at most 100 people.

`python docs/pictures/local_sensitivity.py` draws them afresh.
"""

import numpy as np
from paper import FAINT, INK, LIGHT, MIDDLE, save, sheet

import dpselect as dps
from dpselect._display.families import look

MOST = 100
CANDIDATES = ("tea", "coffee", "milk")
COUNTS = np.array([12, 8, 3])
PAIRS = COUNTS * (COUNTS - 1) // 2
COLOURS, LINES = (INK, MIDDLE, LIGHT), ("-", "--", "-.")
CEILING = MOST - 1

SCORES = dps.Scores(
    PAIRS,
    dps.sensitivity.element(lambda t: COUNTS + t, ceiling=CEILING, reach=CEILING),
    candidates=CANDIDATES,
)
# The same scores, knowing nothing but the worst case; and the counts themselves.
WORST = dps.Scores(PAIRS, CEILING, candidates=CANDIDATES)
PLAIN = dps.Scores(COUNTS, 1, candidates=CANDIDATES, range_bound=1)


def one_more_person():
    """Draw how far one more person moves each score, beside the worst case."""
    figure, (curve, bars) = sheet(ncols=2, width_ratios=(3, 2))
    people = np.arange(0, 17)
    curve.plot(people, people * (people - 1) / 2, color=FAINT, marker=".", markersize=6)
    for name, count, colour in zip(CANDIDATES, COUNTS, COLOURS, strict=True):
        pairs = count * (count - 1) / 2
        curve.plot([count, count + 1, count + 1], [pairs, pairs, pairs + count], color=colour)
        curve.plot(count, pairs, "o", color=colour)
        beside = (count + 1.3, pairs + count / 2 - 4)
        curve.annotate(f"{name}: +{count}", beside, va="center", color=colour)
    curve.set(xlabel="people who gave the answer", ylabel="pairs who agree", xlim=(0, 18.5), ylim=(-5, 122))
    curve.set_xticks(range(0, 17, 4))
    curve.set_title("One more person adds as many\npairs as there were people")
    bars.barh(range(4), [CEILING, *COUNTS], color=[FAINT, *COLOURS], height=0.6)
    bars.set_yticks(range(4), ["worst case", *CANDIDATES])
    bars.invert_yaxis()
    for place, value in enumerate([CEILING, *COUNTS]):
        bars.annotate(f"{value}", (value + 2, place), va="center")
    bars.set(xlabel="pairs that one person may add", xlim=(0, 118))
    bars.set_title("The worst case\nis far from here")
    return figure


def further_away():
    """Draw the sensitivity at each distance: what a database t steps from here could show."""
    figure, axes = sheet(height=3.6)
    distances = np.arange(0, 121)
    values = SCORES.sensitivity.at(distances)
    axes.axhline(CEILING, color=FAINT, linewidth=6)
    axes.annotate(f"ceiling {CEILING}: no database shows more", (1, CEILING + 2.5), va="bottom")
    for place, (name, colour, line) in enumerate(zip(CANDIDATES, COLOURS, LINES, strict=True)):
        axes.plot(distances, values[:, place], color=colour, linestyle=line, label=name)
    axes.axvline(CEILING, color=INK, linewidth=0.8, linestyle=":")
    axes.annotate("reach 99: from here on\nevery value is the ceiling", (CEILING + 1.5, 30), va="center")
    axes.set(xlabel="distance t, in steps from this database", ylabel="pairs one step may add", ylim=(0, 116))
    axes.legend(loc="lower right", bbox_to_anchor=(0.62, 0.04))
    return figure


def steps():
    """Draw each score as a row of steps, as wide as the sensitivity at distance 0, 1, 2, ..."""
    figure, (wide, narrow) = sheet(ncols=2, height=3.0, sharey=True)
    dampened = effective("local-dampening", SCORES)
    for place, (pairs, count) in enumerate(zip(PAIRS, COUNTS, strict=True)):
        wide.barh(place, pairs, height=0.5, color=FAINT, edgecolor=INK)
        wide.annotate(f"{pairs / CEILING:.2f} steps", (pairs + 2, place), va="center")
        left, width = 0, count
        while left < pairs:
            shade = FAINT if (width - count) % 2 else "white"
            narrow.barh(place, min(width, pairs - left), left=left, height=0.5, color=shade, edgecolor=INK)
            left, width = left + width, width + 1
        narrow.annotate(f"{dampened[place]:.2f} steps", (pairs + 2, place), va="center")
    wide.axvline(CEILING, color=INK, linewidth=0.8, linestyle=":")
    wide.annotate("one step ends here", (CEILING - 2, 1.5), ha="right", va="center")
    wide.set_yticks(range(3), [f"{name}, {pairs}" for name, pairs in zip(CANDIDATES, PAIRS, strict=True)])
    wide.invert_yaxis()
    wide.set(xlabel="pairs who agree", xlim=(0, 112))
    narrow.set(xlabel="pairs who agree", xlim=(0, 112))
    wide.set_title("Steps as wide as the worst case")
    narrow.set_title("Steps as wide as what can happen")
    return figure


def behind():
    """Draw how many steps each candidate is behind the best, by each way of counting steps."""
    figure, axes = sheet(height=2.9)
    ways = {
        "worst case": effective("exponential", WORST),
        "local dampening": effective("local-dampening", SCORES),
        "shifted local dampening": effective("shifted-local-dampening", SCORES),
        "another question: count people": effective("exponential", PLAIN),
    }
    for place, gaps in enumerate(ways.values()):
        axes.plot([0, (gaps.max() - gaps).max()], [place, place], color=FAINT, linewidth=1.5, zorder=0)
        for name, gap, colour, mark in zip(CANDIDATES, gaps.max() - gaps, COLOURS, "os^", strict=True):
            axes.plot(gap, place, mark, color=colour, markersize=9, label=name if place == 0 else None, linestyle="")
    axes.set_yticks(range(4), list(ways))
    axes.invert_yaxis()
    axes.set(xlabel="steps behind the best", ylim=(3.5, -0.5))
    axes.legend(loc="upper right")
    return figure


def chance_of_the_best():
    """Draw the exact probability of naming the best answer against epsilon."""
    figure, axes = sheet(height=3.8)
    epsilons = np.geomspace(0.05, 50, 61)
    ways = [
        ("count people, permute-and-flip", "permute-and-flip", PLAIN, ":"),
        ("shifted local dampening, flip", "shifted-local-dampening-flip", SCORES, "-"),
        ("local dampening, flip", "local-dampening-flip", SCORES, "--"),
        ("worst case, permute-and-flip", "permute-and-flip", WORST, "-."),
        ("worst case, exponential", "exponential", WORST, "-"),
    ]
    for label, name, scores, line in ways:
        mechanism = dps.mechanism(name)
        chance = [mechanism.pmf(scores, round(float(epsilon), 6))[0] for epsilon in epsilons]
        axes.plot(epsilons, chance, color=look(name).colour, linestyle=line, label=label)
    axes.set_xscale("log")
    axes.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
    axes.set(xlabel="epsilon", ylabel="chance that tea is named", ylim=(0.3, 1.02), xlim=(0.05, 50))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def smooth():
    """Draw the smooth bound: the largest sensitivity at any distance, discounted by exp(-beta t)."""
    figure, axes = sheet(height=3.4)
    distances = np.arange(0, 121)
    shared = dps.sensitivity.flatten(SCORES.sensitivity)
    for beta, colour, line in zip((0.02, 0.05, 0.2), COLOURS, LINES, strict=True):
        discounted = np.exp(-beta * distances) * shared.at(distances)[:, 0]
        axes.plot(distances, discounted, color=colour, linestyle=line, label=f"beta = {beta}")
        best = int(discounted.argmax())
        axes.plot(best, discounted[best], "o", color=colour)
        right, above = (1.5, 0.6) if best else (4, -3.4)
        axes.annotate(f"{discounted[best]:.1f}", (best + right, discounted[best] + above), color=colour, va="bottom")
    axes.set(xlabel="distance t, in steps from this database", ylabel="discounted sensitivity", ylim=(0, 30))
    axes.legend(loc="upper right")
    return figure


def effective(name, scores):
    """Return the effective scores in units, one for each candidate."""
    unit = dps.mechanism(name).effective(scores)
    return unit.ticks / float(unit.per_unit)


PICTURES = {
    "one-more-person": one_more_person,
    "further-away": further_away,
    "steps": steps,
    "behind": behind,
    "chance-of-the-best": chance_of_the_best,
    "smooth": smooth,
}

if __name__ == "__main__":
    save(PICTURES)
