"""What forms call questions, fields and choices, where a name of a program says too little to a person."""

from __future__ import annotations

_TITLES = {
    "counts": "Counts",
    "most_common": "Most common values",
    "top_k": "Top nodes",
    "select": "Best values",
    "train": "Train a model",
}
_LABELS = {
    "by": "In groups of",
    "k": "How many",
    "p": "Percentages of the rows",
    "shares": "Shares of the rows",
    "bins": "Edges of bins",
    "metric": "Ranked by",
    "candidate": "Choose among the values of",
    "score": "Best is",
    "of": "Total of",
    "target": "Column to predict",
    "features": "Columns to learn from",
    "max_depth": "Levels of a tree",
    "rounds": "Number of small tables",
    "interactions": "Tables of several columns",
    "n_trees": "Number of trees",
    "n_records": "Number of rows",
    "unknown": "Values outside the domain",
    "missing": "Missing values",
}
_LABELS_OF = {("train", "bins"): "Number of bins"}
_CHOICES = {
    "boosted": "boosted (a sum of small tables)",
    "id3": "id3 (a child for each value)",
    "largest-count": "the largest count",
    "smallest-count": "the smallest count",
    "largest-total": "the largest total",
    "smallest-total": "the smallest total",
}
_CHOICES_OF = {
    ("unknown", "clip"): "move to the nearest value",
    ("unknown", "ignore"): "leave the row out",
    ("missing", "ignore"): "leave the row out",
    ("missing", "category"): "a category of their own",
}
# What few people fill in, by question.
RARE = {
    "train": ("delta", "max_depth", "rounds", "interactions", "n_trees", "n_records", "bins", "unknown", "missing"),
    "select": ("mechanism",),
}


def title(question: str) -> str:
    """Return what a question is called.

    >>> title("top_k"), title("median")
    ('Top nodes', 'Median')
    """
    return _TITLES.get(question, question.replace("_", " ").capitalize())


def heading(question: str, dataset: str) -> str:
    """Return what a question about a dataset is called.

    >>> heading("median", "people"), heading("train", "people")
    ('Median of people', 'Train a model on people')
    """
    return f"{title(question)} {'on' if question == 'train' else 'of'} {dataset}"


def label(question: str, field: str) -> str:
    """Return what a field of a question is called.

    >>> label("train", "n_trees"), label("counts", "bins"), label("train", "bins")
    ('Number of trees', 'Edges of bins', 'Number of bins')
    """
    return _LABELS_OF.get((question, field)) or _LABELS.get(field, field.replace("_", " ").capitalize())


def choice(field: str, value: str) -> str:
    """Return what one of the choices of a field is called.

    >>> choice("unknown", "clip"), choice("model", "tree")
    ('move to the nearest value', 'tree')
    """
    return _CHOICES_OF.get((field, value)) or _CHOICES.get(value, value.replace("_", " "))
