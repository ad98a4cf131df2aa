"""Where data lives: turned into plain arrays, knowing nothing of views."""
