"""The private random forest."""
