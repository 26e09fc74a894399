"""Labels of the table's keys that depend on the view state, and the footer."""

from collections.abc import Mapping
from typing import Final

from cardtable.session.session_events import Stage
from cardtable.ui.keys.bindings import FooterKeys
from cardtable.ui.keys.table_keys import TABLE, TableKeyState, can_move_in_box, can_switch_row
from cardtable.ui.table.model.view_state import TableViewState

_CONTINUE_LABELS: Final = {
    Stage.CURTAIN: "show my hand",
    Stage.ROUND_END: "next round",
    Stage.SESSION_END: "leave",
}
"""Labels of Enter and Space in the stages in which no card can be played."""
_ARROWS: Final = ("up", "down", "left", "right")
"""Keys that perform actions in some games, but only move while a question is asked."""
_IN_BOX_LABEL: Final = "option above or below"
"""Label of Up and Down in the decision box."""


_HINT_LABELS: Final = {
    **dict.fromkeys(("up", "down"), "another choice of the hint"),
    "play": "the choice selected in the hint",
    "hint": "more on these choices",
    "leave": "close the hint",
}
"""Labels of the keys that a hint takes."""


def build_labels(frame: TableViewState, *, in_hint: bool = False) -> Mapping[str, str]:
    """Return the labels that differ from the usual ones in this view state, by name of the key binding.

    ``in_hint`` is True for the labels while a hint is open.
    """
    labels = _build_table_labels(frame)
    if not in_hint:
        return labels
    choose = {} if frame.hand.selects_cards else {"choose": _HINT_LABELS["play"]}
    return {**labels, **_HINT_LABELS, **choose}


def _build_table_labels(frame: TableViewState) -> Mapping[str, str]:
    """Return the labels that differ from the usual ones while no hint is open.

    A game may add keys without a binding, such as digits, by their displayed text.
    """
    place_labels = {} if frame.is_local else {"leave": "to the lobby"}
    if frame.prompt:
        place_labels = {"leave": f"to {frame.prompt.origin}"}
        if frame.question:
            place_labels["hint"] = "the text again"
        if not frame.waiting:
            return {"play": "continue", "choose": "continue", **place_labels}
    if continue_label := _CONTINUE_LABELS.get(frame.stage):
        return {"play": continue_label, "choose": continue_label, **place_labels}
    if frame.robot_failed:
        return {**dict.fromkeys(("play", "choose"), "try again"), **place_labels}
    if frame.playback:
        return dict.fromkeys(("left", "right", "switch"), "another seat")
    if frame.spectator_reason:
        return place_labels
    in_box = {
        name: _IN_BOX_LABEL
        for name, step in (("up", -1), ("down", 1))
        if frame.waiting and can_move_in_box(frame, step)
    }
    to_row = {
        name: label
        for name, step, label in (("up", -1, "cards on the table"), ("down", 1, "your cards"))
        if frame.waiting and can_switch_row(frame, step)
    }
    choose = {} if frame.hand.selects_cards else {"choose": TABLE.find("play").label}
    performing = _ARROWS if frame.question else ()
    game_keys = {name: label for name, label in frame.game_view.keys if name not in performing}
    return {**to_row, **game_keys, **choose, **in_box, **place_labels}


def list_footer_keys(frame: TableViewState) -> FooterKeys:
    """Return the footer, the most important keys first, without keys that are not enabled."""
    if frame.waiting and frame.needs_confirmation:
        return {"play": frame.decision.commit if frame.decision else "yes", "leave": "back"}
    own = _list_stage_keys(frame)
    entries = {**own, **TABLE.footer, **_list_changed_labels(frame), **own}  # own keys come first, with their labels
    return TABLE.filter_footer(entries, TableKeyState(frame))


def _list_stage_keys(frame: TableViewState) -> FooterKeys:
    """Return the keys that come first in the footer: those that continue, choose and perform an action."""
    is_paused = frame.playback is not None and frame.playback.paused
    watch = {"pause": "continue", "step": "step"} if is_paused else {"pause": "pause"}
    if frame.is_reading or (frame.shows_trick and not frame.playback):
        return {"play": "continue"}
    if frame.is_round_over and frame.spectator_reason:
        return {"last_deal": "last deal"}
    if label := _CONTINUE_LABELS.get(frame.stage):
        return {"play": label, **watch, **({"last_deal": "last deal"} if frame.is_round_over else {})}
    if not frame.waiting:
        return watch
    return {**_list_action_keys(frame), "hint": "text" if frame.question else "hint"}


def _list_changed_labels(frame: TableViewState) -> FooterKeys:
    """Return the labels in the footer that differ from those of the rows, "" for keys that it omits now."""
    is_watching = frame.playback is not None and frame.is_in_play
    omitted = {
        "last_deal": frame.is_in_play,
        "slower faster, left right": not is_watching,
        "hint": not (is_watching and frame.can_request_hint),
        "open_hands, previous_trick": frame.is_reading,
        "rules": not frame.is_reading,
        "take_back": not frame.can_take_back,
        "new, again": not frame.is_over,
        "leave": frame.is_over and not frame.is_reading,
    }
    return {
        "new": "new deal" if frame.is_local else "another session",
        "leave": "leave (saved)" if frame.has_curtain else "leave",
        **{entry: "" for entries, is_omitted in omitted.items() if is_omitted for entry in entries.split(", ")},
    }


def _list_action_keys(frame: TableViewState) -> FooterKeys:
    """Return the keys with which the player at the keyboard chooses and performs an action."""
    decision, hand = frame.decision, frame.hand
    if frame.in_box and decision:
        sideways = decision.move_horizontal(frame.option, 1) is not None
        option = decision.options[frame.option]
        digits = {"0-9": "digits"} if option.label.startswith(str(option.number)) else {}
        moves = {"left right": decision.choose, **(dict(decision.keys) or digits)}
        confirms = frame.game_view.right_confirms
        to_cards = "switch" if sideways else "left" if confirms else "right"
        return {
            **({"up down": "line"} if decision.is_joint else {}),
            **(moves if sideways else {"up down": decision.choose}),
            "play right" if confirms and not sideways and not frame.question else "play": decision.commit,
            to_cards: "cards" if hand.selectable else "",
        }
    if not any(hand.can_select(card) for card in (*hand.cards, *hand.table)):
        return {"play": frame.view.legal[0].verb if frame.view.legal else "continue"}
    together = hand.selects_cards
    to_row = "".join([f" {name}" for name, step in (("up", -1), ("down", 1)) if can_switch_row(frame, step)])
    return {
        f"left right{to_row}": "card",
        "choose": "choose" if together else "",
        "play": frame.hand_action.verb if frame.hand_action else "",
        "switch": (frame.decision.commit if together else "options") if frame.decision else "",
    }
