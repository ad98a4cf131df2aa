"""Tables for notebooks, pages and drawings from templates, and one colour for each mechanism."""
