"""What keys do on each screen, by their names.

Screens send what is pressed through ``Keymap.find``; footers, the key sheet, the command palette
and the mouse read the same lists, so that nothing is offered that no key does.
"""

from collections.abc import Awaitable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from textual.actions import parse


class Key(NamedTuple):
    """One thing that a key does on a screen."""

    name: str
    """What the settings and footers call it."""
    does: str
    """The action: of the screen, ``app.`` of the program; ``table.`` of a table, ``cover.`` of what is laid over it."""
    word: str
    """What it does, in a word or a few."""
    topic: str = "Go"
    """The heading of the key sheet that it stands under."""


Scope: TypeAlias = Sequence[Key]
"""The keys of one screen."""


def named(scope: Scope, name: str) -> Key:
    """The key of a scope that has a name."""
    return next(key for key in scope if key.name == name)


MOVE: Final = "Move"
"""The topic of keys that move a cursor: commands of a palette they are not."""


def alike(names: str, does: str, word: str, topic: str = "Go") -> Scope:
    """Keys that do the same."""
    return [Key(name, does, word, topic) for name in names.split()]


def ways(names: str, does: str, word: str, topic: str = MOVE) -> Scope:
    """Two keys: the first goes back, or up, and the second on, or down."""
    return [Key(name, f"{does}({step})", word, topic) for name, step in zip(names.split(), (-1, 1), strict=True)]


EVERYWHERE: Final[Scope] = (
    Key("settings", "app.show('settings')", "settings"),
    Key("palette", "app.show('palette')", "all commands"),
    Key("screenshot", "app.picture", "picture of the screen"),
    Key("help", "help", "these keys"),
    Key("quit", "app.quit", "quit, all is kept"),
)

LINES: Final[Scope] = (
    *ways("up down", "move", "line"),
    Key("first", "end(0)", "first or last", MOVE),
    Key("last", "end(-1)", "first or last", MOVE),
)

LINE: Final = "Line"
"""The topic of keys of a line that is typed."""
ERASE: Final[Scope] = (
    Key("rub_out", "edit_line('backspace')", "delete to the left", LINE),
    Key("clear", "edit_line('ctrl+u')", "clear the line", LINE),
)
"""Keys of a line that is typed; it has others that are the same everywhere."""


def line_keys(prefix: str = "") -> Scope:
    """Return the keys of a screen or cover on which a line is typed and nothing else is pointed at."""
    moves = [
        Key("left", f"{prefix}edit_line('left')", "character", LINE),
        Key("right", f"{prefix}edit_line('right')", "character", LINE),
        Key("first", f"{prefix}edit_line('home')", "start or end of the line", LINE),
        Key("last", f"{prefix}edit_line('end')", "start or end of the line", LINE),
    ]
    return [*moves, *[key._replace(does=prefix + key.does) for key in ERASE]]


PICKER: Final[Scope] = (
    *LINES,
    *ways("page_up page_down", "page", "half a screen"),
    Key("left", "aside(False)", "games or tables", MOVE),
    Key("right", "aside(True)", "games or tables", MOVE),
    *alike("play choose", "open", "play, or go on", "Do"),
    Key("new", "set_table", "a new table", "Do"),
    Key("rules", "rules", "rules of the game", "Do"),
    Key("score_table", "app.show('score_table')", "score of real cards", "Do"),
    Key("archive", "app.show('archive')", "archive", "Do"),
    Key("watch", "watch", "watch robots, or a table", "Tables"),
    Key("rename", "rename", "name the table", "Tables"),
    Key("players", "app.show('players')", "players", "Go"),
    Key("give_up", "give_up", "give the session up", "Tables"),
    Key("take_back", "take_back", "take back what was given up", "Tables"),
    Key("statistics", "app.show('statistics')", "statistics"),
    Key("rankings", "app.show('rankings')", "rankings"),
    Key("close", "app.quit", "quit, all is kept"),
    *EVERYWHERE,
)

NEW_TABLE: Final[Scope] = (
    *LINES,
    Key("switch", "aside", "seats or options", MOVE),
    *ways("left right", "step", "next value", "Change"),
    Key("choose", "press", "next value", "Change"),
    Key("rub_out", "rub_out", "delete", "Change"),
    Key("play", "begin", "deal the cards", "Do"),
    Key("rules", "rules", "rules of the game", "Do"),
    Key("leave", "leave", "back, all is kept"),
    *EVERYWHERE,
)

ARCHIVE: Final[Scope] = (
    *LINES,
    *ways("page_up page_down", "page", "a screen"),
    Key("find", "find", "look for words", "Find"),
    *ways("left right", "step", "other value of the filter", "Find"),
    Key("next_field", "turn_to(1)", "next filter", "Find"),
    Key("field_before", "turn_to(-1)", "previous filter", "Find"),
    Key("rub_out", "rub_out", "show all again", "Find"),
    Key("sort", "sort", "other order", "Find"),
    *alike("play choose", "open", "replay, or go on", "Do"),
    Key("go_on", "go_on", "go on with it", "Do"),
    Key("review", "review", "review it", "Do"),
    Key("export", "export", "take it elsewhere", "Do"),
    *alike("archive leave close", "leave", "back"),
    *EVERYWHERE,
)

SETTINGS: Final[Scope] = (
    *LINES,
    *ways("page_up page_down", "page", "half a screen"),
    Key("next_field", "part(1)", "next part; digits, too", MOVE),
    Key("field_before", "part(-1)", "previous part", MOVE),
    *ways("left right", "step", "another value", "Change"),
    Key("play", "press", "use it, or a new key", "Change"),
    Key("choose", "more", "next value, or one more key", "Change"),
    Key("rub_out", "rub_out", "back to what is usual", "Change"),
    *alike("leave close", "leave", "back, all is kept"),
    *EVERYWHERE,
)

PLAYERS: Final[Scope] = (
    *LINES,
    Key("next_field", "move(1)", "line", MOVE),
    Key("field_before", "move(-1)", "line", MOVE),
    *ways("left right", "step", "within the line"),
    *ways("page_up page_down", "page", "scroll the ledger"),
    *alike("play choose", "use", "sign in, or do it", "Do"),
    Key("new", "ask('REGISTER')", "a new player", "Do"),
    Key("rename", "ask('TELL')", "nick, name and e-mail", "Do"),
    Key("password", "ask('PASSWORD')", "change the password", "Do"),
    Key("ask_once", "ask_once", "ask for the password once, or each time", "Do"),
    Key("remove", "remove", "remove the player", "Do"),
    *ERASE,
    *alike("leave close", "leave", "back"),
    *EVERYWHERE,
)

RULES: Final[Scope] = (
    *ways("up down", "scroll_rows", "a line"),
    *ways("page_up page_down", "page", "a page"),
    Key("choose", "page(1)", "a page on", MOVE),
    Key("first", "end(0)", "beginning or end", MOVE),
    Key("last", "end(1)", "beginning or end", MOVE),
    *alike("leave close play rules", "leave", "back"),
    *EVERYWHERE,
)

COMPLAINTS: Final[Scope] = tuple([key for key in RULES if key.name != "rules"])

EXPORT: Final[Scope] = (
    *LINES,
    *alike("play choose", "save", "save it", "Do"),
    *alike("leave close", "leave", "back"),
    *EVERYWHERE,
)

TABLE: Final[Scope] = (
    *ways("left right", "table.move", "card that may be played, or choice"),
    *ways("left_any right_any", "table.walk", "any card"),
    *ways("first last", "table.end", "first or last"),
    *ways("up down", "table.climb", "up or down"),
    *ways("page_up page_down", "table.page", "half a screen"),
    Key("ten", "table.rank(8)", "to that rank; digits, too", MOVE),
    Key("jack", "table.rank(9)", "to that rank; digits, too", MOVE),
    Key("queen", "table.rank(10)", "to that rank; digits, too", MOVE),
    Key("king", "table.rank(11)", "to that rank; digits, too", MOVE),
    Key("ace", "table.rank(12)", "to that rank; digits, too", MOVE),
    Key("switch", "table.switch", "cards or choices", MOVE),
    Key("play", "table.commit", "play or say it", "Play"),
    Key("choose", "table.choose", "choose, or play", "Play"),
    Key("rub_out", "table.clear", "choose no cards", "Play"),
    Key("rest", "rest", "play out the rest", "Play"),
    Key("stand_in", "stand_in", "a robot plays for somebody away", "Play"),
    Key("hint", "table.hint", "hint and reason", "See"),
    Key("previous_trick", "table.look_at('previous_trick')", "previous trick", "See"),
    Key("last_deal", "last_deal", "last deal", "See"),
    Key("sheet", "table.look_at('sheet')", "score sheet", "See"),
    Key("messages", "table.messages", "messages and talk", "See"),
    Key("watch", "company", "who is at the table", "See"),
    Key("rules", "rules", "rules", "See"),
    Key("take_back", "table.take_back", "take back", "Change"),
    Key("order", "table.turn('hand_order')", "order of the hand", "Change"),
    Key("card_size", "table.turn('card_size')", "card size", "Change"),
    Key("four_colours", "table.turn('four_colours')", "four colours or two", "Change"),
    Key("beep", "table.turn('beep')", "beep on your turn", "Change"),
    Key("open_hands", "table.open_hands", "open hands", "See"),
    Key("pause", "table.pause", "pause, or go on", "Watch"),
    Key("step", "table.step", "one step", "Watch"),
    Key("faster", "table.faster(1)", "faster", "Watch"),
    Key("slower", "table.faster(-1)", "slower", "Watch"),
    Key("replay", "replay", "replay"),
    Key("session_review", "review", "review your decisions"),
    Key("again", "new_session(True)", "same deal again"),
    Key("new", "new_session(False)", "new session"),
    Key("leave", "leave", "to the picker"),
    Key("save_elsewhere", "save_elsewhere", "save in another folder"),
    *EVERYWHERE,
)

NEW_SCORES: Final[Scope] = (
    *LINES,
    *ways("left right", "step", "next value", "Change"),
    *ERASE,
    Key("play", "begin", "begin the score table", "Do"),
    Key("leave", "leave", "back"),
    *EVERYWHERE,
)

NAMES: Final[Scope] = (
    *LINES,
    *ways("left right", "step", "within the line"),
    *ERASE,
    Key("play", "keep", "keep the names", "Do"),
    Key("leave", "leave", "back, names stay"),
    *EVERYWHERE,
)

SCORES: Final[Scope] = (
    *ways("left right", "step", "option or count beside"),
    *ways("up down", "climb", "line above or below"),
    Key("first", "end(0)", "first or last field", MOVE),
    Key("last", "end(-1)", "first or last field", MOVE),
    Key("next_field", "along(1)", "next field; digits, too", MOVE),
    Key("field_before", "along(-1)", "previous field", MOVE),
    *ways("page_up page_down", "page", "earlier or later rounds"),
    Key("play", "keep", "keep the round", "Do"),
    Key("rub_out", "rub_out", "delete", "Do"),
    Key("take_back", "undo", "take back an entry, or a round", "Change"),
    Key("edit", "edit", "an earlier round again", "Change"),
    Key("names", "names", "other names of the players", "Change"),
    Key("leave", "leave", "leave, all is kept"),
    *EVERYWHERE,
)

QUESTION: Final[Scope] = (
    *line_keys(),
    Key("play", "answer", "yes", "Do"),
    Key("leave", "refuse", "no"),
)

PALETTE: Final[Scope] = (
    *LINES,
    *ways("page_up page_down", "page", "a screen"),
    Key("next_field", "move(1)", "line", MOVE),
    Key("field_before", "move(-1)", "line", MOVE),
    *ERASE,
    Key("play", "use", "do it", "Do"),
    *alike("leave palette", "leave", "back"),
)
"""What is typed there are words, so that it has no other keys."""

MESSAGES: Final[Scope] = (
    *ways("up down", "table.climb", "what you said before"),
    *ways("page_up page_down", "table.page", "earlier or later messages"),
    Key("play", "cover.say", "say it", "Do"),
    Key("clear_messages", "clear_messages", "clear the messages", "Do"),
    *[key for key in line_keys("cover.") if key.name != "clear"],  # one of its keys clears the messages here
    Key("leave", "table.uncover", "close"),
    *EVERYWHERE,
)

TOLD: Final[Scope] = (
    *ways("up down", "table.climb", "earlier or later"),
    *ways("page_up page_down", "table.page", "half a screen"),
    *ways("first last", "table.end", "first or last"),
    *alike("play leave", "table.uncover", "close"),
    *EVERYWHERE,
)

PASSWORD: Final[Scope] = (
    *line_keys("cover."),
    Key("play", "cover.give", "show my hand", "Do"),
    Key("leave", "leave", "to the picker"),
    *EVERYWHERE,
)

LAST_DEAL: Final[Scope] = (
    *ways("up down", "cover.move", "trick or turn"),
    *ways("left right", "cover.along", "card by card"),
    Key("page_up", "cover.move(-10)", "ten lines", MOVE),
    Key("page_down", "cover.move(10)", "ten lines", MOVE),
    Key("first", "cover.move(-1000)", "first or last", MOVE),
    Key("last", "cover.move(1000)", "first or last", MOVE),
    Key("why", "cover.why", "why it was played", "See"),
    *alike("play replay", "replay", "replay from here", "Do"),
    Key("last_deal", "table.uncover", "back to the table"),
    Key("leave", "table.step_back", "back to the table"),
    *EVERYWHERE,
)

REVIEW: Final[Scope] = (
    *ways("up down", "move", "decision"),
    Key("first", "end(0)", "first or last", MOVE),
    Key("last", "end(-1)", "first or last", MOVE),
    *ways("page_up page_down", "page", "a screen"),
    Key("next_field", "whose(1)", "another player's decisions", MOVE),
    Key("field_before", "whose(-1)", "another player's decisions", MOVE),
    Key("by_round", "by_round", "by round, or by what they cost", "Do"),
    Key("play", "replay", "replay it from there", "Do"),
    Key("go_on", "go_on", "go on from there", "Do"),
    *alike("leave close", "leave", "back, what is done is kept"),
    *EVERYWHERE,
)

REPLAY: Final[Scope] = (
    *ways("left right", "along", "card by card"),
    *ways("up down", "move", "trick or turn"),
    Key("first", "end(0)", "beginning or end of the round", MOVE),
    Key("last", "end(1)", "beginning or end of the round", MOVE),
    *ways("page_up page_down", "round", "another round, or number and Enter"),
    Key("play", "jump", "to the round typed", MOVE),
    Key("rub_out", "rub_out", "delete", MOVE),
    Key("choose", "run", "run, or stop", "See"),
    Key("faster", "faster(1)", "faster", "See"),
    Key("slower", "faster(-1)", "slower", "See"),
    Key("open_hands", "look(1)", "all hands, or one seat's", "See"),
    Key("why", "why", "why the next move is made", "See"),
    Key("go_on", "go_on", "go on from here", "Do"),
    Key("export", "export", "take it elsewhere", "Do"),
    *alike("leave close", "leave", "back"),
    *EVERYWHERE,
)

STATISTICS: Final[Scope] = (
    *LINES,
    *alike("switch player", "aside", "games or players", MOVE),
    *ways("left right", "turn", "other charts, or figures", "See"),
    Key("figures", "turn(1)", "other charts, or figures", "See"),
    Key("rankings", "rankings", "rankings of the game", "See"),
    *alike("archive play", "sessions", "sessions of the player", "See"),
    *alike("leave close", "leave", "back"),
    *EVERYWHERE,
)

RANKINGS: Final[Scope] = (
    *LINES,
    *ways("left right", "game", "game"),
    *alike("play statistics", "statistics", "statistics of the player", "See"),
    Key("plot", "plot", "list or plot", "See"),
    Key("archive", "sessions", "sessions of the player", "See"),
    *alike("leave close", "leave", "back"),
    *EVERYWHERE,
)


class Acts:
    """Has a method ``action_NAME`` for each thing that keys do with it."""

    async def act(self, does: str) -> None:
        """Do what a key does, as a list of keys says it."""
        _, name, arguments = parse(does)
        done: Awaitable[None] | None = getattr(self, f"action_{name}")(*arguments)
        if done is not None:
            await done


CLUB: Final[Scope] = (
    *LINES,
    *ways("left right", "step", "seat, level of robots, or within the line"),
    Key("switch", "talk", "to the line for talk, and back", MOVE),
    Key("play", "press", "sit down, begin, or say it", "Do"),
    Key("watch", "look_on", "watch", "Tables"),
    Key("rules", "rules", "rules of the game", "Tables"),
    Key("new", "set_table", "a new table", "Tables"),
    Key("give_up", "stand_up", "give up your seat before it begins", "Tables"),
    *ERASE,
    Key("archive", "archive", "archive"),
    Key("statistics", "statistics", "statistics"),
    Key("leave", "leave", "leave the club; your seats stay yours"),
    *EVERYWHERE,
)

CLUB_TABLE: Final[Scope] = (
    *LINES,
    *ways("left right", "step", "next value", "Change"),
    Key("play", "open", "open the table", "Do"),
    Key("leave", "leave", "back"),
    *EVERYWHERE,
)

COMPANY: Final[Scope] = (
    *LINES,
    *ways("left right", "step", "next value", "Change"),
    Key("play", "open", "do it", "Do"),
    Key("leave", "leave", "back to the table"),
    *EVERYWHERE,
)

OPEN_TO_OTHERS: Final[Scope] = (
    *LINES,
    *ways("left right", "step", "next value", "Change"),
    *alike("play choose", "press", "next value, or do it", "Do"),
    Key("leave", "leave", "back; a club stays open"),
    *EVERYWHERE,
)


SCOPES: Final[Mapping[str, Scope]] = {
    "in the picker": PICKER,
    "at a new table": NEW_TABLE,
    "in the archive": ARCHIVE,
    "in the rules": RULES,
    "at what is wrong with files": COMPLAINTS,
    "in the export": EXPORT,
    "at the table": TABLE,
    "in the messages": MESSAGES,
    "in the messages at a curtain": TOLD,
    "in the settings": SETTINGS,
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
