"""What the papers compare with and cannot be released: written for the experiments only."""
