"""How numbers are told, in every layer alike."""


def counted(number: int, thing: str) -> str:
    """A number of things: ``0 cards``, ``1 card``, ``2 cards``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def weighted(points: str, weight: int) -> str:
    """Points, and how many times they count in the totals unless that is once: ``-36 ×4``; nothing counts once."""
    return points if weight == 1 or points == "0" else f"{points} ×{weight}"
