"""The private random forest: trees shaped by a survey, noisy counts of their leaves, and calibrated means."""
