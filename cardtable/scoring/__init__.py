"""Scores of games with real cards: what each game asks for after a round, and the points that follow."""
