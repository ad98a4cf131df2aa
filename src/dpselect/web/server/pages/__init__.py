"""The pages of the server: one file per place, each with a function that adds its addresses to a router."""
