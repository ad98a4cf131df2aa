"""``python -m research.comparisons speed``: one program by its name, with the words behind it."""

import runpy
import sys

if len(sys.argv) < 2 or not sys.argv[1].isidentifier():
    sys.exit("Name a program of research/comparisons, such as speed.")
name = sys.argv.pop(1)
runpy.run_module(f"research.comparisons.{name}", run_name="__main__", alter_sys=True)
