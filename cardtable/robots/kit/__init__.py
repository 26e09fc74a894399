"""What robots of all games are made of: levels, rule robots, the searcher, what hints are told with."""
