"""Table of all keys: the usual keys of each binding, and the bindings of each screen.

Screens pass pressed keys to ``Keymap.find`` and run the action of the binding. Key sheet, command palette, mouse, the
settings page and the footers of all screens but the table read the same rows, so that they offer only what exists and
works now.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from textual.actions import parse


class UsualKeys(NamedTuple):
    """Keys of a binding, several separated by spaces, unless the settings name others."""

    default: str
    vim: str = ""
    """Keys in the preset "vim"; "" if they are the default ones."""
    fallback: str = ""
    """Key of a binding that came later, if the settings of a player have given its usual key to another one before."""


USUAL_KEYS: Final[Mapping[str, UsualKeys]] = {
    "left": UsualKeys("left", vim="left h"),
    "right": UsualKeys("right", vim="right l"),
    "left_any": UsualKeys("shift+left", vim="shift+left b"),
    "right_any": UsualKeys("shift+right", vim="shift+right e"),
    "up": UsualKeys("up", vim="up k"),
    "down": UsualKeys("down", vim="down j"),
    "first": UsualKeys("home", vim="home ^"),
    "last": UsualKeys("end", vim="end $"),
    "page_up": UsualKeys("pageup", vim="pageup ctrl+b"),
    "page_down": UsualKeys("pagedown", vim="pagedown ctrl+f"),
    "play": UsualKeys("enter"),
    "choose": UsualKeys("space"),
    "switch": UsualKeys("tab shift+tab"),
    "rub_out": UsualKeys("backspace delete"),
    "clear": UsualKeys("ctrl+u ctrl+l"),
    "clear_messages": UsualKeys("ctrl+l"),
    "ten": UsualKeys("t", vim="T"),
    "jack": UsualKeys("j", vim="J"),
    "queen": UsualKeys("q", vim="Q"),
    "king": UsualKeys("k", vim="K"),
    "ace": UsualKeys("a", vim="A"),
    "hint": UsualKeys("h", vim="H"),
    "coach": UsualKeys("g", fallback="f8"),
    "why": UsualKeys("w"),
    "explain_card": UsualKeys("x", fallback="f4"),
    "previous_trick": UsualKeys("l", vim="L"),
    "last_deal": UsualKeys("d"),
    "sheet": UsualKeys("s"),
    "messages": UsualKeys("m"),
    "rules": UsualKeys("i"),
    "learn": UsualKeys("L", vim="C"),
    "puzzles": UsualKeys("P"),
    "rest": UsualKeys("c"),
    "stand_in": UsualKeys("y"),
    "take_back": UsualKeys("u ctrl+z"),
    "order": UsualKeys("o"),
    "card_size": UsualKeys("z"),
    "four_colours": UsualKeys("f"),
    "beep": UsualKeys("b", vim="B"),
    "again": UsualKeys("="),
    "new": UsualKeys("n"),
    "pause": UsualKeys("p"),
    "step": UsualKeys("."),
    "faster": UsualKeys("+"),
    "slower": UsualKeys("-"),
    "open_hands": UsualKeys("v"),
    "give_card": UsualKeys("D"),
    "finish_round": UsualKeys("F"),
    "give_up": UsualKeys("g"),
    "rename": UsualKeys("e", vim="E"),
    "edit": UsualKeys("e"),
    "names": UsualKeys("n"),
    "next_field": UsualKeys("tab"),
    "field_before": UsualKeys("shift+tab"),
    "score_table": UsualKeys("c"),
    "password": UsualKeys("w"),
    "ask_once": UsualKeys("o"),
    "remove": UsualKeys("d"),
    "players": UsualKeys("p"),
    "join_club": UsualKeys("j", vim="J", fallback="f6"),
    "watch": UsualKeys("w"),
    "people": UsualKeys("p"),
    "invite": UsualKeys("v"),
    "archive": UsualKeys("a"),
    "find": UsualKeys("/"),
    "sort": UsualKeys("o"),
    "review": UsualKeys("v"),
    "export": UsualKeys("e"),
    "go_on": UsualKeys("g"),
    "replay": UsualKeys("r"),
    "statistics": UsualKeys("t"),
    "rankings": UsualKeys("r"),
    "player": UsualKeys("p"),
    "plot": UsualKeys("p"),
    "figures": UsualKeys("v"),
    "session_review": UsualKeys("e", vim="E"),
    "best_decision": UsualKeys("*"),
    "share": UsualKeys("S"),
    "by_round": UsualKeys("f"),
    "settings": UsualKeys(","),
    "save_elsewhere": UsualKeys("f2"),
    "screenshot": UsualKeys("f3"),
    "help": UsualKeys("? f1"),
    "palette": UsualKeys("ctrl+p"),
    "leave": UsualKeys("escape"),
    "close": UsualKeys("q"),
    "quit": UsualKeys("ctrl+q"),
}
"""Usual keys by name of the binding. A name has the same keys on every screen."""


class KeyBinding(NamedTuple):
    """Action that a key performs on a screen."""

    name: str
    """Name of the binding in ``USUAL_KEYS`` and in the settings file."""
    action: str
    """Textual action string, which names a method ``action_NAME``.

    Its class is the page; at the table, and in the overlays on it, ``TableScreen`` without a prefix, ``TableKeys`` with
    ``table.``, and the overlay with ``overlay.``. With ``app.`` it is ``CardtableApp`` everywhere.
    """
    label: str
    """Description of the effect in a few words, for key sheet, palette and settings."""
    topic: str = "Go"
    """Heading in the key sheet."""
    footer: tuple[int, str] | None = None
    """Place in the footer, counted from the left, and label there; ``None`` if the footer omits the key.

    Always ``None`` at the table, whose footer ``enabled_keys.list_footer_keys`` makes for each position.
    """
    when: str = ""
    """Attribute of the page or overlay that is true while the key is enabled; "" if it always is.

    The path may have dots, as in ``state.can_continue``. At the table it is an attribute of ``TableConditions``.
    """

    def is_enabled(self, owner: object) -> bool:
        """Return True if the key has an effect on ``owner`` now; it has none if the path ``when`` leads to ``None``."""
        for name in filter(None, self.when.split(".")):
            owner = None if owner is None else getattr(owner, name)
        return bool(owner) or not self.when


FooterKeys: TypeAlias = Mapping[str, str]
"""Labels in the footer by names of key bindings, several names separated by spaces, from left to right."""


class KeyBindings:
    """Key bindings of one screen."""

    def __init__(self, location: str, *keys: KeyBinding) -> None:
        """``location`` is the place at which the keys work, for key sheet and settings, such as "in the archive"."""
        self.location, self.keys = location, keys
        self._by_name = {key.name: key for key in keys}

    def find(self, name: str) -> KeyBinding:
        """Return the binding with this name, which must be one of the screen's."""
        return self._by_name[name]

    @cached_property
    def footer(self) -> FooterKeys:
        """Footer of the screen; a pair of keys with the same place and label has one entry."""
        entries: dict[tuple[int, str], list[str]] = {}
        for key in self.keys:
            if key.footer:
                entries.setdefault(key.footer, []).append(key.name)
        return {" ".join(names): label for (_, label), names in sorted(entries.items())}

    def filter_footer(self, footer: FooterKeys, is_enabled: Callable[[KeyBinding], bool]) -> FooterKeys:
        """Return the entries of a footer that have an enabled key; words that are no binding are kept."""
        keys = self._by_name
        return {
            names: label
            for names, label in footer.items()
            if any(name not in keys or is_enabled(keys[name]) for name in names.split())
        }


MOVE_TOPIC: Final = "Move"
"""Topic of keys that move a cursor; the command palette omits them."""
LINE_TOPIC: Final = "Line"
"""Topic of the keys that edit a text input."""
Rows: TypeAlias = Sequence[KeyBinding]


def bind_all(
    names: str, action: str, label: str, topic: str = "Go", footer: tuple[int, str] | None = None, when: str = ""
) -> Rows:
    """Bind each of the names, which are separated by spaces, to the same action; the footer has only the first one."""
    first, *others = names.split()
    return [
        KeyBinding(first, action, label, topic, footer, when),
        *[KeyBinding(name, action, label, topic, when=when) for name in others],
    ]


def bind_pair(
    names: str, action: str, label: str, topic: str = MOVE_TOPIC, footer: tuple[int, str] | None = None, when: str = ""
) -> Rows:
    """Bind two names to one action, with the argument -1 (back or up) for the first and 1 for the second."""
    return [
        KeyBinding(name, f"{action}({step})", label, topic, footer, when)
        for name, step in zip(names.split(), (-1, 1), strict=True)
    ]


def bind_list_keys(label: str = "line", footer: str = "", when: str = "", place: int = 1) -> Rows:
    """Return the keys that move a cursor along a list; ``footer`` is the label of Up and Down there."""
    return [
        *bind_pair("up down", "move", label, footer=(place, footer) if footer else None, when=when),
        KeyBinding("first", "end(0)", "first or last", MOVE_TOPIC, when=when),
        KeyBinding("last", "end(-1)", "first or last", MOVE_TOPIC, when=when),
    ]


def bind_erase_keys(prefix: str = "", when: str = "") -> Rows:
    """Return the editing keys in the scope of a form; the other editing keys are the same everywhere."""
    return [
        KeyBinding("rub_out", f"{prefix}edit_line('backspace')", "delete to the left", LINE_TOPIC, when=when),
        KeyBinding("clear", f"{prefix}edit_line('ctrl+u')", "clear the line", LINE_TOPIC, when=when),
    ]


def bind_line_keys(prefix: str = "", when: str = "") -> Rows:
    """Return the editing keys of a screen or overlay whose only input is a line of text.

    ``prefix`` is ``overlay.`` for an overlay.
    """
    return [
        KeyBinding("left", f"{prefix}edit_line('left')", "character", LINE_TOPIC, when=when),
        KeyBinding("right", f"{prefix}edit_line('right')", "character", LINE_TOPIC, when=when),
        KeyBinding("first", f"{prefix}edit_line('home')", "start or end of the line", LINE_TOPIC, when=when),
        KeyBinding("last", f"{prefix}edit_line('end')", "start or end of the line", LINE_TOPIC, when=when),
        *bind_erase_keys(prefix, when=when),
    ]


class ActionDispatcher:
    """Object that runs the actions of key bindings with its methods ``action_NAME``."""

    async def run_action(self, action: str) -> None:
        """Run an action given as a string, such as ``move(1)``."""
        _, name, arguments = parse(action)
        awaitable: Awaitable[None] | None = getattr(self, f"action_{name}")(*arguments)
        if awaitable is not None:
            await awaitable


GLOBAL_KEYS: Final[Rows] = (
    KeyBinding("settings", "app.show('settings')", "settings"),
    KeyBinding("palette", "app.show('palette')", "all commands"),
    KeyBinding("screenshot", "app.picture", "picture of the screen"),
    KeyBinding("help", "help", "these keys"),
    KeyBinding("quit", "app.quit", "quit"),
)
"""Keys of every screen."""

PICKER: Final = KeyBindings(
    "in the picker",
    *bind_list_keys(footer="choose"),
    *bind_pair("page_up page_down", "page", "half a screen"),
    KeyBinding("left", "aside(False)", "games or tables", MOVE_TOPIC),
    KeyBinding("right", "aside(True)", "games or tables", MOVE_TOPIC),
    *bind_all("play choose", "open", "play, or continue", "Do", (2, "play")),
    KeyBinding("new", "set_table", "a new table", "Do", (7, "new table")),
    KeyBinding("rules", "rules", "rules of the game", "Do", (11, "rules")),
    KeyBinding("learn", "app.show('learn')", "lessons", "Do"),
    KeyBinding("puzzles", "app.show('puzzles')", "puzzles", "Do"),
    KeyBinding("score_table", "app.show('score_table')", "keep score with real cards", "Do"),
    KeyBinding("archive", "app.show('archive')", "archive", "Do", (8, "archive")),
    KeyBinding("watch", "watch", "watch robots, or a table", "Tables", (6, "watch"), when="can_watch"),
    KeyBinding("rename", "rename", "name the table", "Tables", (4, "rename"), when="can_rename"),
    KeyBinding("players", "app.show('players')", "players", "Go"),
    KeyBinding("join_club", "app.show('join_club')", "join a club"),
    KeyBinding("give_up", "give_up", "abandon this game", "Tables", (5, "abandon"), when="is_on_session"),
    KeyBinding("take_back", "take_back", "undo the abandoning", "Tables", (3, "undo"), when="can_take_back"),
    KeyBinding("statistics", "app.show('statistics')", "statistics", footer=(10, "statistics")),
    KeyBinding("rankings", "app.show('rankings')", "rankings", footer=(9, "rankings")),
    KeyBinding("close", "app.quit", "quit", footer=(12, "quit")),
    *GLOBAL_KEYS,
)

NEW_TABLE: Final = KeyBindings(
    "at a new table",
    *bind_list_keys(footer="line"),
    KeyBinding("switch", "aside", "seats or options", MOVE_TOPIC, (4, "options")),
    *bind_pair("left right", "step", "next value", "Change", (2, "change")),
    KeyBinding("choose", "press", "next value", "Change"),
    KeyBinding("rub_out", "rub_out", "delete", "Change"),
    KeyBinding("play", "begin", "deal the cards", "Do", (3, "deal")),
    KeyBinding("rules", "rules", "rules of the game", "Do", (5, "rules")),
    KeyBinding("leave", "leave", "back (choices are kept)", footer=(6, "back")),
    *GLOBAL_KEYS,
)

ARCHIVE: Final = KeyBindings(
    "in the archive",
    *bind_list_keys(),
    *bind_pair("page_up page_down", "page", "a screen"),
    KeyBinding("find", "find", "search for words", "Find", (4, "find")),
    *bind_pair("left right", "step", "another value of the filter", "Find", (5, "filter")),
    KeyBinding("next_field", "turn_to(1)", "next filter", "Find", (6, "next")),
    KeyBinding("field_before", "turn_to(-1)", "previous filter", "Find"),
    KeyBinding("rub_out", "rub_out", "show all again", "Find", (3, "show all"), when="can_show_all"),
    KeyBinding("sort", "sort", "another order", "Find", (7, "sort")),
    *bind_all("play choose", "open", "replay, or continue", "Do", (1, "replay"), when="can_open"),
    KeyBinding("go_on", "go_on", "continue it", "Do", when="can_continue"),
    KeyBinding("review", "review", "review it", "Do", (2, "review"), when="can_review"),
    KeyBinding("export", "export", "export it", "Do", when="has_readable_session"),
    KeyBinding("archive", "leave", "back"),
    *bind_all("leave close", "leave", "back", footer=(8, "back")),
    *GLOBAL_KEYS,
)

LESSONS: Final = KeyBindings(
    "among the lessons",
    *bind_list_keys(footer="choose"),
    *bind_pair("page_up page_down", "page", "half a screen"),
    *bind_all("play choose", "press", "open it", "Do", (2, "open")),
    *bind_all("leave close", "leave", "back", footer=(3, "back")),
    *GLOBAL_KEYS,
)

PUZZLES: Final = KeyBindings(
    "among the puzzles",
    *bind_list_keys(footer="choose"),
    *bind_pair("page_up page_down", "page", "half a screen"),
    *bind_all("play choose", "press", "solve it", "Do", (2, "solve"), when="has_puzzles"),
    KeyBinding("export", "export", "save it to share", "Do", (3, "export"), when="has_puzzles"),
    KeyBinding("remove", "remove", "remove it", "Do", (4, "remove"), when="has_puzzles"),
    KeyBinding("puzzles", "leave", "back"),
    *bind_all("leave close", "leave", "back", footer=(5, "back")),
    *GLOBAL_KEYS,
)

SETTINGS_PAGE: Final = KeyBindings(
    "in the settings",
    *bind_list_keys(footer="choose"),
    *bind_pair("page_up page_down", "page", "half a screen"),
    KeyBinding("next_field", "part(1)", "next part (digits work too)", MOVE_TOPIC, (2, "part")),
    KeyBinding("field_before", "part(-1)", "previous part", MOVE_TOPIC),
    *bind_pair("left right", "step", "another value", "Change", when="current_row.on_step"),
    KeyBinding("play", "press", "use it, or set a new key", "Change", when="current_row.keys"),
    KeyBinding("choose", "more", "next value, or add a key", "Change", when="current_row.keys"),
    KeyBinding("rub_out", "rub_out", "back to the default", "Change", when="current_row.keys"),
    *bind_all("leave close", "leave", "back (saved)", footer=(3, "back (saved)")),
    *GLOBAL_KEYS,
)

PLAYERS: Final = KeyBindings(
    "among the players",
    *bind_list_keys(),
    KeyBinding("next_field", "move(1)", "line", MOVE_TOPIC, when="form"),
    KeyBinding("field_before", "move(-1)", "line", MOVE_TOPIC, when="form"),
    *bind_pair("left right", "step", "within the line", when="form"),
    *bind_pair("page_up page_down", "page", "scroll the ledger", when="selected_profile"),
    *bind_all("play choose", "use", "sign in, or press the button", "Do", (1, "sign in"), when="can_use"),
    KeyBinding("new", "ask('REGISTER')", "a new player", "Do", (2, "new"), when="shows_list"),
    KeyBinding("rename", "ask('TELL')", "nick, name and e-mail", "Do", (3, "nick"), when="selected_profile"),
    KeyBinding("password", "ask('PASSWORD')", "change the password", "Do", (4, "password"), when="selected_profile"),
    KeyBinding(
        "ask_once",
        "ask_once",
        "ask for the password once, or every turn",
        "Do",
        (7, "ask once"),
        when="selected_profile.password",
    ),
    KeyBinding("remove", "remove", "remove the player", "Do", (5, "remove"), when="selected_profile"),
    *bind_erase_keys(when="form"),
    KeyBinding("leave", "leave", "back", footer=(6, "back")),
    KeyBinding("close", "leave", "back", when="shows_list"),
    *GLOBAL_KEYS,
)

_SCROLL_KEYS: Final = (
    *bind_pair("up down", "scroll_rows", "a line", footer=(1, "scroll")),
    *bind_pair("page_up page_down", "page", "a page"),
    KeyBinding("choose", "page(1)", "next page", MOVE_TOPIC, (2, "next page")),
    KeyBinding("first", "end(0)", "beginning or end", MOVE_TOPIC),
    KeyBinding("last", "end(1)", "beginning or end", MOVE_TOPIC),
)
"""Keys of all pages of text."""

RULES: Final = KeyBindings(
    "in the rules",
    *_SCROLL_KEYS,
    KeyBinding("next_field", "section(1)", "next section", MOVE_TOPIC, (3, "section")),
    KeyBinding("field_before", "section(-1)", "previous section", MOVE_TOPIC),
    KeyBinding("find", "find", "search", "Find", (4, "search")),
    KeyBinding("play", "confirm", "next match, or back", "Find"),
    KeyBinding("rules", "explain_words", "words of card games", footer=(5, "words")),
    *bind_all("leave close", "leave", "back", footer=(6, "back")),
    *GLOBAL_KEYS,
)

FILE_PROBLEMS: Final = KeyBindings(
    "file problems",
    *_SCROLL_KEYS,
    *bind_all("leave close play", "leave", "back", footer=(3, "back")),
    *GLOBAL_KEYS,
)

EXPORT: Final = KeyBindings(
    "in the export",
    *bind_list_keys(footer="choose"),
    *bind_all("play choose", "save", "save it", "Do", (2, "save")),
    *bind_all("leave close", "leave", "back", footer=(3, "back")),
    *GLOBAL_KEYS,
)

TABLE: Final = KeyBindings(
    "at the table",
    KeyBinding("left", "table.move(-1)", "next playable card or option", MOVE_TOPIC, when="can_move_sideways"),
    KeyBinding("right", "table.move(1)", "next playable card or option", MOVE_TOPIC, when="can_go_right"),
    *bind_pair("left_any right_any", "table.walk", "any card", when="has_hand"),
    *bind_pair("first last", "table.end", "first or last", when="can_go_to_ends"),
    KeyBinding("up", "table.climb(-1)", "up or down", MOVE_TOPIC, when="can_move_up"),
    KeyBinding("down", "table.climb(1)", "up or down", MOVE_TOPIC, when="can_move_down"),
    *bind_pair("page_up page_down", "table.page", "half a screen", when="is_covered"),
    *[
        KeyBinding(name, f"table.rank({rank})", "jump to that rank (digits too)", MOVE_TOPIC, when="frame.waiting")
        for rank, name in enumerate(("ten", "jack", "queen", "king", "ace"), 8)
    ],
    KeyBinding("switch", "table.switch", "cards or options", MOVE_TOPIC, when="can_switch"),
    KeyBinding("play", "table.commit", "play or choose", "Play", when="can_confirm"),
    KeyBinding("choose", "table.choose", "choose, or play", "Play", when="can_confirm"),
    KeyBinding("rub_out", "table.clear", "clear the selection", "Play", when="frame.hand.chosen"),
    KeyBinding("rest", "rest", "play out the rest", "Play", when="can_play_out"),
    KeyBinding("give_card", "table.give_card", "an extra card (practice)", "Play", when="can_give_card"),
    KeyBinding("finish_round", "table.finish_round", "let robots finish the round", "Play", when="can_finish_round"),
    KeyBinding("stand_in", "stand_in", "let a robot play for someone away", "Play", when="is_waiting_for_absent"),
    KeyBinding("hint", "hint", "hint and reasons", "See", when="has_hints"),
    KeyBinding("explain_card", "table.explain_card", "what the card does", "See", when="frame.can_explain_card"),
    KeyBinding("previous_trick", "table.look_at('previous_trick')", "previous trick", "See", when="has_previous_trick"),
    KeyBinding("last_deal", "last_deal", "last deal", "See", when="has_last_deal"),
    KeyBinding("sheet", "table.look_at('sheet')", "score sheet", "See"),
    KeyBinding("messages", "table.messages", "messages and talk", "See"),
    KeyBinding("watch", "company", "who is at the table", "See", when="is_at_club"),
    KeyBinding("rules", "rules", "rules", "See"),
    KeyBinding("learn", "learn", "lessons", "See", when="can_learn"),
    KeyBinding("take_back", "table.take_back", "undo", "Change", when="can_take_back"),
    KeyBinding("order", "table.turn('hand_order')", "order of the hand", "Change", when="frame.hand.cards"),
    KeyBinding("card_size", "table.turn('card_size')", "card size", "Change", when="has_no_curtain"),
    KeyBinding("four_colours", "table.turn('four_colours')", "four colours or two", "Change", when="has_no_curtain"),
    KeyBinding("coach", "table.coach", "coach: off, big mistakes, all", "Change", when="can_be_coached"),
    KeyBinding("beep", "table.turn('beep')", "beep on your turn", "Change", when="has_no_curtain"),
    KeyBinding("open_hands", "table.open_hands", "open hands", "See", when="has_open_hands"),
    KeyBinding("pause", "table.pause", "pause, or continue", "Watch", when="is_watching"),
    KeyBinding("step", "table.step", "one step", "Watch", when="is_watching"),
    KeyBinding("faster", "table.faster(1)", "faster", "Watch", when="is_watching"),
    KeyBinding("slower", "table.faster(-1)", "slower", "Watch", when="is_watching"),
    KeyBinding("replay", "replay", "replay", when="has_finished_journal"),
    KeyBinding("session_review", "review", "review your decisions", when="has_finished_journal"),
    KeyBinding("best_decision", "best_decision", "review your best decision", when="has_best_decision"),
    KeyBinding("share", "share", "copy the result to share", when="has_result_to_share"),
    KeyBinding("again", "new_session(True)", "same deal again", when="can_repeat_deal"),
    KeyBinding("new", "new_session(False)", "new session", when="can_begin_another"),
    KeyBinding("leave", "leave", "to the picker"),
    KeyBinding("save_elsewhere", "save_elsewhere", "save in another folder", when="frame.is_unsaved"),
    *GLOBAL_KEYS,
)

NEW_SCORES: Final = KeyBindings(
    "at a new score table",
    *bind_list_keys(footer="choose"),
    *bind_pair("left right", "step", "next value", "Change"),
    *bind_erase_keys(),
    KeyBinding("play", "begin", "start the score table", "Do", (2, "start")),
    KeyBinding("leave", "leave", "back", footer=(3, "back")),
    *GLOBAL_KEYS,
)

NAMES: Final = KeyBindings(
    "at the names of a score table",
    *bind_list_keys(footer="choose"),
    *bind_pair("left right", "step", "within the line"),
    *bind_erase_keys(),
    KeyBinding("play", "keep", "save the names", "Do", (2, "save names")),
    KeyBinding("leave", "leave", "back, without changes", footer=(3, "back")),
    *GLOBAL_KEYS,
)

SCORES: Final = KeyBindings(
    "at a score table",
    *bind_pair("left right", "step", "option or count beside", footer=(2, "field"), when="awaits_entry"),
    *bind_pair("up down", "climb", "line above or below", when="awaits_entry"),
    KeyBinding("first", "end(0)", "first or last field", MOVE_TOPIC, when="awaits_entry"),
    KeyBinding("last", "end(-1)", "first or last field", MOVE_TOPIC, when="awaits_entry"),
    KeyBinding("next_field", "along(1)", "next field (digits work too)", MOVE_TOPIC, (1, "next"), when="awaits_entry"),
    KeyBinding("field_before", "along(-1)", "previous field", MOVE_TOPIC, when="awaits_entry"),
    *bind_pair("page_up page_down", "page", "earlier or later rounds"),
    KeyBinding("play", "keep", "save the round", "Do", (3, "save round"), when="is_editable"),
    KeyBinding("rub_out", "rub_out", "delete", "Do", when="awaits_entry"),
    KeyBinding("take_back", "undo", "undo an entry or a round", "Change", (4, "undo"), when="can_undo"),
    KeyBinding("edit", "edit", "edit an earlier round", "Change", (5, "edit"), when="can_edit"),
    KeyBinding("names", "names", "change the names", "Change", (7, "names"), when="is_editable"),
    KeyBinding("leave", "leave", "leave (saved)", footer=(6, "leave")),
    *GLOBAL_KEYS,
)

QUESTION: Final = KeyBindings(
    "at a question",
    *bind_line_keys(),
    KeyBinding("play", "answer", "yes", "Do"),
    KeyBinding("leave", "refuse", "no"),
)

PALETTE: Final = KeyBindings(
    "among all commands",
    *bind_list_keys(),
    *bind_pair("page_up page_down", "page", "a screen"),
    KeyBinding("next_field", "move(1)", "line", MOVE_TOPIC),
    KeyBinding("field_before", "move(-1)", "line", MOVE_TOPIC),
    *bind_erase_keys(),
    KeyBinding("play", "use", "do it", "Do"),
    *bind_all("leave palette", "leave", "back"),
)
"""Keys of the command palette; no letter is bound, because printable characters are search text."""

MESSAGES: Final = KeyBindings(
    "in the messages",
    *bind_pair("up down", "table.climb", "your earlier messages", footer=(3, "recall")),
    *bind_pair("page_up page_down", "table.page", "earlier or later messages", footer=(4, "scroll")),
    KeyBinding("play", "overlay.say", "send", "Do", (1, "send"), when="text_input.text"),
    KeyBinding("clear_messages", "clear_messages", "clear the messages", "Do", (5, "clear all"), when="can_clear"),
    *[key for key in bind_line_keys("overlay.", when="text_input.text") if key.name != "clear"],
    KeyBinding("leave", "table.uncover", "close", footer=(2, "close")),
    *GLOBAL_KEYS,
)
"""Keys of the messages; ``clear``, by default Ctrl+L, is not among them, because Ctrl+L clears the messages here."""

PUBLIC_MESSAGES: Final = KeyBindings(
    "in the messages at a curtain",
    *bind_pair("up down", "table.climb", "earlier or later", footer=(2, "scroll")),
    *bind_pair("page_up page_down", "table.page", "half a screen"),
    *bind_pair("first last", "table.end", "first or last"),
    KeyBinding("play", "table.uncover", "close"),
    KeyBinding("leave", "table.uncover", "close", footer=(1, "close")),
    *GLOBAL_KEYS,
)

PASSWORD: Final = KeyBindings(
    "at a password",
    *bind_line_keys("overlay.", when="text_input.text"),
    KeyBinding("play", "overlay.give", "show my hand", "Do", (1, "show my hand"), when="text_input.text"),
    KeyBinding("leave", "leave", "to the picker", footer=(2, "leave (saved)")),
    *GLOBAL_KEYS,
)

LAST_DEAL: Final = KeyBindings(
    "in the last deal",
    *bind_pair("up down", "overlay.move", "trick or turn", footer=(1, "trick")),
    *bind_pair("left right", "overlay.along", "card by card", footer=(2, "card")),
    KeyBinding("page_up", "overlay.move(-10)", "ten lines", MOVE_TOPIC),
    KeyBinding("page_down", "overlay.move(10)", "ten lines", MOVE_TOPIC),
    KeyBinding("first", "overlay.move(-1000)", "first or last", MOVE_TOPIC),
    KeyBinding("last", "overlay.move(1000)", "first or last", MOVE_TOPIC),
    KeyBinding("why", "overlay.why", "why it was played", "See", (3, "why"), when="can_explain"),
    *bind_all("play replay", "replay", "replay from here", "Do", (4, "replay from here"), when="can_replay"),
    KeyBinding("last_deal", "table.uncover", "back to the table"),
    KeyBinding("leave", "table.step_back", "back to the table", footer=(5, "back")),
    *GLOBAL_KEYS,
)

REVIEW: Final = KeyBindings(
    "in the review",
    *bind_list_keys(label="decision", footer="decision"),
    *bind_pair("page_up page_down", "page", "a screen"),
    KeyBinding(
        "next_field", "whose(1)", "another player's decisions", MOVE_TOPIC, (5, "whose"), when="has_several_seats"
    ),
    KeyBinding("field_before", "whose(-1)", "another player's decisions", MOVE_TOPIC, when="has_several_seats"),
    KeyBinding("by_round", "by_round", "by round, or by cost", "Do", (4, "by round")),
    KeyBinding("play", "replay", "replay from here", "Do", (2, "replay"), when="model.current"),
    KeyBinding("go_on", "go_on", "play from here", "Do", (3, "play here"), when="model.current"),
    *bind_all("leave close", "leave", "back (saved)", footer=(6, "back")),
    *GLOBAL_KEYS,
)

REPLAY: Final = KeyBindings(
    "in the replay",
    *bind_pair("left right", "along", "card by card", footer=(1, "card"), when="state"),
    *bind_pair("up down", "move", "trick or turn", footer=(2, "trick"), when="state"),
    KeyBinding("first", "end(0)", "beginning or end of the round", MOVE_TOPIC, when="state"),
    KeyBinding("last", "end(1)", "beginning or end of the round", MOVE_TOPIC, when="state"),
    *bind_pair("page_up page_down", "round", "another round, or its number", footer=(3, "round"), when="state"),
    KeyBinding("play", "jump", "to the typed round", MOVE_TOPIC, when="state.typed"),
    KeyBinding("rub_out", "rub_out", "delete", MOVE_TOPIC, when="state.typed"),
    KeyBinding("choose", "run", "play, or stop", "See", (4, "run"), when="state"),
    KeyBinding("faster", "faster(1)", "faster", "See", when="state"),
    KeyBinding("slower", "faster(-1)", "slower", "See", when="state"),
    KeyBinding("open_hands", "look(1)", "all hands, or one seat's", "See", (5, "hands"), when="state"),
    KeyBinding("why", "why", "why the next move was made", "See", (6, "why"), when="state"),
    KeyBinding("go_on", "go_on", "play from here", "Do", (7, "play here"), when="state.can_continue"),
    KeyBinding("export", "export", "export it", "Do", when="state"),
    *bind_all("leave close", "leave", "back", footer=(8, "back")),
    *GLOBAL_KEYS,
)

STATISTICS: Final = KeyBindings(
    "in the statistics",
    *bind_list_keys(footer="game"),
    KeyBinding("switch", "aside", "games or players", MOVE_TOPIC),
    KeyBinding("player", "aside", "games or players", MOVE_TOPIC, (2, "player")),
    *bind_pair("left right", "turn", "other charts, or figures", "See", when="has_several_screens"),
    KeyBinding("figures", "turn(1)", "other charts, or figures", "See", (3, "figures"), when="has_several_screens"),
    KeyBinding("rankings", "rankings", "rankings of the game", "See", (4, "rankings")),
    *bind_all("archive play", "sessions", "sessions of the player", "See", (5, "sessions"), when="can_list_sessions"),
    *bind_all("leave close", "leave", "back", footer=(6, "back")),
    *GLOBAL_KEYS,
)

RANKINGS: Final = KeyBindings(
    "in the rankings",
    *bind_list_keys(footer="player", when="ranking.rows", place=2),
    *bind_pair("left right", "game", "game", footer=(1, "game")),
    *bind_all(
        "play statistics", "statistics", "statistics of the player", "See", (3, "statistics"), when="ranking.rows"
    ),
    KeyBinding("plot", "plot", "list or plot", "See", (4, "plot"), when="can_plot"),
    KeyBinding("archive", "sessions", "sessions of the player", "See", (5, "sessions"), when="can_list_sessions"),
    *bind_all("leave close", "leave", "back", footer=(6, "back")),
    *GLOBAL_KEYS,
)

CLUB: Final = KeyBindings(
    "in the lobby of a club",
    *bind_list_keys(),
    *bind_pair("left right", "step", "seat, robot level, or within the line"),
    KeyBinding("switch", "talk", "to the talk line, and back", MOVE_TOPIC, (2, "talk")),
    KeyBinding("play", "press", "sit down, start, or send", "Do", when="can_press"),
    KeyBinding("watch", "look_on", "watch, or let others watch your table or not", "Tables", when="can_watch"),
    KeyBinding("rules", "rules", "rules of the game", "Tables", when="has_readable_rules"),
    KeyBinding("new", "set_table", "a new table", "Tables", (1, "new table")),
    KeyBinding("give_up", "stand_up", "give up your seat before the start", "Tables", when="can_stand_up"),
    KeyBinding("invite", "invite", "invite people to your private table", "Tables", when="can_invite"),
    KeyBinding("people", "people", "people, and whose talk is hidden", "Tables"),
    *bind_erase_keys(),
    KeyBinding("archive", "archive", "archive"),
    KeyBinding("statistics", "statistics", "statistics"),
    KeyBinding("rankings", "seasons", "seasons: tables of results", footer=(3, "seasons")),
    KeyBinding("leave", "leave", "leave the club; your seats stay yours", footer=(4, "leave")),
    *GLOBAL_KEYS,
)

SEASONS: Final = KeyBindings(
    "among the seasons of a club",
    *bind_list_keys(footer="choose"),
    *bind_pair("page_up page_down", "page", "half a screen"),
    *bind_all("play choose", "press", "its tables", "Do", (2, "show it"), when="has_seasons"),
    KeyBinding("rankings", "leave", "back"),
    *bind_all("leave close", "leave", "back", footer=(3, "back")),
    *GLOBAL_KEYS,
)

RESULTS: Final = KeyBindings(
    "in a table of results",
    *bind_pair("up down", "scroll", "line", footer=(2, "scroll"), when="can_scroll"),
    *bind_pair("page_up page_down", "page", "a screen", when="can_scroll"),
    KeyBinding("first", "end(0)", "beginning or end", MOVE_TOPIC, when="can_scroll"),
    KeyBinding("last", "end(1)", "beginning or end", MOVE_TOPIC, when="can_scroll"),
    *bind_pair("left right", "step", "another table", footer=(1, "table"), when="has_several_tables"),
    *bind_all("leave close", "leave", "back", footer=(3, "back")),
    *GLOBAL_KEYS,
)

NEW_CLUB_TABLE: Final = KeyBindings(
    "at a new table of a club",
    *bind_list_keys(footer="choose"),
    *bind_pair("left right", "step", "next value", "Change", (2, "change")),
    *bind_erase_keys(),
    KeyBinding("play", "open", "open the table", "Do", (3, "open it")),
    KeyBinding("leave", "leave", "back", footer=(4, "back")),
    *GLOBAL_KEYS,
)

COMPANY: Final = KeyBindings(
    "people at the table",
    *bind_list_keys(),
    *bind_pair("left right", "step", "next value", "Change"),
    KeyBinding("play", "open", "do it, or send the spectator away", "Do"),
    KeyBinding("choose", "choose", "hide or show their talk", "Do"),
    KeyBinding("leave", "leave", "back to the table", footer=(1, "back")),
    *GLOBAL_KEYS,
)

CLUB_PEOPLE: Final = KeyBindings(
    "among the people of a club",
    *bind_list_keys(),
    *bind_erase_keys(),
    KeyBinding("play", "press", "invite, or withdraw the invitation", "Do"),
    KeyBinding("choose", "choose", "hide or show their talk, or as Enter", "Do"),
    KeyBinding("leave", "leave", "back", footer=(1, "back")),
    *GLOBAL_KEYS,
)

OPEN_TO_OTHERS: Final = KeyBindings(
    "open to others",
    *bind_list_keys(footer="choose"),
    *bind_pair("left right", "step", "next value", "Change", (2, "change")),
    *bind_all("play choose", "press", "next value, or press the button", "Do", (3, "do it")),
    KeyBinding("leave", "leave", "back; a club stays open", footer=(4, "back")),
    *GLOBAL_KEYS,
)

JOIN_CLUB: Final = KeyBindings(
    "joining a club",
    *bind_list_keys(footer="choose"),
    *bind_pair("left right", "step", "within the line"),
    *bind_erase_keys(),
    KeyBinding("play", "press", "join the club", "Do", (2, "join")),
    KeyBinding("leave", "leave", "back", footer=(3, "back")),
    *GLOBAL_KEYS,
)

SCOPES: Final = (
    *(PICKER, NEW_TABLE, ARCHIVE, RULES, FILE_PROBLEMS, EXPORT, TABLE, MESSAGES, PUBLIC_MESSAGES, SETTINGS_PAGE),
    *(PASSWORD, PLAYERS, LAST_DEAL, REPLAY, STATISTICS, RANKINGS, NEW_SCORES, SCORES, NAMES, REVIEW, CLUB),
    *(NEW_CLUB_TABLE, COMPANY, CLUB_PEOPLE, OPEN_TO_OTHERS, JOIN_CLUB, LESSONS, PUZZLES, SEASONS, RESULTS),
)
"""Screens on which the settings bind keys, in the order of the settings page: all but question and palette."""
