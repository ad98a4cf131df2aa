"""Pictures as specifications of Vega-Lite: the same in notebooks, in the explorer and in reports.

A function here takes what it shows and returns a picture, which a notebook shows by itself. Exact chances and
errors follow from the scores, so every chart is for public or made-up data.
"""
