"""The command that shows exact chances, which the package ``dpselect.cli`` finds by an entry point."""

PANELS = {
    "Look before you spend": {"explore": "Look at exact chances in a browser: public or made-up data only."},
}
EXTENDED: tuple[str, ...] = ()
