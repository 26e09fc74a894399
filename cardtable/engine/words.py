"""How numbers are told, in every layer alike."""


def counted(number: int, thing: str) -> str:
    """A number of things: ``0 cards``, ``1 card``, ``2 cards``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def of_round(points: int, number: int) -> str:
    """The points of a round, with its number: ``+12 in round 3``, ``0 in round 3``."""
    return f"{points:+} in round {number}" if points else f"0 in round {number}"
