"""Conditions under which the key bindings of the table are enabled, and their labels, by view state."""

from collections.abc import Callable, Mapping
from typing import Final

from cardtable.engine.tricks import Play
from cardtable.session.session_events import Stage
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.toolkit.keys.bindings import KeyBinding

SELECTION_KEYS: Final = frozenset(
    [
        *("left", "right", "left_any", "right_any", "first", "last", "up", "down"),
        *("ten", "jack", "queen", "king", "ace", "switch", "rub_out"),
    ]
)
"""Names of the key bindings that choose cards or options; digits have no names."""


def _is_waiting(frame: TableViewState) -> bool:
    return frame.waiting


def _always_false(_frame: TableViewState) -> bool:
    return False


def _has_hand(frame: TableViewState) -> bool:
    return bool(frame.hand.cards) and frame.stage is Stage.PLAY and frame.playback is None


def _can_move_sideways(frame: TableViewState) -> bool:
    return _has_hand(frame) or frame.box is not None or (frame.playback is not None and frame.stage is Stage.PLAY)


def _can_go_to_ends(frame: TableViewState) -> bool:
    return _has_hand(frame) or frame.box is not None


def _can_move_in_box(frame: TableViewState, step: int) -> bool:
    """Return True if Up (-1) or Down (1) moves in the decision box, False if the game has an action for this key."""
    decision = frame.decision if frame.in_box else None
    if decision is None or not decision.is_single(frame.option):
        return decision is not None
    return not (frame.game_view.draws or frame.game_view.shortcut(frame.view, frame.hand.cards, step))


def _can_move_vertically(frame: TableViewState, step: int) -> bool:
    """Return True if Up (-1) or Down (1) has an effect; showing why a draw is impossible counts as one."""
    shortcut = frame.game_view.shortcut(frame.view, frame.hand.cards, step)
    draws = step > 0 and frame.game_view.draws
    return frame.waiting and (_can_move_in_box(frame, step) or draws or shortcut is not None)


def _can_go_right(frame: TableViewState) -> bool:
    return _can_move_sideways(frame) or (
        frame.game_view.right_confirms and frame.stage is Stage.ROUND_END and _can_confirm(frame)
    )


def _can_switch(frame: TableViewState) -> bool:
    return bool(frame.waiting and frame.decision and frame.hand.selectable) or frame.playback is not None


def _is_watching(frame: TableViewState) -> bool:
    return frame.playback is not None and frame.stage is not Stage.SESSION_END


def _can_confirm(frame: TableViewState) -> bool:
    if frame.stage is Stage.CURTAIN:
        return frame.handover_seat is not None
    is_over = frame.stage is Stage.SESSION_END or (frame.stage is Stage.ROUND_END and not frame.spectator_reason)
    return frame.waiting or frame.shows_trick or frame.robot_failed or is_over


def _has_previous_trick(frame: TableViewState) -> bool:
    return frame.stage is Stage.PLAY and frame.game_view.previous_trick(frame.view) is not None


def _can_play_out(frame: TableViewState) -> bool:
    is_only_human = frame.human_count == 1 and frame.waiting and frame.game_view.tricks
    return is_only_human and any(isinstance(action, Play) for action in frame.view.legal)


def _has_no_curtain(frame: TableViewState) -> bool:
    return frame.stage is not Stage.CURTAIN


def _can_take_back(frame: TableViewState) -> bool:
    return frame.human_count == 1 and not frame.spectator_reason and (frame.waiting or frame.stage is Stage.ROUND_END)


_CONDITIONS: Final[Mapping[str, Callable[[TableViewState], bool]]] = {
    "left": _can_move_sideways,
    "right": _can_go_right,
    "left_any": _has_hand,
    "right_any": _has_hand,
    "first": _can_go_to_ends,
    "last": _can_go_to_ends,
    "up": lambda frame: _can_move_vertically(frame, -1),
    "down": lambda frame: _can_move_vertically(frame, 1),
    "page_up": _always_false,
    "page_down": _always_false,
    "ten": _is_waiting,
    "jack": _is_waiting,
    "queen": _is_waiting,
    "king": _is_waiting,
    "ace": _is_waiting,
    "switch": _can_switch,
    "play": _can_confirm,
    "choose": _can_confirm,
    "rub_out": lambda frame: bool(frame.hand.chosen),
    "rest": _can_play_out,
    "stand_in": lambda frame: frame.view.turn in frame.disconnected,
    "hint": lambda frame: frame.stage is Stage.PLAY and not frame.spectator_reason,
    "previous_trick": _has_previous_trick,
    "last_deal": lambda frame: bool(frame.scores) and frame.stage is not Stage.CURTAIN,
    "take_back": _can_take_back,
    "order": lambda frame: bool(frame.hand.cards),
    "card_size": _has_no_curtain,
    "four_colours": _has_no_curtain,
    "beep": _has_no_curtain,
    "open_hands": lambda frame: bool(frame.others) and frame.stage is Stage.PLAY,
    "pause": _is_watching,
    "step": _is_watching,
    "faster": _is_watching,
    "slower": _is_watching,
    "replay": lambda frame: frame.is_recorded and frame.stage is Stage.SESSION_END,
    "session_review": lambda frame: frame.is_recorded and frame.stage is Stage.SESSION_END,
    "again": lambda frame: frame.has_same_deal and frame.stage is not Stage.CURTAIN,
    "new": lambda frame: frame.stage is not Stage.CURTAIN if frame.is_local else frame.stage is Stage.SESSION_END,
    "watch": lambda frame: not frame.is_local,
    "save_elsewhere": lambda frame: frame.is_unsaved,
}
"""Condition of each key binding, by name; bindings that are not listed are always enabled."""


_CONTINUE_LABELS: Final = {
    Stage.CURTAIN: "show my hand",
    Stage.ROUND_END: "next round",
    Stage.SESSION_END: "leave",
}
"""Labels of Enter and Space in the stages in which no card can be played."""
_IN_BOX_LABEL: Final = "choice above or below"
"""Label of Up and Down in the decision box."""


def build_labels(frame: TableViewState) -> Mapping[str, str]:
    """Return the labels that differ from the usual ones in this view state, by name of the key binding.

    A game may add keys without a binding, such as digits, by their displayed text.
    """
    remote_labels = {} if frame.is_local else {"leave": "to the lobby"}
    if continue_label := _CONTINUE_LABELS.get(frame.stage):
        return {"play": continue_label, "choose": continue_label, **remote_labels}
    if frame.robot_failed:
        return {**dict.fromkeys(("play", "choose"), "try again"), **remote_labels}
    if frame.playback:
        return dict.fromkeys(("left", "right", "switch"), "another seat")
    if frame.spectator_reason:
        return remote_labels
    in_box = {
        name: _IN_BOX_LABEL
        for name, step in (("up", -1), ("down", 1))
        if frame.waiting and _can_move_in_box(frame, step)
    }
    return {**dict(frame.game_view.keys), **in_box, **remote_labels}


def is_enabled(key: KeyBinding, frame: TableViewState) -> bool:
    """Return True if the key has an effect in this view state."""
    return key.name not in _CONDITIONS or _CONDITIONS[key.name](frame)


def _list_playback_keys(frame: TableViewState) -> list[tuple[str, str]]:
    if frame.playback is None:
        return []
    return [("pause", "go on"), ("step", "step")] if frame.playback.paused else [("pause", "pause")]


def _list_open_hands_keys(frame: TableViewState) -> list[tuple[str, str]]:
    return [("open_hands", "hands")] if frame.others else []


def list_footer_keys(frame: TableViewState) -> list[tuple[str, str]]:
    """Return key names and labels for the footer, the most important ones first."""
    back = [*([("take_back", "take back")] if frame.can_take_back else []), ("leave", "leave")]
    if frame.stage is Stage.CURTAIN:
        enter = [("play", "show my hand")] if frame.handover_seat is not None else []
        return [*enter, ("sheet", "score"), ("messages", "messages"), ("leave", "leave, all is kept")]
    past_keys = [*([("last_deal", "last deal")] if frame.scores else []), ("sheet", "score")]
    if frame.stage is Stage.ROUND_END:
        continue_keys = [] if frame.spectator_reason else [("play", "next round"), *_list_playback_keys(frame)]
        return [*continue_keys, *past_keys, ("messages", "messages"), *back]
    if frame.stage is Stage.SESSION_END:
        another = [("new", "new deal" if frame.is_local else "another session")]
        another += [("again", "same deal")] if frame.has_same_deal else []
        records = [("replay", "replay"), ("session_review", "review")] if frame.is_recorded else []
        return [("play", "leave"), *records, *another, *past_keys[::-1], ("messages", "messages")]
    view_keys = [("sheet", "score"), ("messages", "messages")]
    if frame.game_view.previous_trick(frame.view) is not None:
        view_keys.insert(0, ("previous_trick", "previous"))
    if frame.playback:
        moves = [*_list_open_hands_keys(frame), ("slower faster", "speed"), ("left right", "seat")]
        return [
            *_list_playback_keys(frame),
            *moves,
            *([("hint", "hint")] if frame.can_request_hint else []),
            *view_keys,
            *back,
        ]
    view_keys = [*_list_open_hands_keys(frame), *view_keys]
    if frame.shows_trick:
        return [("play", "go on"), *view_keys, ("leave", "leave")]
    if not frame.waiting:
        return [*view_keys, ("leave", "leave")]
    if frame.needs_confirmation:
        return [("play", frame.decision.commit if frame.decision else "yes"), ("leave", "back")]
    view_keys.insert(0, ("hint", "hint"))
    if frame.in_box and frame.decision:
        decision = frame.decision
        sideways = decision.move_horizontal(frame.option, 1) is not None
        option = decision.options[frame.option]
        digits = (("0-9", "digits"),) if option.label.startswith(str(option.number)) else ()
        others = decision.keys or digits
        moves = [("left right", decision.choose), *others] if sideways else [("up down", decision.choose)]
        confirms = frame.game_view.right_confirms
        to_cards = (
            [("switch" if sideways else "left" if confirms else "right", "cards")] if frame.hand.selectable else []
        )
        return [*moves, ("play right" if confirms else "play", decision.commit), *to_cards, *view_keys, *back]
    playable_cards = [card for card in frame.hand.cards if frame.hand.can_select(card)]
    if not playable_cards:
        return [("play", str(frame.view.legal[0]) if frame.view.legal else "go on"), *view_keys, *back]
    box = (
        [("switch", frame.decision.commit if frame.hand.has_multi_card_actions else "choices")]
        if frame.decision
        else []
    )
    together = [("choose", "choose")] if frame.hand.has_multi_card_actions else []
    enter = [("play", frame.hand_action.kind)] if frame.hand_action else []
    return [("left right", "card"), *together, *enter, *box, *view_keys, *back]
