"""What the longer commands do; ``cli.py`` reads their arguments."""
