"""How numbers are told, and names that there are not, in every layer alike."""

from collections.abc import Iterable


def counted(number: int, thing: str) -> str:
    """A number of things: ``0 cards``, ``1 card``, ``2 cards``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def weighted(points: str, weight: int) -> str:
    """Points, and how many times they count in the totals unless that is once: ``-36 ×4``; nothing counts once."""
    return points if weight == 1 or points == "0" else f"{points} ×{weight}"


def letters(name: str) -> str:
    """A name however it is spelt: ``Ten Down``, ``ten-down`` and ``tendown`` are the same."""
    return "".join(name.casefold().replace("-", " ").replace("_", " ").split())


def unknown(kind: str, name: str, known: Iterable[str], all_of_them: str = "") -> str:
    """What is said where nothing of a kind is called so: the name that is nearest, else all, or where they stand."""
    from difflib import get_close_matches  # noqa: PLC0415  (late: needed for slips only)

    names = list(known)
    near = get_close_matches(name[:40].casefold(), names, 1)
    instead = f"did you mean {near[0]}?" if near else all_of_them or f"the {kind}s are {', '.join(names)}"
    return f"no {kind} is called {name[:30]!r}; {instead}"
