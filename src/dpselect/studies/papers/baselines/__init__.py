"""What the papers compare with: written for the experiments only, never for a release."""
