"""Files of answers that are not printed, by what an answer is: a model, or a synthetic table."""

from typing import Any

from dpselect.cli import model_files, synthesis_files

# Each has OPTIONS, and says before anything is paid what it cannot write.
FILES: dict[str, Any] = {"model": model_files, "table": synthesis_files}
