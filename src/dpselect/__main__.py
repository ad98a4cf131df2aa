"""``python -m dpselect``: the command line."""

import sys

from dpselect_command import main

sys.exit(main())
