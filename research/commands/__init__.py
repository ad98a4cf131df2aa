"""Commands of a clone: reproduction and comparisons, and what two commands of the package do there besides."""

PANELS = {
    "More": {
        "compare": "Show accuracy against epsilon for several mechanisms, on public data.",
        "reproduce": "Re-create the papers' tables and figures, and judge their claims.",
    },
}
# Commands of the package that do more in a clone.
EXTENDED = ("audit", "datasets")
