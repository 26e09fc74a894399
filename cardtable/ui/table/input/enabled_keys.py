"""Conditions of the table's key bindings, their labels that depend on the view state, and the footer."""

from collections.abc import Mapping
from typing import Final

from cardtable.engine.tricks import Play
from cardtable.session.session_events import Stage
from cardtable.ui.keys.bindings import TABLE, FooterKeys, KeyBinding
from cardtable.ui.table.model.view_state import TableViewState

SELECTION_KEYS: Final = frozenset(
    [
        *("left", "right", "left_any", "right_any", "first", "last", "up", "down"),
        *("ten", "jack", "queen", "king", "ace", "switch", "rub_out"),
    ]
)
"""Names of the key bindings that choose cards or options; digits have no names."""


_KEYS_OF_PLAYED_SESSIONS: Final = frozenset(
    ("rest", "give_card", "finish_round", "messages", "learn", "last_deal", "take_back", "coach", "again", "new")
)
"""Keys that have no effect in a lesson or a puzzle."""


class TableConditions:
    """Conditions of the table's key bindings, which ``KeyBinding.when`` names."""

    def __init__(self, frame: TableViewState, *, is_covered: bool = False, in_hint: bool = False) -> None:
        """``is_covered`` is True while an overlay takes the keys that scroll it, ``in_hint`` while a hint is open."""
        self.frame, self.is_covered, self.in_hint = frame, is_covered, in_hint

    def enables(self, key: KeyBinding) -> bool:
        """Return True if the key has an effect in this view state."""
        if self.frame.prompt and key.name in _KEYS_OF_PLAYED_SESSIONS:
            return False
        return key.is_enabled(self)

    @property
    def has_hand(self) -> bool:
        frame = self.frame
        has_cards = bool(frame.hand.cards or frame.hand.table)
        return has_cards and frame.stage is Stage.PLAY and frame.playback is None

    @property
    def can_move_sideways(self) -> bool:
        frame = self.frame
        return self.has_hand or frame.box is not None or (frame.playback is not None and frame.stage is Stage.PLAY)

    @property
    def can_go_right(self) -> bool:
        frame = self.frame
        return self.can_move_sideways or (
            frame.game_view.right_confirms and frame.stage is Stage.ROUND_END and self.can_confirm
        )

    @property
    def can_go_to_ends(self) -> bool:
        return self.is_covered or self.has_hand or self.frame.box is not None

    @property
    def can_move_up(self) -> bool:
        return self.is_covered or self.in_hint or _can_move_vertically(self.frame, -1)

    @property
    def can_move_down(self) -> bool:
        return self.is_covered or self.in_hint or _can_move_vertically(self.frame, 1)

    @property
    def can_switch(self) -> bool:
        frame = self.frame
        can_leave_box = frame.waiting and frame.decision and frame.hand.selectable
        return self.is_covered or bool(can_leave_box) or frame.playback is not None

    @property
    def can_confirm(self) -> bool:
        frame = self.frame
        if frame.stage is Stage.CURTAIN:
            return frame.handover_seat is not None
        if frame.prompt and not frame.waiting:
            return frame.is_reading or frame.shows_trick
        is_over = frame.stage is Stage.SESSION_END or (frame.stage is Stage.ROUND_END and not frame.spectator_reason)
        return frame.waiting or frame.shows_trick or frame.robot_failed or is_over

    @property
    def can_play_out(self) -> bool:
        frame = self.frame
        is_only_human = frame.human_count == 1 and frame.waiting and frame.game_view.tricks
        return is_only_human and any(isinstance(action, Play) for action in frame.view.legal)

    @property
    def can_finish_round(self) -> bool:
        frame = self.frame
        return frame.is_local and frame.waiting and bool(frame.others)

    @property
    def can_give_card(self) -> bool:
        return self.can_finish_round and bool(self.frame.view.practice_actions)

    @property
    def is_waiting_for_absent(self) -> bool:
        return self.frame.can_request_substitute

    @property
    def has_hints(self) -> bool:
        frame = self.frame
        return frame.stage is Stage.PLAY and not frame.spectator_reason and (frame.waiting or not frame.prompt)

    @property
    def can_learn(self) -> bool:
        return self.frame.is_local and self.has_no_curtain

    @property
    def has_previous_trick(self) -> bool:
        return self.frame.stage is Stage.PLAY and self.frame.game_view.previous_trick(self.frame.view) is not None

    @property
    def has_last_deal(self) -> bool:
        return bool(self.frame.scores) and self.has_no_curtain

    @property
    def is_at_club(self) -> bool:
        return not self.frame.is_local

    @property
    def can_take_back(self) -> bool:
        frame = self.frame
        is_at_rest = frame.waiting or frame.stage is Stage.ROUND_END
        return frame.human_count == 1 and not frame.spectator_reason and is_at_rest

    @property
    def can_be_coached(self) -> bool:
        frame = self.frame
        is_alone = frame.is_local and frame.human_count == 1 and not frame.spectator_reason
        return is_alone and self.has_no_curtain

    @property
    def has_no_curtain(self) -> bool:
        return self.frame.stage is not Stage.CURTAIN

    @property
    def has_open_hands(self) -> bool:
        return bool(self.frame.others) and self.frame.stage is Stage.PLAY

    @property
    def is_watching(self) -> bool:
        return self.frame.playback is not None and self.frame.stage is not Stage.SESSION_END

    @property
    def has_finished_journal(self) -> bool:
        return self.frame.is_recorded and self.frame.stage is Stage.SESSION_END

    @property
    def has_best_decision(self) -> bool:
        return self.frame.end_lines is not None and self.frame.end_lines.best_decision is not None

    @property
    def has_result_to_share(self) -> bool:
        return self.frame.end_lines is not None and bool(self.frame.end_lines.share)

    @property
    def can_repeat_deal(self) -> bool:
        return self.frame.has_same_deal and self.has_no_curtain

    @property
    def can_begin_another(self) -> bool:
        return self.has_no_curtain


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
    return frame.waiting and (
        _can_move_in_box(frame, step) or draws or shortcut is not None or _can_switch_row(frame, step)
    )


def _can_switch_row(frame: TableViewState, step: int) -> bool:
    """Return True if Up (-1) or Down (1) moves between the hand and the cards on the table."""
    return not frame.in_box and frame.hand.switch_row(step) is not None


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
        if frame.waiting and _can_move_in_box(frame, step)
    }
    to_row = {
        name: label
        for name, step, label in (("up", -1, "cards on the table"), ("down", 1, "your cards"))
        if frame.waiting and _can_switch_row(frame, step)
    }
    choose = {} if frame.hand.selects_cards else {"choose": TABLE.find("play").label}
    performing = _ARROWS if frame.question else ()
    game_keys = {name: label for name, label in frame.game_view.keys if name not in performing}
    return {**to_row, **game_keys, **choose, **in_box, **place_labels}


def list_footer_keys(frame: TableViewState) -> FooterKeys:
    """Return the footer, the most important keys first, without keys that are not enabled."""
    return TABLE.filter_footer(_list_stage_keys(frame), TableConditions(frame).enables)


def _list_stage_keys(frame: TableViewState) -> FooterKeys:
    playback, past = _list_playback_keys(frame), {"last_deal": "last deal", "sheet": "score"}
    back = {"take_back": "undo" if frame.can_take_back else "", "leave": "leave"}
    if frame.is_reading:
        return {"play": "continue", "sheet": "score", "rules": "rules", "leave": "leave"}
    if frame.stage is Stage.CURTAIN:
        return {"play": "show my hand", "sheet": "score", "messages": "messages", "leave": "leave (saved)"}
    if frame.stage is Stage.ROUND_END:
        next_round = {} if frame.spectator_reason else {"play": "next round", **playback}
        return {**next_round, **past, "messages": "messages", **back}
    if frame.stage is Stage.SESSION_END:
        return {
            "play": "leave",
            "replay": "replay",
            "session_review": "review",
            "share": "share",
            "new": "new deal" if frame.is_local else "another session",
            "again": "same deal",
            "sheet": "score",
            "last_deal": "last deal",
            "messages": "messages",
        }
    views = {"previous_trick": "previous", "sheet": "score", "messages": "messages"}
    hands = {"open_hands": "hands", "give_card": "extra card", "finish_round": "finish"}
    if playback:
        moves = {**hands, "slower faster": "speed", "left right": "seat"}
        return {**playback, **moves, "hint": "hint" if frame.can_request_hint else "", **views, **back}
    views = {**hands, **views}
    if frame.shows_trick:
        return {"play": "continue", **views, "leave": "leave"}
    if not frame.waiting:
        return {**views, "leave": "leave"}
    if frame.needs_confirmation:
        return {"play": frame.decision.commit if frame.decision else "yes", "leave": "back"}
    return {**_list_action_keys(frame), "hint": "text" if frame.question else "hint", **views, **back}


def _list_playback_keys(frame: TableViewState) -> FooterKeys:
    if frame.playback is None:
        return {}
    return {"pause": "continue", "step": "step"} if frame.playback.paused else {"pause": "pause"}


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
    to_row = "".join([f" {name}" for name, step in (("up", -1), ("down", 1)) if _can_switch_row(frame, step)])
    return {
        f"left right{to_row}": "card",
        "choose": "choose" if together else "",
        "play": frame.hand_action.verb if frame.hand_action else "",
        "switch": (frame.decision.commit if together else "options") if frame.decision else "",
    }
