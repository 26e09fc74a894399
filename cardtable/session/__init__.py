"""Sessions without a screen: the loop that runs them, their message log, replays and simulations."""
