"""A finished round, in the replay and as the last deal, and explanations of decisions in it."""
