"""A session looked at without playing: how it stands, in sentences."""

from contextlib import closing
from pathlib import Path

from cardtable.plain import reading
from cardtable.plain.console import say
from cardtable.plain.facts import own, situation
from cardtable.plain.passwords import prove
from cardtable.plain.speech import sentence
from cardtable.store import sessions
from cardtable.store.whose_seat import players_at
from cardtable.wording.names import called
from cardtable.wording.words import YOU, does


def look(path: Path) -> None:
    """Tell what the only person at the table sees, or of several people's what all of them may see.

    Raises ``CardtableError``.
    """
    with closing(sessions.look(path)) as session:
        if len(session.header.people) == 1:
            prove(players_at(session.header).get(session.header.people[0], ""))
        table, names = session.table, called(session.header, YOU)
        view = table.view(session.header.people[0])
        told = situation(table.game, view, names)
        if view.playing and not table.covered:
            told.append(own(table.game, view))
        say(*told)
        if view.turn >= 0:
            say(sentence(does(names[view.turn], "is to act", "are to act")))
        if table.scores:
            reading.sheet(table, view, names)
