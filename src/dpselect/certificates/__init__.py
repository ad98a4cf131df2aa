"""Certificates: what a release was, on one page or in one JSON file, with a checksum."""
