"""Key bindings of each screen, by name.

Screens pass pressed keys to ``Keymap.find``. Footers, key sheet, command palette and mouse use the same lists, so that
they offer only bindings that exist.
"""

from collections.abc import Awaitable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from textual.actions import parse


class KeyBinding(NamedTuple):
    """Action that a key performs on a screen."""

    name: str
    """Name of the binding in the settings file and in footers."""
    action: str
    """Textual action string; the prefix ``app.``, ``table.`` or ``overlay.`` means the app, the table or the overlay."""
    label: str
    """Description of the effect in a few words."""
    topic: str = "Go"
    """Heading in the key sheet."""


KeyBindings: TypeAlias = Sequence[KeyBinding]
"""Key bindings of one screen."""


def find_binding(scope: KeyBindings, name: str) -> KeyBinding:
    """Return the binding with this name, which the scope must contain."""
    return next(key for key in scope if key.name == name)


MOVE_TOPIC: Final = "Move"
"""Topic of keys that move a cursor; the command palette omits them."""


def bind_all(names: str, action: str, label: str, topic: str = "Go") -> KeyBindings:
    """Bind each of the names, which are separated by spaces, to the same action."""
    return [KeyBinding(name, action, label, topic) for name in names.split()]


def bind_pair(names: str, action: str, label: str, topic: str = MOVE_TOPIC) -> KeyBindings:
    """Bind two names to one action, with the argument -1 (back or up) for the first and 1 for the second."""
    return [
        KeyBinding(name, f"{action}({step})", label, topic) for name, step in zip(names.split(), (-1, 1), strict=True)
    ]


GLOBAL_KEYS: Final[KeyBindings] = (
    KeyBinding("settings", "app.show('settings')", "settings"),
    KeyBinding("palette", "app.show('palette')", "all commands"),
    KeyBinding("screenshot", "app.picture", "picture of the screen"),
    KeyBinding("help", "help", "these keys"),
    KeyBinding("quit", "app.quit", "quit, all is kept"),
)

LIST_KEYS: Final[KeyBindings] = (
    *bind_pair("up down", "move", "line"),
    KeyBinding("first", "end(0)", "first or last", MOVE_TOPIC),
    KeyBinding("last", "end(-1)", "first or last", MOVE_TOPIC),
)

LINE_TOPIC: Final = "Line"
"""Topic of the keys that edit a text input."""
ERASE_KEYS: Final[KeyBindings] = (
    KeyBinding("rub_out", "edit_line('backspace')", "delete to the left", LINE_TOPIC),
    KeyBinding("clear", "edit_line('ctrl+u')", "clear the line", LINE_TOPIC),
)
"""Editing keys in the scope of a form; the other editing keys are the same everywhere."""


def bind_line_keys(prefix: str = "") -> KeyBindings:
    """Return the editing keys of a screen or overlay whose only input is a line of text.

    ``prefix`` is ``overlay.`` for an overlay.
    """
    moves = [
        KeyBinding("left", f"{prefix}edit_line('left')", "character", LINE_TOPIC),
        KeyBinding("right", f"{prefix}edit_line('right')", "character", LINE_TOPIC),
        KeyBinding("first", f"{prefix}edit_line('home')", "start or end of the line", LINE_TOPIC),
        KeyBinding("last", f"{prefix}edit_line('end')", "start or end of the line", LINE_TOPIC),
    ]
    return [*moves, *[key._replace(action=prefix + key.action) for key in ERASE_KEYS]]


PICKER: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_pair("page_up page_down", "page", "half a screen"),
    KeyBinding("left", "aside(False)", "games or tables", MOVE_TOPIC),
    KeyBinding("right", "aside(True)", "games or tables", MOVE_TOPIC),
    *bind_all("play choose", "open", "play, or go on", "Do"),
    KeyBinding("new", "set_table", "a new table", "Do"),
    KeyBinding("rules", "rules", "rules of the game", "Do"),
    KeyBinding("score_table", "app.show('score_table')", "score of real cards", "Do"),
    KeyBinding("archive", "app.show('archive')", "archive", "Do"),
    KeyBinding("watch", "watch", "watch robots, or a table", "Tables"),
    KeyBinding("rename", "rename", "name the table", "Tables"),
    KeyBinding("players", "app.show('players')", "players", "Go"),
    KeyBinding("give_up", "give_up", "give the session up", "Tables"),
    KeyBinding("take_back", "take_back", "take back what was given up", "Tables"),
    KeyBinding("statistics", "app.show('statistics')", "statistics"),
    KeyBinding("rankings", "app.show('rankings')", "rankings"),
    KeyBinding("close", "app.quit", "quit, all is kept"),
    *GLOBAL_KEYS,
)

NEW_TABLE: Final[KeyBindings] = (
    *LIST_KEYS,
    KeyBinding("switch", "aside", "seats or options", MOVE_TOPIC),
    *bind_pair("left right", "step", "next value", "Change"),
    KeyBinding("choose", "press", "next value", "Change"),
    KeyBinding("rub_out", "rub_out", "delete", "Change"),
    KeyBinding("play", "begin", "deal the cards", "Do"),
    KeyBinding("rules", "rules", "rules of the game", "Do"),
    KeyBinding("leave", "leave", "back, all is kept"),
    *GLOBAL_KEYS,
)

ARCHIVE: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_pair("page_up page_down", "page", "a screen"),
    KeyBinding("find", "find", "look for words", "Find"),
    *bind_pair("left right", "step", "other value of the filter", "Find"),
    KeyBinding("next_field", "turn_to(1)", "next filter", "Find"),
    KeyBinding("field_before", "turn_to(-1)", "previous filter", "Find"),
    KeyBinding("rub_out", "rub_out", "show all again", "Find"),
    KeyBinding("sort", "sort", "other order", "Find"),
    *bind_all("play choose", "open", "replay, or go on", "Do"),
    KeyBinding("go_on", "go_on", "go on with it", "Do"),
    KeyBinding("review", "review", "review it", "Do"),
    KeyBinding("export", "export", "take it elsewhere", "Do"),
    *bind_all("archive leave close", "leave", "back"),
    *GLOBAL_KEYS,
)

SETTINGS_PAGE: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_pair("page_up page_down", "page", "half a screen"),
    KeyBinding("next_field", "part(1)", "next part; digits, too", MOVE_TOPIC),
    KeyBinding("field_before", "part(-1)", "previous part", MOVE_TOPIC),
    *bind_pair("left right", "step", "another value", "Change"),
    KeyBinding("play", "press", "use it, or a new key", "Change"),
    KeyBinding("choose", "more", "next value, or one more key", "Change"),
    KeyBinding("rub_out", "rub_out", "back to what is usual", "Change"),
    *bind_all("leave close", "leave", "back, all is kept"),
    *GLOBAL_KEYS,
)

PLAYERS: Final[KeyBindings] = (
    *LIST_KEYS,
    KeyBinding("next_field", "move(1)", "line", MOVE_TOPIC),
    KeyBinding("field_before", "move(-1)", "line", MOVE_TOPIC),
    *bind_pair("left right", "step", "within the line"),
    *bind_pair("page_up page_down", "page", "scroll the ledger"),
    *bind_all("play choose", "use", "sign in, or do it", "Do"),
    KeyBinding("new", "ask('REGISTER')", "a new player", "Do"),
    KeyBinding("rename", "ask('TELL')", "nick, name and e-mail", "Do"),
    KeyBinding("password", "ask('PASSWORD')", "change the password", "Do"),
    KeyBinding("ask_once", "ask_once", "ask for the password once, or each time", "Do"),
    KeyBinding("remove", "remove", "remove the player", "Do"),
    *ERASE_KEYS,
    *bind_all("leave close", "leave", "back"),
    *GLOBAL_KEYS,
)

RULES: Final[KeyBindings] = (
    *bind_pair("up down", "scroll_rows", "a line"),
    *bind_pair("page_up page_down", "page", "a page"),
    KeyBinding("choose", "page(1)", "a page on", MOVE_TOPIC),
    KeyBinding("first", "end(0)", "beginning or end", MOVE_TOPIC),
    KeyBinding("last", "end(1)", "beginning or end", MOVE_TOPIC),
    *bind_all("leave close play rules", "leave", "back"),
    *GLOBAL_KEYS,
)

FILE_PROBLEMS: Final[KeyBindings] = tuple([key for key in RULES if key.name != "rules"])

EXPORT: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_all("play choose", "save", "save it", "Do"),
    *bind_all("leave close", "leave", "back"),
    *GLOBAL_KEYS,
)

TABLE: Final[KeyBindings] = (
    *bind_pair("left right", "table.move", "card that may be played, or choice"),
    *bind_pair("left_any right_any", "table.walk", "any card"),
    *bind_pair("first last", "table.end", "first or last"),
    *bind_pair("up down", "table.climb", "up or down"),
    *bind_pair("page_up page_down", "table.page", "half a screen"),
    KeyBinding("ten", "table.rank(8)", "to that rank; digits, too", MOVE_TOPIC),
    KeyBinding("jack", "table.rank(9)", "to that rank; digits, too", MOVE_TOPIC),
    KeyBinding("queen", "table.rank(10)", "to that rank; digits, too", MOVE_TOPIC),
    KeyBinding("king", "table.rank(11)", "to that rank; digits, too", MOVE_TOPIC),
    KeyBinding("ace", "table.rank(12)", "to that rank; digits, too", MOVE_TOPIC),
    KeyBinding("switch", "table.switch", "cards or choices", MOVE_TOPIC),
    KeyBinding("play", "table.commit", "play or say it", "Play"),
    KeyBinding("choose", "table.choose", "choose, or play", "Play"),
    KeyBinding("rub_out", "table.clear", "choose no cards", "Play"),
    KeyBinding("rest", "rest", "play out the rest", "Play"),
    KeyBinding("stand_in", "stand_in", "a robot plays for somebody away", "Play"),
    KeyBinding("hint", "table.hint", "hint and reason", "See"),
    KeyBinding("previous_trick", "table.look_at('previous_trick')", "previous trick", "See"),
    KeyBinding("last_deal", "last_deal", "last deal", "See"),
    KeyBinding("sheet", "table.look_at('sheet')", "score sheet", "See"),
    KeyBinding("messages", "table.messages", "messages and talk", "See"),
    KeyBinding("watch", "company", "who is at the table", "See"),
    KeyBinding("rules", "rules", "rules", "See"),
    KeyBinding("take_back", "table.take_back", "take back", "Change"),
    KeyBinding("order", "table.turn('hand_order')", "order of the hand", "Change"),
    KeyBinding("card_size", "table.turn('card_size')", "card size", "Change"),
    KeyBinding("four_colours", "table.turn('four_colours')", "four colours or two", "Change"),
    KeyBinding("beep", "table.turn('beep')", "beep on your turn", "Change"),
    KeyBinding("open_hands", "table.open_hands", "open hands", "See"),
    KeyBinding("pause", "table.pause", "pause, or go on", "Watch"),
    KeyBinding("step", "table.step", "one step", "Watch"),
    KeyBinding("faster", "table.faster(1)", "faster", "Watch"),
    KeyBinding("slower", "table.faster(-1)", "slower", "Watch"),
    KeyBinding("replay", "replay", "replay"),
    KeyBinding("session_review", "review", "review your decisions"),
    KeyBinding("again", "new_session(True)", "same deal again"),
    KeyBinding("new", "new_session(False)", "new session"),
    KeyBinding("leave", "leave", "to the picker"),
    KeyBinding("save_elsewhere", "save_elsewhere", "save in another folder"),
    *GLOBAL_KEYS,
)

NEW_SCORES: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_pair("left right", "step", "next value", "Change"),
    *ERASE_KEYS,
    KeyBinding("play", "begin", "begin the score table", "Do"),
    KeyBinding("leave", "leave", "back"),
    *GLOBAL_KEYS,
)

NAMES: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_pair("left right", "step", "within the line"),
    *ERASE_KEYS,
    KeyBinding("play", "keep", "keep the names", "Do"),
    KeyBinding("leave", "leave", "back, names stay"),
    *GLOBAL_KEYS,
)

SCORES: Final[KeyBindings] = (
    *bind_pair("left right", "step", "option or count beside"),
    *bind_pair("up down", "climb", "line above or below"),
    KeyBinding("first", "end(0)", "first or last field", MOVE_TOPIC),
    KeyBinding("last", "end(-1)", "first or last field", MOVE_TOPIC),
    KeyBinding("next_field", "along(1)", "next field; digits, too", MOVE_TOPIC),
    KeyBinding("field_before", "along(-1)", "previous field", MOVE_TOPIC),
    *bind_pair("page_up page_down", "page", "earlier or later rounds"),
    KeyBinding("play", "keep", "keep the round", "Do"),
    KeyBinding("rub_out", "rub_out", "delete", "Do"),
    KeyBinding("take_back", "undo", "take back an entry, or a round", "Change"),
    KeyBinding("edit", "edit", "an earlier round again", "Change"),
    KeyBinding("names", "names", "other names of the players", "Change"),
    KeyBinding("leave", "leave", "leave, all is kept"),
    *GLOBAL_KEYS,
)

QUESTION: Final[KeyBindings] = (
    *bind_line_keys(),
    KeyBinding("play", "answer", "yes", "Do"),
    KeyBinding("leave", "refuse", "no"),
)

PALETTE: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_pair("page_up page_down", "page", "a screen"),
    KeyBinding("next_field", "move(1)", "line", MOVE_TOPIC),
    KeyBinding("field_before", "move(-1)", "line", MOVE_TOPIC),
    *ERASE_KEYS,
    KeyBinding("play", "use", "do it", "Do"),
    *bind_all("leave palette", "leave", "back"),
)
"""Keys of the command palette; no letter is bound, because printable characters are search text."""

MESSAGES: Final[KeyBindings] = (
    *bind_pair("up down", "table.climb", "what you said before"),
    *bind_pair("page_up page_down", "table.page", "earlier or later messages"),
    KeyBinding("play", "overlay.say", "say it", "Do"),
    KeyBinding("clear_messages", "clear_messages", "clear the messages", "Do"),
    *[key for key in bind_line_keys("overlay.") if key.name != "clear"],  # Ctrl+L clears the messages here
    KeyBinding("leave", "table.uncover", "close"),
    *GLOBAL_KEYS,
)

PUBLIC_MESSAGES: Final[KeyBindings] = (
    *bind_pair("up down", "table.climb", "earlier or later"),
    *bind_pair("page_up page_down", "table.page", "half a screen"),
    *bind_pair("first last", "table.end", "first or last"),
    *bind_all("play leave", "table.uncover", "close"),
    *GLOBAL_KEYS,
)

PASSWORD: Final[KeyBindings] = (
    *bind_line_keys("overlay."),
    KeyBinding("play", "overlay.give", "show my hand", "Do"),
    KeyBinding("leave", "leave", "to the picker"),
    *GLOBAL_KEYS,
)

LAST_DEAL: Final[KeyBindings] = (
    *bind_pair("up down", "overlay.move", "trick or turn"),
    *bind_pair("left right", "overlay.along", "card by card"),
    KeyBinding("page_up", "overlay.move(-10)", "ten lines", MOVE_TOPIC),
    KeyBinding("page_down", "overlay.move(10)", "ten lines", MOVE_TOPIC),
    KeyBinding("first", "overlay.move(-1000)", "first or last", MOVE_TOPIC),
    KeyBinding("last", "overlay.move(1000)", "first or last", MOVE_TOPIC),
    KeyBinding("why", "overlay.why", "why it was played", "See"),
    *bind_all("play replay", "replay", "replay from here", "Do"),
    KeyBinding("last_deal", "table.uncover", "back to the table"),
    KeyBinding("leave", "table.step_back", "back to the table"),
    *GLOBAL_KEYS,
)

REVIEW: Final[KeyBindings] = (
    *bind_pair("up down", "move", "decision"),
    KeyBinding("first", "end(0)", "first or last", MOVE_TOPIC),
    KeyBinding("last", "end(-1)", "first or last", MOVE_TOPIC),
    *bind_pair("page_up page_down", "page", "a screen"),
    KeyBinding("next_field", "whose(1)", "another player's decisions", MOVE_TOPIC),
    KeyBinding("field_before", "whose(-1)", "another player's decisions", MOVE_TOPIC),
    KeyBinding("by_round", "by_round", "by round, or by what they cost", "Do"),
    KeyBinding("play", "replay", "replay it from there", "Do"),
    KeyBinding("go_on", "go_on", "go on from there", "Do"),
    *bind_all("leave close", "leave", "back, what is done is kept"),
    *GLOBAL_KEYS,
)

REPLAY: Final[KeyBindings] = (
    *bind_pair("left right", "along", "card by card"),
    *bind_pair("up down", "move", "trick or turn"),
    KeyBinding("first", "end(0)", "beginning or end of the round", MOVE_TOPIC),
    KeyBinding("last", "end(1)", "beginning or end of the round", MOVE_TOPIC),
    *bind_pair("page_up page_down", "round", "another round, or number and Enter"),
    KeyBinding("play", "jump", "to the round typed", MOVE_TOPIC),
    KeyBinding("rub_out", "rub_out", "delete", MOVE_TOPIC),
    KeyBinding("choose", "run", "run, or stop", "See"),
    KeyBinding("faster", "faster(1)", "faster", "See"),
    KeyBinding("slower", "faster(-1)", "slower", "See"),
    KeyBinding("open_hands", "look(1)", "all hands, or one seat's", "See"),
    KeyBinding("why", "why", "why the next move is made", "See"),
    KeyBinding("go_on", "go_on", "go on from here", "Do"),
    KeyBinding("export", "export", "take it elsewhere", "Do"),
    *bind_all("leave close", "leave", "back"),
    *GLOBAL_KEYS,
)

STATISTICS: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_all("switch player", "aside", "games or players", MOVE_TOPIC),
    *bind_pair("left right", "turn", "other charts, or figures", "See"),
    KeyBinding("figures", "turn(1)", "other charts, or figures", "See"),
    KeyBinding("rankings", "rankings", "rankings of the game", "See"),
    *bind_all("archive play", "sessions", "sessions of the player", "See"),
    *bind_all("leave close", "leave", "back"),
    *GLOBAL_KEYS,
)

RANKINGS: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_pair("left right", "game", "game"),
    *bind_all("play statistics", "statistics", "statistics of the player", "See"),
    KeyBinding("plot", "plot", "list or plot", "See"),
    KeyBinding("archive", "sessions", "sessions of the player", "See"),
    *bind_all("leave close", "leave", "back"),
    *GLOBAL_KEYS,
)


class ActionDispatcher:
    """Object that runs the actions of key bindings with its methods ``action_NAME``."""

    async def run_action(self, action: str) -> None:
        """Run an action given as a string, such as ``move(1)``."""
        _, name, arguments = parse(action)
        awaitable: Awaitable[None] | None = getattr(self, f"action_{name}")(*arguments)
        if awaitable is not None:
            await awaitable


CLUB: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_pair("left right", "step", "seat, level of robots, or within the line"),
    KeyBinding("switch", "talk", "to the line for talk, and back", MOVE_TOPIC),
    KeyBinding("play", "press", "sit down, begin, or say it", "Do"),
    KeyBinding("watch", "look_on", "watch", "Tables"),
    KeyBinding("rules", "rules", "rules of the game", "Tables"),
    KeyBinding("new", "set_table", "a new table", "Tables"),
    KeyBinding("give_up", "stand_up", "give up your seat before it begins", "Tables"),
    *ERASE_KEYS,
    KeyBinding("archive", "archive", "archive"),
    KeyBinding("statistics", "statistics", "statistics"),
    KeyBinding("leave", "leave", "leave the club; your seats stay yours"),
    *GLOBAL_KEYS,
)

CLUB_TABLE: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_pair("left right", "step", "next value", "Change"),
    KeyBinding("play", "open", "open the table", "Do"),
    KeyBinding("leave", "leave", "back"),
    *GLOBAL_KEYS,
)

COMPANY: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_pair("left right", "step", "next value", "Change"),
    KeyBinding("play", "open", "do it", "Do"),
    KeyBinding("leave", "leave", "back to the table"),
    *GLOBAL_KEYS,
)

OPEN_TO_OTHERS: Final[KeyBindings] = (
    *LIST_KEYS,
    *bind_pair("left right", "step", "next value", "Change"),
    *bind_all("play choose", "press", "next value, or do it", "Do"),
    KeyBinding("leave", "leave", "back; a club stays open"),
    *GLOBAL_KEYS,
)


SCOPES: Final[Mapping[str, KeyBindings]] = {
    "in the picker": PICKER,
    "at a new table": NEW_TABLE,
    "in the archive": ARCHIVE,
    "in the rules": RULES,
    "at what is wrong with files": FILE_PROBLEMS,
    "in the export": EXPORT,
    "at the table": TABLE,
    "in the messages": MESSAGES,
    "in the messages at a curtain": PUBLIC_MESSAGES,
    "in the settings": SETTINGS_PAGE,
    "at a password": PASSWORD,
    "among the players": PLAYERS,
    "in the last deal": LAST_DEAL,
    "in the replay": REPLAY,
    "in the statistics": STATISTICS,
    "in the rankings": RANKINGS,
    "at a new score table": NEW_SCORES,
    "at a score table": SCORES,
    "at the names of a score table": NAMES,
    "in the review": REVIEW,
    "in the lobby of a club": CLUB,
    "at a new table of a club": CLUB_TABLE,
    "among the people of a table": COMPANY,
    "at opening to others": OPEN_TO_OTHERS,
}
