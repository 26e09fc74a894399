"""Games and game views that differ in some members from others."""

from copy import copy


def override(original, **members):
    """Return a game or game view like this one, with other facts and methods."""
    changed = copy(original)
    vars(changed).update(members)
    return changed
