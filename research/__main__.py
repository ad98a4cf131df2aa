"""``python -m research reproduce NAME``: the command line of dpselect, with the commands of a checkout."""

import sys

from dpselect.cli import commands, main

commands.register("research.commands")
sys.exit(main())
