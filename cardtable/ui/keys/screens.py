"""All screens in words, with what keys do there."""

from collections.abc import Mapping
from typing import Final

from cardtable.ui.keys.club_scopes import CLUB, CLUB_TABLE, COMPANY, OPEN_TO_OTHERS
from cardtable.ui.keys.scopes import (
    ARCHIVE,
    COMPLAINTS,
    EXPORT,
    LAST_DEAL,
    MESSAGES,
    NAMES,
    NEW_SCORES,
    NEW_TABLE,
    PASSWORD,
    PICKER,
    PLAYERS,
    RANKINGS,
    REPLAY,
    REVIEW,
    RULES,
    SCORES,
    SETTINGS,
    STATISTICS,
    TABLE,
    TOLD,
    Scope,
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
