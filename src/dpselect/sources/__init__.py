"""Sources of data, turned into plain arrays, knowing nothing of views."""
