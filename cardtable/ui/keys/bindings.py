"""Key bindings of each page, and the rows of which they are made.

Screens pass pressed keys to ``Keymap.find`` and run the action of the binding. Key sheet, command palette, mouse, the
settings page and the footers read the same rows, so that they offer only what exists and works now.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, Never, TypeAlias, TypeVar

from textual.actions import parse

if TYPE_CHECKING:  # the settings bind keys before a page is imported
    from cardtable.ui.archive.screen import ArchivePage
    from cardtable.ui.club.lobby import LobbyPage
    from cardtable.ui.club.results_pages import ResultsPage, SeasonsPage
    from cardtable.ui.learning import PuzzlesPage
    from cardtable.ui.picker.screen import Picker
    from cardtable.ui.players import PlayersPage
    from cardtable.ui.records.rankings_page import RankingsPage, RecordsPage
    from cardtable.ui.records.statistics_page import StatisticsPage
    from cardtable.ui.replay import ReplayPage
    from cardtable.ui.review import ReviewPage
    from cardtable.ui.score_table.screen import ScorePage
    from cardtable.ui.settings import SettingsPage


class Keys(NamedTuple):
    """Usual keys of a binding, and the words by which it is found.

    Several keys are separated by spaces; the settings may name others.
    """

    default: str
    words: str = ""
    """Words by which the command palette finds the binding, besides those of its label."""
    vim: str = ""
    """Keys in the preset "vim"; "" if they are the default ones."""
    fallback: str = ""
    """Key of a binding that came later, if the settings of a player have given its usual key to another one before."""


SHARED_KEYS: Final[Mapping[str, Keys]] = {
    "left": Keys("left", vim="left h"),
    "right": Keys("right", vim="right l"),
    "left_any": Keys("shift+left", vim="shift+left b"),
    "right_any": Keys("shift+right", vim="shift+right e"),
    "up": Keys("up", vim="up k"),
    "down": Keys("down", vim="down j"),
    "first": Keys("home", vim="home ^"),
    "last": Keys("end", vim="end $"),
    "page_up": Keys("pageup", vim="pageup ctrl+b"),
    "page_down": Keys("pagedown", vim="pagedown ctrl+f"),
    "play": Keys("enter"),
    "choose": Keys("space"),
    "switch": Keys("tab shift+tab"),
    "rub_out": Keys("backspace delete"),
    "clear": Keys("ctrl+u ctrl+l"),
    "why": Keys("w", "explain reason"),
    "last_deal": Keys("d", "replay previous hands"),
    "rules": Keys("i", "help how"),
    "learn": Keys("L", "lesson tutorial teach course school beginner practice how", vim="C"),
    "puzzles": Keys("P", "puzzle practice practise train exercise quiz mistakes problems"),
    "take_back": Keys("u ctrl+z", "undo revert"),
    "new": Keys("n", "start game deal"),
    "faster": Keys("+"),
    "slower": Keys("-"),
    "open_hands": Keys("v", "practice reveal"),
    "give_up": Keys("g", "abandon resign concede delete forfeit"),
    "rename": Keys("e", "name title", vim="E"),
    "next_field": Keys("tab"),
    "field_before": Keys("shift+tab"),
    "remove": Keys("d"),
    "watch": Keys("w", "spectate demo"),
    "archive": Keys("a", "history past finished load"),
    "find": Keys("/", "search filter"),
    "export": Keys("e", "save markdown csv download"),
    "go_on": Keys("g", "resume continue load"),
    "replay": Keys("r", "watch playback"),
    "statistics": Keys("t", "stats figures wins"),
    "rankings": Keys("r", "leaderboard ratings elo best"),
    "settings": Keys(",", "options preferences configuration language keys"),
    "screenshot": Keys("f3", "screenshot image svg print"),
    "help": Keys("? f1", "shortcuts bindings controls"),
    "palette": Keys("ctrl+p"),
    "leave": Keys("escape", "exit close back"),
    "close": Keys("q"),
    "quit": Keys("ctrl+q", "exit close leave"),
}
"""Keys by name of the bindings that several rows have in common; a name has the same keys on every screen."""


Owner_contra = TypeVar("Owner_contra", contravariant=True)
"""Page, overlay or state of the table that the conditions of a key ask."""
Condition: TypeAlias = Callable[[Owner_contra], object]


class KeyBinding(NamedTuple, Generic[Owner_contra]):
    """Action that a key performs on a screen."""

    name: str
    """Name of the binding in the settings file."""
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
    """Index in the footer, counted from the left, and label there; ``None`` if the footer omits the key."""
    when: Condition[Owner_contra] | None = None
    """Condition that is true while the key is enabled; ``None`` if it always is."""
    keys: Keys | None = None
    """Usual keys; ``None`` if ``SHARED_KEYS`` has those of the name, or another row does."""


AnyKeyBinding: TypeAlias = KeyBinding[Never]
"""Key binding of any screen."""
Rows: TypeAlias = Sequence[KeyBinding[Owner_contra]]
FooterKeys: TypeAlias = Mapping[str, str]
"""Labels in the footer by names of key bindings, several names separated by spaces, from left to right."""


class KeyBindings(Generic[Owner_contra]):
    """Key bindings of one screen."""

    def __init__(self, location: str, *groups: Rows[Owner_contra], has_global_keys: bool = True) -> None:
        """``location`` is the place at which the keys work, for key sheet and settings, such as "in the archive"."""
        self.location, self.keys = location, [key for group in groups for key in group]
        if has_global_keys:
            self.keys += GLOBAL_KEYS
        self._by_name = {key.name: key for key in self.keys}

    def find(self, name: str) -> KeyBinding[Owner_contra]:
        return self._by_name[name]

    @cached_property
    def footer(self) -> FooterKeys:
        """Footer of the screen; keys with the same label have one entry, at the place of the first."""
        entries: dict[str, list[str]] = {}
        in_footer = [(key.footer, key.name) for key in self.keys if key.footer]
        for (_, label), name in sorted(in_footer, key=itemgetter(0)):
            entries.setdefault(label, []).append(name)
        return {" ".join(names): label for label, names in entries.items()}

    def is_enabled(self, name: str, owner: Owner_contra) -> bool:
        """Return True if the key with this name has an effect now; the screen must have it."""
        when = self._by_name[name].when
        return when is None or bool(when(owner))

    def list_enabled(self, owner: Owner_contra) -> Rows[Owner_contra]:
        return [key for key in self.keys if self.is_enabled(key.name, owner)]

    def filter_footer(self, footer: FooterKeys, owner: Owner_contra) -> FooterKeys:
        """Return the entries of a footer that have an enabled key; words that are no binding are kept."""
        return {
            names: label
            for names, label in footer.items()
            if any(name not in self._by_name or self.is_enabled(name, owner) for name in names.split())
        }


AnyKeyBindings: TypeAlias = KeyBindings[Never]
"""Key bindings of any screen."""
MOVE_TOPIC: Final = "Move"
"""Topic of keys that move a cursor; the command palette omits them."""
LINE_TOPIC: Final = "Line"
"""Topic of the keys that edit a text input."""


def bind(
    names: str,
    action: str,
    label: str,
    topic: str = "Go",
    footer: tuple[int, str] | None = None,
    when: Condition[Owner_contra] | None = None,
    keys: Keys | None = None,
) -> Rows[Owner_contra]:
    """Bind each of the names, which are separated by spaces, to the same action.

    The footer has only the first one, and ``keys`` are those of a single name.
    """
    first, *others = names.split()
    return [
        KeyBinding(first, action, label, topic, footer, when, keys),
        *[KeyBinding(name, action, label, topic, when=when) for name in others],
    ]


def bind_pair(
    names: str,
    action: str,
    label: str,
    topic: str = MOVE_TOPIC,
    footer: tuple[int, str] | None = None,
    when: Condition[Owner_contra] | None = None,
    steps: tuple[int, int] = (-1, 1),
) -> Rows[Owner_contra]:
    """Bind two names to one action, each with its own argument from ``steps``; -1 means back or up."""
    return [
        KeyBinding(name, f"{action}({step})", label, topic, footer, when)
        for name, step in zip(names.split(), steps, strict=True)
    ]


def bind_list_keys(
    label: str = "line", footer: str = "", when: Condition[Owner_contra] | None = None, footer_index: int = 1
) -> Rows[Owner_contra]:
    """Return the keys that move a cursor along a list; ``footer`` is the label of Up and Down there."""
    return [
        *bind_pair("up down", "move", label, footer=(footer_index, footer) if footer else None, when=when),
        *bind_pair("first last", "end", "first or last", when=when, steps=(0, -1)),
    ]


def bind_erase_keys(prefix: str = "", when: Condition[Owner_contra] | None = None) -> Rows[Owner_contra]:
    """Return the editing keys in the scope of a form; the other editing keys are the same everywhere."""
    return [
        KeyBinding("rub_out", f"{prefix}edit_line('backspace')", "delete to the left", LINE_TOPIC, when=when),
        KeyBinding("clear", f"{prefix}edit_line('ctrl+u')", "clear the line", LINE_TOPIC, when=when),
    ]


def bind_line_keys(prefix: str = "", when: Condition[Owner_contra] | None = None) -> Rows[Owner_contra]:
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


GLOBAL_KEYS: Final[Rows[object]] = (
    KeyBinding("settings", "app.show('settings')", "settings"),
    KeyBinding("palette", "app.show('palette')", "all commands"),
    KeyBinding("screenshot", "app.picture", "picture of the screen"),
    KeyBinding("help", "help", "these keys"),
    KeyBinding("quit", "app.quit", "quit"),
)
"""Keys of every screen but the question and the palette."""

PICKER: "Final[KeyBindings[Picker]]" = KeyBindings(
    "in the picker",
    bind_list_keys(footer="choose"),
    bind_pair("page_up page_down", "page", "half a screen"),
    bind("left", "aside(False)", "games or tables", MOVE_TOPIC),
    bind("right", "aside(True)", "games or tables", MOVE_TOPIC),
    bind("play choose", "open", "play, or continue", "Do", (2, "play")),
    bind("new", "set_table", "a new table", "Do", (7, "new table")),
    bind("rules", "rules", "rules of the game", "Do", (11, "rules")),
    bind("learn", "learn", "lessons", "Do"),
    bind("puzzles", "app.show('puzzles')", "puzzles", "Do"),
    bind("score_table", "app.show('score_table')", "keep score with real cards", "Do",
         keys=Keys("c", "paper pad write")),
    bind("archive", "app.show('archive')", "archive", "Do", (8, "archive")),
    bind("watch", "watch", "watch robots, or a table", "Tables", when=lambda page: page.can_watch),
    bind("rename", "rename", "name the table", "Tables", (4, "rename"), when=lambda page: page.can_rename),
    bind("players", "app.show('players')", "players", "Go",
         keys=Keys("p", "profiles accounts users login sign password")),
    bind("join_club", "app.show('join_club')", "join a club",
         keys=Keys("j", "club multiplayer online network server connect friends internet address lobby",
                   vim="J", fallback="f6")),
    bind("give_up", "give_up", "abandon this game", "Tables", (5, "abandon"), when=lambda page: page.is_on_session),
    bind("take_back", "take_back", "undo the abandoning", "Tables", (3, "undo"), when=lambda page: page.can_take_back),
    bind("statistics", "app.show('statistics')", "statistics", footer=(10, "statistics")),
    bind("rankings", "app.show('rankings')", "rankings", footer=(9, "rankings")),
    bind("close", "app.quit", "quit", footer=(12, "quit")),
)  # fmt: skip

NEW_TABLE: "Final[KeyBindings[object]]" = KeyBindings(
    "at a new table",
    bind_list_keys(footer="line"),
    bind("switch", "aside", "seats or options", MOVE_TOPIC, (4, "options")),
    bind_pair("left right", "step", "next value", "Change", (2, "change")),
    bind("choose", "press", "next value", "Change"),
    bind("rub_out", "rub_out", "delete", "Change"),
    bind("play", "begin", "deal the cards", "Do", (3, "deal")),
    bind("rules", "rules", "rules of the game", "Do", (5, "rules")),
    bind("leave", "leave", "back (choices are kept)", footer=(6, "back")),
)

ARCHIVE: "Final[KeyBindings[ArchivePage]]" = KeyBindings(
    "in the archive",
    bind_list_keys(),
    bind_pair("page_up page_down", "page", "a screen"),
    bind("find", "find", "search for words", "Find", (4, "find")),
    bind_pair("left right", "step", "another value of the filter", "Find", (5, "filter")),
    bind("next_field", "turn_to(1)", "next filter", "Find", (6, "next")),
    bind("field_before", "turn_to(-1)", "previous filter", "Find"),
    bind("rub_out", "rub_out", "show all again", "Find", (3, "show all"), when=lambda page: page.can_show_all),
    bind("sort", "sort", "another order", "Find", (7, "sort"), keys=Keys("o")),
    bind("play choose", "open", "replay, or continue", "Do", (1, "replay"), when=lambda page: page.can_open),
    bind("go_on", "go_on", "continue it", "Do", when=lambda page: page.can_continue),
    bind("review", "review", "review it", "Do", (2, "review"), when=lambda page: page.can_review,
         keys=Keys("v", "analyse analyze mistakes")),
    bind("export", "export", "export it", "Do", when=lambda page: page.has_readable_session),
    bind("archive", "leave", "back"),
    bind("leave close", "leave", "back", footer=(8, "back")),
)  # fmt: skip

LESSONS: "Final[KeyBindings[object]]" = KeyBindings(
    "among the lessons",
    bind_list_keys(footer="choose"),
    bind_pair("page_up page_down", "page", "half a screen"),
    bind("play choose", "press", "open it", "Do", (2, "open")),
    bind("leave close", "leave", "back", footer=(3, "back")),
)

WELCOME: "Final[KeyBindings[object]]" = KeyBindings(
    "on the welcome page",
    bind_list_keys(footer="choose"),
    bind_pair("left right", "step", "another theme", "Change", (2, "theme")),
    bind("play", "press", "go there", "Do", (3, "go")),
    bind("leave close", "leave", "look around", footer=(4, "look around")),
)

PUZZLES: "Final[KeyBindings[PuzzlesPage]]" = KeyBindings(
    "among the puzzles",
    bind_list_keys(footer="choose"),
    bind_pair("page_up page_down", "page", "half a screen"),
    bind("play choose", "press", "solve it", "Do", (2, "solve"), when=lambda page: page.current_row.on_press),
    bind("export", "export", "save it to share", "Do", (3, "export"), when=lambda page: page.has_puzzles),
    bind("remove", "remove", "remove it", "Do", (4, "remove"), when=lambda page: page.has_puzzles),
    bind("puzzles", "leave", "back"),
    bind("leave close", "leave", "back", footer=(5, "back")),
)

SETTINGS_PAGE: "Final[KeyBindings[SettingsPage]]" = KeyBindings(
    "in the settings",
    bind_list_keys(footer="choose"),
    bind_pair("page_up page_down", "page", "half a screen"),
    bind("next_field", "part(1)", "next part (digits work too)", MOVE_TOPIC, (2, "part")),
    bind("field_before", "part(-1)", "previous part", MOVE_TOPIC),
    bind_pair("left right", "step", "another value", "Change", when=lambda page: page.current_row.on_step),
    bind("play", "press", "use it, or set a new key", "Change", when=lambda page: page.current_row.keys),
    bind("choose", "more", "next value, or add a key", "Change", when=lambda page: page.current_row.keys),
    bind("rub_out", "rub_out", "back to the default", "Change", when=lambda page: page.current_row.keys),
    bind("leave close", "leave", "back (saved)", footer=(3, "back (saved)")),
)


def _has_profile(page: "PlayersPage") -> bool:
    return page.selected_profile is not None


PLAYERS: "Final[KeyBindings[PlayersPage]]" = KeyBindings(
    "among the players",
    bind_list_keys(),
    bind_pair("next_field field_before", "move", "line", when=lambda page: page.form, steps=(1, -1)),
    bind_pair("left right", "step", "within the line", when=lambda page: page.form),
    bind_pair("page_up page_down", "page", "scroll the ledger", when=_has_profile),
    bind("play choose", "use", "sign in, or press the button", "Do", (1, "sign in"), when=lambda page: page.can_use),
    bind("new", "ask('REGISTER')", "a new player", "Do", (2, "new"), when=lambda page: page.shows_list),
    bind("rename", "ask('TELL')", "nick, name and e-mail", "Do", (3, "nick"), when=_has_profile),
    bind("password", "ask('PASSWORD')", "change the password", "Do", (4, "password"), _has_profile, Keys("w")),
    bind("ask_once", "ask_once", "ask for the password once, or every turn", "Do", (7, "ask once"),
         when=lambda page: page.selected_profile and page.selected_profile.password, keys=Keys("o")),
    bind("remove", "remove", "remove the player", "Do", (5, "remove"), when=_has_profile),
    bind_erase_keys(when=lambda page: page.form),
    bind("leave", "leave", "back", footer=(6, "back")),
    bind("close", "leave", "back", when=lambda page: page.shows_list),
)  # fmt: skip

_SCROLL_KEYS: Final[Sequence[Rows[object]]] = (
    bind_pair("up down", "scroll_rows", "a line", footer=(1, "scroll")),
    bind_pair("page_up page_down", "page", "a page"),
    bind("choose", "page(1)", "next page", MOVE_TOPIC, (2, "next page")),
    bind_pair("first last", "end", "beginning or end", steps=(0, 1)),
)
"""Keys of all pages of text."""

RULES: "Final[KeyBindings[object]]" = KeyBindings(
    "in the rules",
    *_SCROLL_KEYS,
    bind("next_field", "section(1)", "next section", MOVE_TOPIC, (3, "section")),
    bind("field_before", "section(-1)", "previous section", MOVE_TOPIC),
    bind("find", "find", "search", "Find", (4, "search")),
    bind("play", "confirm", "next match, or back", "Find"),
    bind("rules", "explain_words", "words of card games", footer=(5, "words")),
    bind("leave close", "leave", "back", footer=(6, "back")),
)

FILE_PROBLEMS: "Final[KeyBindings[object]]" = KeyBindings(
    "file problems",
    *_SCROLL_KEYS,
    bind("leave close play", "leave", "back", footer=(3, "back")),
)

EXPORT: "Final[KeyBindings[object]]" = KeyBindings(
    "in the export",
    bind_list_keys(footer="choose"),
    bind("play choose", "press", "save it", "Do", (2, "save")),
    bind("leave close", "leave", "back", footer=(3, "back")),
)

NEW_SCORES: "Final[KeyBindings[object]]" = KeyBindings(
    "at a new score table",
    bind_list_keys(footer="choose"),
    bind_pair("left right", "step", "next value", "Change"),
    bind_erase_keys(),
    bind("play", "begin", "start the score table", "Do", (2, "start")),
    bind("leave", "leave", "back", footer=(3, "back")),
)

NAMES: "Final[KeyBindings[object]]" = KeyBindings(
    "at the names of a score table",
    bind_list_keys(footer="choose"),
    bind_pair("left right", "step", "within the line"),
    bind_erase_keys(),
    bind("play", "keep", "save the names", "Do", (2, "save names")),
    bind("leave", "leave", "back, without changes", footer=(3, "back")),
)


def _awaits_entry(page: "ScorePage") -> bool:
    return page.awaits_entry


SCORES: "Final[KeyBindings[ScorePage]]" = KeyBindings(
    "at a score table",
    bind_pair("left right", "step", "option or count beside", footer=(2, "field"), when=_awaits_entry),
    bind_pair("up down", "climb", "line above or below", when=_awaits_entry),
    bind_pair("first last", "end", "first or last field", when=_awaits_entry, steps=(0, -1)),
    bind("next_field", "along(1)", "next field (digits work too)", MOVE_TOPIC, (1, "next"), when=_awaits_entry),
    bind("field_before", "along(-1)", "previous field", MOVE_TOPIC, when=_awaits_entry),
    bind_pair("page_up page_down", "page", "earlier or later rounds"),
    bind("play", "keep", "save the round", "Do", (3, "save round"), when=lambda page: page.is_editable),
    bind("rub_out", "rub_out", "delete", "Do", when=_awaits_entry),
    bind("take_back", "undo", "undo an entry or a round", "Change", (4, "undo"), when=lambda page: page.can_undo),
    bind("edit", "edit", "edit an earlier round", "Change", (5, "edit"), when=lambda page: page.can_edit,
         keys=Keys("e")),
    bind("names", "names", "change the names", "Change", (7, "names"), when=lambda page: page.is_editable,
         keys=Keys("n")),
    bind("leave", "leave", "leave (saved)", footer=(6, "leave")),
)  # fmt: skip

QUESTION: "Final[KeyBindings[object]]" = KeyBindings(
    "at a question",
    bind_line_keys(),
    bind("play", "answer", "yes", "Do"),
    bind("leave", "refuse", "no"),
    has_global_keys=False,
)

LESSON_END: "Final[KeyBindings[object]]" = KeyBindings(
    "at the end of a lesson",
    bind("play", "answer", "what comes next", "Do"),
    bind("replay", "repeat", "the lesson again", "Do"),
    bind("leave", "refuse", "all lessons"),
    has_global_keys=False,
)

PALETTE: "Final[KeyBindings[object]]" = KeyBindings(
    "among all commands",
    bind_list_keys(),
    bind_pair("page_up page_down", "page", "a screen"),
    bind_pair("next_field field_before", "move", "line", steps=(1, -1)),
    bind_erase_keys(),
    bind("play", "use", "do it", "Do"),
    bind("leave palette", "leave", "back"),
    has_global_keys=False,
)
"""Keys of the command palette; no letter is bound, because printable characters are search text."""


def _has_several_seats(page: "ReviewPage") -> bool:
    return page.has_several_seats


def _has_decision(page: "ReviewPage") -> bool:
    return page.model is not None and page.model.current is not None


REVIEW: "Final[KeyBindings[ReviewPage]]" = KeyBindings(
    "in the review",
    bind_list_keys(label="decision", footer="decision"),
    bind_pair("page_up page_down", "page", "a screen"),
    bind("next_field", "whose(1)", "another player's decisions", MOVE_TOPIC, (5, "whose"), when=_has_several_seats),
    bind("field_before", "whose(-1)", "another player's decisions", MOVE_TOPIC, when=_has_several_seats),
    bind("by_round", "by_round", "by round, or by cost", "Do", (4, "by round"), keys=Keys("f")),
    bind("play", "replay", "replay from here", "Do", (2, "replay"), when=_has_decision),
    bind("go_on", "go_on", "play from here", "Do", (3, "play here"), when=_has_decision),
    bind("leave close", "leave", "back (saved)", footer=(6, "back")),
)


def _has_state(page: "ReplayPage") -> bool:
    return page.model is not None


def _has_number(page: "ReplayPage") -> bool:
    return page.model is not None and bool(page.model.typed)


REPLAY: "Final[KeyBindings[ReplayPage]]" = KeyBindings(
    "in the replay",
    bind_pair("left right", "along", "card by card", footer=(1, "card"), when=_has_state),
    bind_pair("up down", "move", "trick or turn", footer=(2, "trick"), when=_has_state),
    bind_pair("first last", "end", "beginning or end of the round", when=_has_state, steps=(0, 1)),
    bind_pair("page_up page_down", "round", "another round, or its number", footer=(3, "round"), when=_has_state),
    bind("play", "jump", "to the typed round", MOVE_TOPIC, when=_has_number),
    bind("rub_out", "rub_out", "delete", MOVE_TOPIC, when=_has_number),
    bind("choose", "run", "play, or stop", "See", (4, "run"), when=_has_state),
    bind("faster", "faster(1)", "faster", "See", when=_has_state),
    bind("slower", "faster(-1)", "slower", "See", when=_has_state),
    bind("open_hands", "look(1)", "all hands, or one seat's", "See", (5, "hands"), when=_has_state),
    bind("why", "why", "why the next move was made", "See", (6, "why"), when=_has_state),
    bind("go_on", "go_on", "play from here", "Do", (7, "play here"),
         when=lambda page: page.model and page.model.can_continue),
    bind("export", "export", "export it", "Do", when=_has_state),
    bind("leave close", "leave", "back", footer=(8, "back")),
)  # fmt: skip


def _has_several_screens(page: "StatisticsPage") -> bool:
    return page.has_several_screens


def _can_list_sessions(page: "RecordsPage") -> bool:
    return page.can_list_sessions


STATISTICS: "Final[KeyBindings[StatisticsPage]]" = KeyBindings(
    "in the statistics",
    bind_list_keys(footer="game"),
    bind("switch", "aside", "games or players", MOVE_TOPIC),
    bind("player", "aside", "games or players", MOVE_TOPIC, (2, "player"), keys=Keys("p")),
    bind_pair("left right", "turn", "other charts, or figures", "See", when=_has_several_screens),
    bind("figures", "turn(1)", "other charts, or figures", "See", (3, "figures"), _has_several_screens, Keys("v")),
    bind("rankings", "rankings", "rankings of the game", "See", (4, "rankings")),
    bind("archive", "sessions", "sessions of the player", "See", (5, "sessions"), when=_can_list_sessions),
    bind("play", "open", "sessions of the player, or a new table", "See", when=lambda page: page.can_open),
    bind("leave close", "leave", "back", footer=(6, "back")),
)


def _has_players(page: "RankingsPage") -> bool:
    return bool(page.model.rows)


RANKINGS: "Final[KeyBindings[RankingsPage]]" = KeyBindings(
    "in the rankings",
    bind_list_keys(footer="player", when=_has_players, footer_index=2),
    bind_pair("left right", "game", "game", footer=(1, "game")),
    bind("play", "open", "statistics, or how to be rated", "See", (3, "statistics")),
    bind("statistics", "statistics", "statistics of the player", "See", when=_has_players),
    bind("plot", "plot", "list or plot", "See", (4, "plot"), when=lambda page: page.can_plot, keys=Keys("p")),
    bind("archive", "sessions", "sessions of the player", "See", (5, "sessions"), when=_can_list_sessions),
    bind("leave close", "leave", "back", footer=(6, "back")),
)

CLUB: "Final[KeyBindings[LobbyPage]]" = KeyBindings(
    "in the lobby of a club",
    bind_list_keys(),
    bind_pair("left right", "step", "seat, robot level, or within the line"),
    bind("switch", "talk", "to the talk line, and back", MOVE_TOPIC, (2, "talk")),
    bind("play", "press", "sit down, start, or send", "Do", when=lambda page: page.can_press),
    bind("watch", "request('watch')", "watch, or allow it at your table", "Tables",
         when=lambda page: "watch" in page.requests),
    bind("rules", "rules", "rules of the game", "Tables", when=lambda page: page.has_readable_rules),
    bind("new", "set_table", "a new table", "Tables", (1, "new table")),
    bind("give_up", "request('give_up')", "give up your seat before the start", "Tables",
         when=lambda page: "give_up" in page.requests),
    bind("invite", "invite", "invite people to your private table", "Tables",
         when=lambda page: "invite" in page.requests, keys=Keys("v", "private guest list")),
    bind("people", "people", "people, and whose talk is hidden", "Tables",
         keys=Keys("p", "who guests mute ignore block hide talk chat")),
    bind_erase_keys(),
    bind("archive", "archive", "archive"),
    bind("statistics", "statistics", "statistics"),
    bind("rankings", "seasons", "seasons: tables of results", footer=(3, "seasons")),
    bind("leave", "leave", "leave the club; your seats stay yours", footer=(4, "leave")),
)  # fmt: skip

SEASONS: "Final[KeyBindings[SeasonsPage]]" = KeyBindings(
    "among the seasons of a club",
    bind_list_keys(footer="choose"),
    bind_pair("page_up page_down", "page", "half a screen"),
    bind("play choose", "press", "its tables", "Do", (2, "show it"), when=lambda page: page.has_seasons),
    bind("rankings", "leave", "back"),
    bind("leave close", "leave", "back", footer=(3, "back")),
)

RESULTS: "Final[KeyBindings[ResultsPage]]" = KeyBindings(
    "in a table of results",
    bind_pair("up down", "scroll_rows", "line", footer=(2, "scroll"), when=lambda page: page.can_scroll),
    bind_pair("page_up page_down", "page", "a screen", when=lambda page: page.can_scroll),
    bind_pair("first last", "end", "beginning or end", when=lambda page: page.can_scroll, steps=(0, 1)),
    bind_pair("left right", "step", "another table", footer=(1, "table"), when=lambda page: page.has_several_tables),
    bind("leave close", "leave", "back", footer=(3, "back")),
)

NEW_CLUB_TABLE: "Final[KeyBindings[object]]" = KeyBindings(
    "at a new table of a club",
    bind_list_keys(footer="choose"),
    bind_pair("left right", "step", "next value", "Change", (2, "change")),
    bind_erase_keys(),
    bind("play", "open", "open the table", "Do", (3, "open it")),
    bind("leave", "leave", "back", footer=(4, "back")),
)

COMPANY: "Final[KeyBindings[object]]" = KeyBindings(
    "people at the table",
    bind_list_keys(),
    bind_pair("left right", "step", "next value", "Change"),
    bind("play", "press", "do it, or send the spectator away", "Do"),
    bind("choose", "choose", "hide or show their talk", "Do"),
    bind("leave", "leave", "back to the table", footer=(1, "back")),
)

CLUB_PEOPLE: "Final[KeyBindings[object]]" = KeyBindings(
    "among the people of a club",
    bind_list_keys(),
    bind_erase_keys(),
    bind("play", "press", "what the row offers", "Do"),
    bind("choose", "choose", "hide or show their talk", "Do"),
    bind("leave", "leave", "back", footer=(1, "back")),
)

OPEN_TO_OTHERS: "Final[KeyBindings[object]]" = KeyBindings(
    "open to others",
    bind_list_keys(footer="choose"),
    bind_pair("left right", "step", "next value", "Change", (2, "change")),
    bind("play choose", "press", "next value, or press the button", "Do", (3, "do it")),
    bind("leave", "leave", "back; a club stays open", footer=(4, "back")),
)

JOIN_CLUB: "Final[KeyBindings[object]]" = KeyBindings(
    "joining a club",
    bind_list_keys(footer="choose"),
    bind_pair("left right", "step", "within the line"),
    bind_erase_keys(),
    bind("play", "press", "join the club", "Do", (2, "join")),
    bind("leave", "leave", "back", footer=(3, "back")),
)
