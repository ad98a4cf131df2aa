"""The commands that are written by hand, as ``dpselect --help`` lists them; those of queries join them there.

Each is a file here of the same name, imported when it runs. The file of "above-threshold" is above_threshold.py, and
holds VERB.
"""

from __future__ import annotations

# Panel to command to one line.
PANELS = {
    "Describe a private table or graph": {
        "describe": "Write the public description of a table or a graph, to be filled in.",
        "check": "Count, for the curator alone, what lies outside of the description.",
    },
    "Ask a private table or graph": {
        "sql": "Ask in SQL: the best groups, noisy counts, quantiles, the most common values.",
        "above-threshold": "Answer which of many named counts are above a threshold, one by one.",
    },
    "Learn from a private table": {
        "predict": "Label a table with a released model.",
        "sample": "Draw more rows from a released synthetic table.",
    },
    "Publish": {
        "publish": "Answer a plan of queries under one total, with a page, files and one certificate.",
    },
    "Keep the budget": {
        "budget": "Keep a privacy budget in a ledger file.",
        "verify": "Check that the certificate of a release is whole, and that a ledger has its row.",
    },
    "Look before you spend": {
        "plan": "Compute the epsilon for an error, or the error of an epsilon, for any data.",
    },
    "More": {
        "datasets": "List the datasets that you may ask a server about, with what is left of them.",
        "history": "List what you asked a server, and show an answer once more.",
        "choose": "Choose the algorithm by traces of public data, and answer with it.",
        "snp": "Name the k most significant genetic markers (TDT).",
        "median-record": "Name the record that has the median of a column.",
        "certificate": "Write the entry of a certificate for the public registry of deployments.",
        "mechanisms": "List the mechanisms and what each is for.",
        "demo": "Compare metrics and mechanisms on a real graph, with exact probabilities.",
        "audit": "Check the library's own claims by brute force on tiny universes.",
    },
}
VERBS = {name: words for verbs in PANELS.values() for name, words in verbs.items()}
