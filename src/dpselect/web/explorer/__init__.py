"""The explorer: pages that show exact laws of public or made-up data while one changes epsilon, counts and mechanism.

It draws nothing at random and spends nothing. Private data is only named, by the commands that pages show.
"""
