"""Sessions without a screen: running them, their message logs, replays and simulations."""
