"""``python -m dpselect``: the command line."""

import sys

from dpselect.cli import main

sys.exit(main())
