"""What the programs published with the papers do, simulated: to measure what they cost, never to release anything.

Most of it is not private. Nothing here draws from ``dpselect.release``, and nothing outside ``research`` may use it.
"""
