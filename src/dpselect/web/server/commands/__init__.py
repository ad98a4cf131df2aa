"""The command that serves, which the package ``dpselect.cli`` finds by an entry point."""

PANELS = {"More": {"serve": "Serve analysts over HTTP, within budgets that curators set."}}
EXTENDED: tuple[str, ...] = ()
