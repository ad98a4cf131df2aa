"""The verbs, as ``dpselect --help`` lists them: each is a file here of the same name, imported when it runs."""

from __future__ import annotations

# Panel to verb to one line. The file of "top-k" is top_k.py, and holds VERB.
PANELS = {
    "Describe a private table": {
        "describe": "Write the public description of a table or a graph, to be filled in.",
        "check": "Count, for the curator alone, what lies outside of the description.",
    },
    "Ask a private table": {
        "median": "Release the median of a column, or name the record that has it.",
        "percentile": "Release a percentile of a column.",
        "quantiles": "Release several percentiles of a column under one budget.",
        "select": "Name the best candidates of a table of scores, where the table lives.",
        "counts": "Count the rows of every value or bin of a column: a noisy histogram.",
        "most-common": "Name the items that most different persons, or most rows, have.",
        "keys": "Reveal which names a column holds, where no public list names them.",
        "above": "Say which of many named counts are above a threshold, one by one.",
        "top-k": "Name the k most influential nodes of a graph.",
        "snp": "Name the k most significant genetic markers (TDT).",
    },
    "Learn from a private table": {
        "train": "Fit a private tree, forest or sum of small tables to a table.",
        "predict": "Label a table with a released model.",
        "choose": "Choose the algorithm by traces of public data, and answer with it.",
    },
    "Publish": {
        "publish": "Answer a plan of queries under one total, with a page, files and one certificate.",
    },
    "Keep the budget": {
        "budget": "Keep a privacy budget in a ledger file.",
        "certificate": "Write the entry of a certificate for the public registry of deployments.",
        "verify": "Check that the certificate of a release is whole, and that a ledger has its row.",
    },
    "Ask a server": {
        "datasets": "List the datasets that you may ask a server about, with what is left of them.",
        "history": "List what you asked a server, and show an answer once more.",
    },
    "Look before you spend": {
        "plan": "Say which epsilon is needed, or what an epsilon gives, whatever the data.",
        "mechanisms": "List the mechanisms and what each is for.",
        "demo": "Compare metrics and mechanisms on a real graph, with exact probabilities.",
        "audit": "Check the library's own claims by brute force on tiny universes.",
    },
}
VERBS = {name: words for verbs in PANELS.values() for name, words in verbs.items()}
