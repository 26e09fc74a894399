"""Building blocks for the robots of all games: levels, rule policies, Monte Carlo search, hints and robots from
files.
"""
