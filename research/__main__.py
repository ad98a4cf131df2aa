"""``python -m research reproduce NAME``: the command line of dpselect, with the commands of a checkout."""

import sys

from dpselect.cli import command_registry, main

command_registry.register("research.commands")
sys.exit(main())
