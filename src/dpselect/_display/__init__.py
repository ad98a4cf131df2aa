"""What people see: tables in notebooks, pages and drawings from templates, one colour for each mechanism."""
