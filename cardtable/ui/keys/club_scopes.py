"""What keys do on the screens of a club."""

from typing import Final

from cardtable.ui.keys.scopes import ERASE, EVERYWHERE, LINES, MOVE, Key, Scope, alike, ways

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
