"""Building blocks shared by the robots of all games: levels, rule policies, Monte Carlo search and hints."""
