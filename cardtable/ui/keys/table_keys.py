"""Key bindings of the table and its overlays: conditions on which they are enabled, labels, and the footer."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from cardtable.engine.tricks import Play
from cardtable.ui.keys.bindings import (
    MOVE_TOPIC,
    FooterKeys,
    KeyBinding,
    KeyBindings,
    Keys,
    bind,
    bind_line_keys,
    bind_pair,
)

if TYPE_CHECKING:  # the settings bind keys before the table is imported
    from cardtable.ui.table.last_deal import LastDeal
    from cardtable.ui.table.model.view_model import TableFrame
    from cardtable.ui.table.overlays import Messages, PasswordOverlay
    from cardtable.ui.table.paint.table_widget import TextInputOverlay


class TableKeyState(NamedTuple):
    """State of the table on which its keys depend."""

    frame: "TableFrame"
    is_covered: bool = False
    """True while an overlay takes the keys that scroll it."""
    in_hint: bool = False
    """True while a hint is open."""


def can_move_in_box(frame: "TableFrame", step: int) -> bool:
    """Return True if Up (-1) or Down (1) moves in the decision box, False if the game leads it to an action."""
    decision = frame.decision if frame.in_box else None
    if decision is None or not decision.is_single(frame.option):
        return decision is not None and not decision.is_row
    return frame.game_view.shortcut(frame.view, frame.hand.cards, step) is None


def can_switch_row(frame: "TableFrame", step: int) -> bool:
    """Return True if Up (-1) or Down (1) moves between the hand and the cards on the table."""
    return not frame.in_box and frame.hand.switch_row(step) is not None


def has_bar_choice(frame: "TableFrame") -> bool:
    """Return True if Up and Down choose a kind of actions in the bar above the hand, or the card under the cursor."""
    hand = frame.hand
    can_choose = hand.at is not None and (not hand.armed or len(hand.list_kinds_at(hand.at)) > 1)
    return bool(hand.bar) and can_choose and not (frame.in_box or hand.chosen)


def _can_climb(state: TableKeyState, step: int) -> bool:
    """Return True if Up (-1) or Down (1) has an effect."""
    frame = state.frame
    moves = can_move_in_box(frame, step) or can_switch_row(frame, step) or has_bar_choice(frame)
    has_effect = moves or frame.game_view.shortcut(frame.view, frame.hand.cards, step) is not None
    return state.is_covered or state.in_hint or (frame.waiting and has_effect)


def _has_hand(state: TableKeyState) -> bool:
    frame = state.frame
    return bool(frame.hand.cards or frame.hand.table) and frame.is_in_play and frame.playback is None


def _can_move_sideways(state: TableKeyState) -> bool:
    frame = state.frame
    return _has_hand(state) or frame.in_box or (frame.playback is not None and frame.is_in_play)


def _can_switch(state: TableKeyState) -> bool:
    frame = state.frame
    can_leave_box = bool(frame.waiting and frame.decision and frame.hand.selectable)
    return state.is_covered or frame.playback is not None or can_leave_box


def _can_confirm(state: TableKeyState) -> bool:
    frame = state.frame
    if frame.has_curtain:
        return frame.handover_seat is not None
    if frame.prompt and not frame.waiting:
        return frame.is_reading or frame.shows_trick
    awaits_next_round = frame.is_round_over and not frame.spectator_reason
    is_paused = frame.shows_trick or frame.robot_failed or frame.is_over or awaits_next_round
    return frame.waiting or frame.can_sit_down or is_paused


def _can_play_out(state: TableKeyState) -> bool:
    frame = state.frame
    is_only_human = frame.human_count == 1 and frame.waiting and not frame.prompt and frame.game.has_tricks
    return is_only_human and any(isinstance(action, Play) for action in frame.view.legal)


def _can_finish_round(state: TableKeyState) -> bool:
    return state.frame.is_local and state.frame.waiting and not state.frame.prompt and bool(state.frame.others)


def _has_hints(state: TableKeyState) -> bool:
    frame = state.frame
    return frame.is_in_play and not frame.spectator_reason and (frame.waiting or not frame.prompt)


def _has_no_curtain(state: TableKeyState) -> bool:
    return not state.frame.has_curtain


def _shows_session(state: TableKeyState) -> bool:
    return not state.frame.has_curtain and not state.frame.prompt


def _can_take_back(state: TableKeyState) -> bool:
    frame = state.frame
    is_alone = frame.human_count == 1 and not frame.spectator_reason and not frame.prompt
    return is_alone and (frame.waiting or frame.is_round_over)


def _can_be_coached(state: TableKeyState) -> bool:
    is_alone = state.frame.is_local and state.frame.human_count == 1 and not state.frame.spectator_reason
    return is_alone and _shows_session(state)


def _is_watching(state: TableKeyState) -> bool:
    return state.frame.playback is not None and not state.frame.is_over


def _has_finished_journal(state: TableKeyState) -> bool:
    return state.frame.is_recorded and state.frame.is_over


def _has_best_decision(state: TableKeyState) -> bool:
    lines = state.frame.end_lines
    return state.frame.is_over and lines is not None and lines.best_decision is not None


TABLE: "Final[KeyBindings[TableKeyState]]" = KeyBindings(
    "at the table",
    bind("left", "table.move(-1)", "next playable card or option", MOVE_TOPIC, (9, "seat"), when=_can_move_sideways),
    bind("right", "table.move(1)", "next playable card or option", MOVE_TOPIC, (9, "seat"), when=_can_move_sideways),
    bind_pair("left_any right_any", "table.walk", "any card", when=_has_hand),
    bind_pair("first last", "table.end", "first or last",
              when=lambda state: state.is_covered or _has_hand(state) or state.frame.in_box),
    bind("up", "table.climb(-1)", "up or down", MOVE_TOPIC, when=lambda state: _can_climb(state, -1)),
    bind("down", "table.climb(1)", "up or down", MOVE_TOPIC, when=lambda state: _can_climb(state, 1)),
    bind_pair("page_up page_down", "table.page", "half a screen", when=lambda state: state.is_covered),
    [
        KeyBinding(name, f"table.rank({rank})", "jump to that rank (digits too)", MOVE_TOPIC,
                   when=lambda state: state.frame.waiting, keys=Keys(name[0], vim=name[0].upper()))
        for rank, name in enumerate(("ten", "jack", "queen", "king", "ace"), 8)
    ],
    bind("switch", "table.switch", "cards or options", MOVE_TOPIC, when=_can_switch),
    bind("play", "table.commit", "play or choose", "Play", when=_can_confirm),
    bind("choose", "table.choose", "mark the card", "Play", when=lambda state: state.frame.waiting),
    bind("rub_out", "table.clear", "clear the selection", "Play", when=lambda state: state.frame.hand.chosen),
    bind("rest", "rest", "play out the rest", "Play", when=_can_play_out, keys=Keys("c", "claim concede finish")),
    bind("give_card", "table.give_card", "an extra card (practice)", "Play", (5, "extra card"),
         lambda state: _can_finish_round(state) and state.frame.view.practice_actions,
         Keys("D", "practice draw deal more")),
    bind("finish_round", "table.finish_round", "let robots finish the round", "Play", (6, "finish"), _can_finish_round,
         Keys("F", "practice end play out")),
    bind("stand_in", "stand_in", "let a robot play for someone away", "Play",
         when=lambda state: state.frame.can_request_substitute, keys=Keys("y", "robot substitute absent")),
    bind("hint", "hint", "hint and reasons", "See", (10, "hint"), _has_hints,
         Keys("h", "help advice suggestion coach", vim="H")),
    bind("explain_card", "table.explain_card", "what the card does", "See",
         when=lambda state: state.frame.waiting, keys=Keys("x", fallback="f4")),
    bind("previous_trick", "table.look_at('previous_trick')", "previous trick", "See", (11, "previous"),
         lambda state: state.frame.is_in_play and state.frame.game_view.previous_trick(state.frame.view) is not None,
         Keys("l", "last cards", vim="L")),
    bind("last_deal", "last_deal", "last deal", "See", (13, "last deal"),
         when=lambda state: _shows_session(state) and state.frame.scores),
    bind("sheet", "table.look_at('sheet')", "score sheet", "See", (12, "score"),
         when=lambda state: state.frame.shows_totals, keys=Keys("s", "scores points totals")),
    bind("messages", "table.messages", "messages and talk", "See", (14, "messages"),
         when=lambda state: not state.frame.prompt, keys=Keys("m", "chat talk log history")),
    bind("watch", "company", "who is at the table", "See", when=lambda state: not state.frame.is_local),
    bind("rules", "rules", "rules", "See", (15, "rules")),
    bind("learn", "learn", "lessons", "See", when=lambda state: _shows_session(state) and state.frame.is_local),
    bind("take_back", "table.take_back", "undo", "Change", (16, "undo"), when=_can_take_back),
    bind("order", "table.turn('hand_order')", "order of the hand", "Change", when=lambda state: state.frame.hand.cards,
         keys=Keys("o", "sort arrange hand")),
    bind("card_size", "table.turn('card_size')", "card size", "Change", when=_has_no_curtain,
         keys=Keys("z", "big large small zoom font")),
    bind("four_colours", "table.turn('four_colours')", "four colours or two", "Change", when=_has_no_curtain,
         keys=Keys("f", "color colour suits")),
    bind("coach", "table.coach", "coach: off, big mistakes, all", "Change", when=_can_be_coached,
         keys=Keys("g", fallback="f8")),
    bind("beep", "table.turn('beep')", "beep on your turn", "Change", when=_has_no_curtain,
         keys=Keys("b", "sound bell noise audio", vim="B")),
    bind("open_hands", "table.open_hands", "open hands", "See", (4, "hands"),
         when=lambda state: state.frame.is_in_play and state.frame.others),
    bind("pause", "table.pause", "pause, or continue", "Watch", when=_is_watching, keys=Keys("p")),
    bind("step", "table.step", "one step", "Watch", when=_is_watching, keys=Keys(".")),
    bind("faster", "table.faster(1)", "faster", "Watch", (8, "speed"), when=_is_watching),
    bind("slower", "table.faster(-1)", "slower", "Watch", (7, "speed"), when=_is_watching),
    bind("replay", "replay", "replay", footer=(1, "replay"), when=_has_finished_journal),
    bind("session_review", "review", "review your decisions", footer=(2, "review"), when=_has_finished_journal,
         keys=Keys("e", "analyse analyze mistakes", vim="E")),
    bind("best_decision", "best_decision", "review your best decision", when=_has_best_decision, keys=Keys("*")),
    bind("share", "share", "copy the result to share", footer=(3, "share"),
         when=lambda state: state.frame.is_over and state.frame.end_lines and state.frame.end_lines.share,
         keys=Keys("S", "copy clipboard daily result")),
    bind("again", "new_session(True)", "same deal again", footer=(5, "same deal"),
         when=lambda state: _shows_session(state) and state.frame.has_same_deal, keys=Keys("=", "repeat same")),
    bind("new", "new_session(False)", "new session", footer=(4, "new deal"),
         when=lambda state: _shows_session(state) and state.frame.can_play_again),
    bind("leave", "leave", "to the picker", footer=(17, "leave")),
    bind("save_elsewhere", "save_elsewhere", "save in another folder",
         when=lambda state: state.frame.save_error is not None, keys=Keys("f2")),
)  # fmt: skip


def _has_text(overlay: "TextInputOverlay") -> bool:
    return bool(overlay.text_input.text)


MESSAGES: "Final[KeyBindings[Messages]]" = KeyBindings(
    "in the messages",
    bind_pair("up down", "table.climb", "your earlier messages", footer=(3, "recall")),
    bind_pair("page_up page_down", "table.page", "earlier or later messages", footer=(4, "scroll")),
    bind("play", "overlay.say", "send", "Do", (1, "send"), when=_has_text),
    bind("clear_messages", "clear_messages", "clear the messages", "Do", (5, "clear all"),
         lambda overlay: overlay.can_clear, Keys("ctrl+l")),
    [key for key in bind_line_keys("overlay.", _has_text) if key.name != "clear"],
    bind("leave", "table.uncover", "close", footer=(2, "close")),
)  # fmt: skip
"""Keys of the messages; ``clear``, by default Ctrl+L, is not among them, because Ctrl+L clears the messages here."""

PUBLIC_MESSAGES: "Final[KeyBindings[object]]" = KeyBindings(
    "in the messages at a curtain",
    bind_pair("up down", "table.climb", "earlier or later", footer=(2, "scroll")),
    bind_pair("page_up page_down", "table.page", "half a screen"),
    bind_pair("first last", "table.end", "first or last"),
    bind("play", "table.uncover", "close"),
    bind("leave", "table.uncover", "close", footer=(1, "close")),
)

PASSWORD: "Final[KeyBindings[PasswordOverlay]]" = KeyBindings(
    "at a password",
    bind_line_keys("overlay.", when=_has_text),
    bind("play", "overlay.give", "show my hand", "Do", (1, "show my hand"), when=_has_text),
    bind("leave", "leave", "to the picker", footer=(2, "leave (saved)")),
)

LAST_DEAL: "Final[KeyBindings[LastDeal]]" = KeyBindings(
    "in the last deal",
    bind_pair("up down", "overlay.move", "trick or turn", footer=(1, "trick")),
    bind_pair("left right", "overlay.along", "card by card", footer=(2, "card")),
    bind("page_up", "overlay.move(-10)", "ten lines", MOVE_TOPIC),
    bind("page_down", "overlay.move(10)", "ten lines", MOVE_TOPIC),
    bind("first", "overlay.move(-1000)", "first or last", MOVE_TOPIC),
    bind("last", "overlay.move(1000)", "first or last", MOVE_TOPIC),
    bind("why", "overlay.why", "why it was played", "See", (3, "why"), when=lambda overlay: overlay.can_explain),
    bind("play replay", "replay", "replay from here", "Do", (4, "replay from here"),
         when=lambda overlay: overlay.can_replay),
    bind("last_deal", "table.uncover", "back to the table"),
    bind("leave", "table.step_back", "back to the table", footer=(5, "back")),
)  # fmt: skip


_HINT_LABELS: Final = {
    **dict.fromkeys(("up", "down"), "another choice of the hint"),
    "play": "the choice selected in the hint",
    "hint": "more on these choices",
    "leave": "close the hint",
}
"""Labels of the keys that a hint takes."""


def build_labels(frame: "TableFrame", *, in_hint: bool = False) -> Mapping[str, str]:
    """Return the labels that differ from the usual ones in this view state, by name of the key binding.

    ``in_hint`` is True for the labels while a hint is open.
    """
    return {**_build_table_labels(frame), **(_HINT_LABELS if in_hint else {})}


def _build_table_labels(frame: "TableFrame") -> Mapping[str, str]:
    """Return the labels that differ from the usual ones while no hint is open.

    A game may add keys without a binding, such as digits, by their displayed text.
    """
    other_labels = {} if frame.is_local else {"leave": "to the lobby"}
    if frame.prompt:
        other_labels = {"leave": f"to {frame.prompt.origin}"}
        if frame.question:
            other_labels["hint"] = "the text again"
        if not frame.waiting:
            return {"play": "continue", **other_labels}
    if continue_label := _get_continue_label(frame):
        return {"play": continue_label, **other_labels}
    if frame.robot_failed:
        return {"play": "try again", **other_labels}
    if frame.playback:
        return dict.fromkeys(("left", "right", "switch"), "another seat")
    if frame.spectator_reason:
        return other_labels
    in_box, to_row = {}, {}
    for name, step, row_label in (("up", -1, "cards on the table"), ("down", 1, "your cards")):
        if frame.waiting and can_move_in_box(frame, step):
            in_box[name] = "option above or below"
        if frame.waiting and can_switch_row(frame, step):
            to_row[name] = row_label
    return {**to_row, **dict(frame.game_view.keys), **in_box, **other_labels}


def _get_continue_label(frame: "TableFrame") -> str:
    """Return the label of Enter in a stage in which no card can be played; "" in play."""
    if frame.has_curtain:
        return "show my hand"
    if frame.is_over:
        return "leave"
    if frame.can_sit_down:
        return "sit down"
    if frame.is_round_over:
        return "result" if frame.is_last_round else "next round"
    return ""


def list_footer_keys(frame: "TableFrame") -> FooterKeys:
    """Return the footer, the most important keys first, without keys that are not enabled."""
    if frame.needs_confirmation:
        return {"play": "yes", "leave": "back"}
    own = _list_stage_keys(frame)
    entries = {**own, **TABLE.footer, **_list_changed_labels(frame), **own}  # own keys come first, with their labels
    if not frame.allows_aids:
        entries |= {"hint": "", "last_deal": ""}
    return TABLE.filter_footer(entries, TableKeyState(frame))


def _list_stage_keys(frame: "TableFrame") -> FooterKeys:
    """Return the keys that come first in the footer: those that continue, choose and perform an action."""
    is_paused = frame.playback is not None and frame.playback.paused
    watch = {"pause": "continue", "step": "step"} if is_paused else {"pause": "pause"}
    if frame.is_reading or (frame.shows_trick and not frame.playback):
        return {"play": "continue"}
    if frame.is_round_over and frame.spectator_reason and not frame.can_sit_down:
        return {"last_deal": "last deal"}
    if label := _get_continue_label(frame):
        return {"play": label, **watch, **({"last_deal": "last deal"} if frame.is_round_over else {})}
    if not frame.waiting:
        return watch
    return {**_list_action_keys(frame), "hint": "text" if frame.question else "hint"}


def _list_changed_labels(frame: "TableFrame") -> FooterKeys:
    """Return the labels in the footer that differ from those of the rows, "" for keys that it omits now."""
    is_watching = frame.playback is not None and frame.is_in_play
    omitted = {
        "last_deal": frame.is_in_play,
        "slower faster, left right": not is_watching,
        "hint": not (is_watching and frame.can_request_hint),
        "open_hands, previous_trick": frame.is_reading,
        "rules": not frame.is_reading,
        "take_back": not frame.can_take_back or frame.hand.chosen,
        "new, again": not frame.is_over,
        "leave": frame.is_over and not frame.is_reading,
    }
    return {
        "new": "new deal" if frame.is_local else "another session",
        "leave": "leave (saved)" if frame.has_curtain else "cards" if frame.in_optional_box else "leave",
        **{entry: "" for entries, is_omitted in omitted.items() if is_omitted for entry in entries.split(", ")},
    }


def _list_action_keys(frame: "TableFrame") -> FooterKeys:
    """Return the keys with which the player at the keyboard chooses and performs an action."""
    decision, hand = frame.decision, frame.hand
    if frame.in_box and decision:
        sideways = decision.move_horizontal(frame.option, 1) is not None
        option = decision.options[frame.option]
        digits = {"0-9": "digits"} if option.label.startswith(str(option.number)) else {}
        moves = {"left right": decision.choose, **(dict(decision.keys) or digits)}
        return {
            **({"up down": "line"} if decision.is_joint else {}),
            **(moves if sideways else {"up down": decision.choose}),
            "play": decision.commit,
            "switch" if sideways else "right": "cards" if hand.selectable else "",
        }
    if not any(hand.can_select(card) for card in (*hand.cards, *hand.table)):
        return {"play": frame.view.legal[0].verb if frame.view.legal else "continue"}
    together, verb = hand.selects_cards, frame.hand_action.verb if frame.hand_action else ""
    to_row = "".join([f" {name}" for name, step in (("up", -1), ("down", 1)) if can_switch_row(frame, step)])
    return {
        f"left right{to_row}": "card",
        "up down": "action" if has_bar_choice(frame) else "",
        "play": "mark all" if hand.offer else verb,
        "choose": "mark" if together else "",
        **({"leave": "clear marks"} if hand.chosen else {}),
        "switch": (frame.decision.commit if together else frame.decision.switch) if frame.decision else "",
    }
