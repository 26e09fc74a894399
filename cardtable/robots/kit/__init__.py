"""Building blocks for the robots of all games.

Levels, rule policies, Monte Carlo search, hints and robots from files.
"""
