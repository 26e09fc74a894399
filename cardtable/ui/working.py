"""Which keys of the table do something now."""

from collections.abc import Callable, Mapping
from typing import Final

from cardtable.engine.tricks import Play
from cardtable.ui.keys import Key
from cardtable.ui.sight import Sight, Stage


def _asked(sight: Sight) -> bool:
    return sight.waiting


def _never(_sight: Sight) -> bool:
    return False


def _hand(sight: Sight) -> bool:
    return bool(sight.hand.cards) and sight.stage is Stage.PLAY and sight.watch is None


def _sideways(sight: Sight) -> bool:
    return _hand(sight) or (sight.watch is not None and sight.stage is Stage.PLAY)


def _switch(sight: Sight) -> bool:
    return bool(sight.waiting and sight.decision and sight.hand.able) or sight.watch is not None


def _watch(sight: Sight) -> bool:
    return sight.watch is not None and sight.stage is not Stage.SESSION_END


def _enter(sight: Sight) -> bool:
    if sight.stage is Stage.CURTAIN:
        return sight.called is not None
    return sight.waiting or sight.lingering or (sight.stage is not Stage.PLAY and not sight.looking)


def _last_trick(sight: Sight) -> bool:
    return sight.stage is Stage.PLAY and sight.piece.last_trick(sight.view) is not None


def _claim(sight: Sight) -> bool:
    alone = sight.people == 1 and sight.waiting and sight.piece.tricks
    return alone and any(isinstance(action, Play) for action in sight.view.legal)


def _no_curtain(sight: Sight) -> bool:
    return sight.stage is not Stage.CURTAIN


def _take_back(sight: Sight) -> bool:
    return sight.people == 1 and (sight.waiting or sight.stage is Stage.ROUND_END)


_WORKS: Final[Mapping[str, Callable[[Sight], bool]]] = {
    "left": _sideways,
    "right": _sideways,
    "left_any": _hand,
    "right_any": _hand,
    "first": _hand,
    "last": _hand,
    "up": _asked,
    "down": _asked,
    "page_up": _never,
    "page_down": _never,
    "ten": _asked,
    "jack": _asked,
    "queen": _asked,
    "king": _asked,
    "ace": _asked,
    "switch": _switch,
    "play": _enter,
    "choose": _enter,
    "rub_out": lambda sight: bool(sight.hand.chosen),
    "claim": _claim,
    "hint": lambda sight: sight.stage is Stage.PLAY and not sight.looking,
    "last_trick": _last_trick,
    "last_deal": lambda sight: bool(sight.scores) and sight.stage is not Stage.CURTAIN,
    "take_back": _take_back,
    "order": lambda sight: bool(sight.hand.cards),
    "card_size": _no_curtain,
    "four_colours": _no_curtain,
    "beep": _no_curtain,
    "open_hands": lambda sight: bool(sight.others) and sight.stage is Stage.PLAY,
    "pause": _watch,
    "step": _watch,
    "faster": _watch,
    "slower": _watch,
    "replay": lambda sight: sight.stage is Stage.SESSION_END,
    "session_review": lambda sight: sight.stage is Stage.SESSION_END,
    "again": _no_curtain,
    "new": _no_curtain,
    "save_elsewhere": lambda sight: sight.unsaved,
}
"""When, by the names of keys; those that are not here always do."""


def works(key: Key, sight: Sight) -> bool:
    """Whether the key does something at the table as it is."""
    return key.name not in _WORKS or _WORKS[key.name](sight)
