"""One exact law per file: integers and a fraction in, a choice or noise out."""
