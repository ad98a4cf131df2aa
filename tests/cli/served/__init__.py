"""Commands that ask a server, over real HTTP."""
