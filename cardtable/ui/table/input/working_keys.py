"""Which keys of the table do something now, and what."""

from collections.abc import Callable, Mapping
from typing import Final

from cardtable.engine.tricks import Play
from cardtable.ui.keys.scopes import Key
from cardtable.ui.table.model.sight import Sight, Stage


def _asked(sight: Sight) -> bool:
    return sight.waiting


def _never(_sight: Sight) -> bool:
    return False


def _hand(sight: Sight) -> bool:
    return bool(sight.hand.cards) and sight.stage is Stage.PLAY and sight.watch is None


def _sideways(sight: Sight) -> bool:
    return _hand(sight) or sight.box is not None or (sight.watch is not None and sight.stage is Stage.PLAY)


def _first(sight: Sight) -> bool:
    return _hand(sight) or sight.box is not None


def _right(sight: Sight) -> bool:
    return _sideways(sight) or (sight.piece.right_confirms and sight.stage is Stage.ROUND_END and _enter(sight))


def _switch(sight: Sight) -> bool:
    return bool(sight.waiting and sight.decision and sight.hand.able) or sight.watch is not None


def _watch(sight: Sight) -> bool:
    return sight.watch is not None and sight.stage is not Stage.SESSION_END


def _enter(sight: Sight) -> bool:
    if sight.stage is Stage.CURTAIN:
        return sight.called is not None
    over = sight.stage is Stage.SESSION_END or (sight.stage is Stage.ROUND_END and not sight.looking)
    return sight.waiting or sight.lingering or over


def _last_trick(sight: Sight) -> bool:
    return sight.stage is Stage.PLAY and sight.piece.last_trick(sight.view) is not None


def _rest(sight: Sight) -> bool:
    alone = sight.people == 1 and sight.waiting and sight.piece.tricks
    return alone and any(isinstance(action, Play) for action in sight.view.legal)


def _no_curtain(sight: Sight) -> bool:
    return sight.stage is not Stage.CURTAIN


def _take_back(sight: Sight) -> bool:
    return sight.people == 1 and not sight.looking and (sight.waiting or sight.stage is Stage.ROUND_END)


_WORKS: Final[Mapping[str, Callable[[Sight], bool]]] = {
    "left": _sideways,
    "right": _right,
    "left_any": _hand,
    "right_any": _hand,
    "first": _first,
    "last": _first,
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
    "rest": _rest,
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


_GOES_ON: Final = {
    Stage.CURTAIN: "show my hand",
    Stage.ROUND_END: "next round",
    Stage.SESSION_END: "to the picker",
}
"""What Enter and Space do where no card is played."""


def words(sight: Sight) -> Mapping[str, str]:
    """What some keys do just here: by their names, or by a sign that is no name."""
    if goes_on := _GOES_ON.get(sight.stage):
        return {"play": goes_on, "choose": goes_on}
    if sight.watch:
        return dict.fromkeys(("left", "right", "switch"), "another seat")
    return {} if sight.looking else dict(sight.piece.keys)


def works(key: Key, sight: Sight) -> bool:
    """Whether the key does something at the table as it is."""
    return key.name not in _WORKS or _WORKS[key.name](sight)
