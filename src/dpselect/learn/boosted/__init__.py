"""Private boosting: sums of small random tables, learned from noisy gradients and Hessians."""
