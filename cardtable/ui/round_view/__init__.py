"""View of a finished round, for the replay and the last deal, with explanations of its decisions."""
