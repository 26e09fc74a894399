"""What of the lobby is told to whom: to who is there all, to who is at a table what concerns that one."""

from msgspec.structs import replace

from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.protocol import LobbyNews, decode_server
from cardtable.club.server.client_outbox import MOST_NEWS, ConnectedClient, TableSubscriber
from cardtable.club.server.lobby import LobbyBroadcaster
from tests.club.messages import ROW

OURS, THEIRS = replace(ROW, playing=True), replace(ROW, table="u", playing=True)
PEOPLE, GUESTS = ("Anna", "Bob"), ("Bob",)


class Lobby:
    """A lobby with Anna and Bob in it, who are told what is put up."""

    def __init__(self):
        self.table = TableSubscriber(None, "t", "Kay", 0, lambda: None)
        self.board, self.anna, self.bob = (
            LobbyBroadcaster(),
            ConnectedClient("Anna", ConnectionOrigin()),
            ConnectedClient("Bob", ConnectionOrigin()),
        )

    def shows(self, *rows, people=PEOPLE):
        self.board.broadcast([self.anna, self.bob], people, GUESTS, {row.table: row for row in rows})


def heard(visit):
    return [decode_server(frame) for frame in visit._waiting()]


def test_what_has_changed_is_told_to_who_is_in_the_lobby():
    lobby = Lobby()
    lobby.shows(OURS, THEIRS)
    turned, more = replace(OURS, turn="Bob"), ("Anna", "Bob", "Cleo")
    lobby.shows(turned, THEIRS)
    lobby.shows(turned, THEIRS)
    lobby.shows(turned, people=more)
    assert (
        heard(lobby.anna)
        == heard(lobby.bob)
        == [
            LobbyNews(PEOPLE, (OURS, THEIRS), (), GUESTS),
            LobbyNews(None, (turned,)),
            LobbyNews(more, (), ("u",), GUESTS),
        ]
    )


def test_who_is_at_a_table_hears_who_sits_there_and_nothing_of_others():
    lobby = Lobby()
    lobby.shows(OURS, THEIRS)
    heard(lobby.anna)
    lobby.anna.subscriptions["t"] = lobby.table
    lobby.shows(replace(OURS, turn="Bob", round=2), replace(THEIRS, looking_on=1))
    assert heard(lobby.anna) == []
    watched = replace(OURS, looking_on=1)
    lobby.shows(watched, THEIRS)
    assert heard(lobby.anna) == [LobbyNews(None, (watched,))]


def test_who_comes_back_to_the_lobby_has_it_anew_at_once():
    lobby = Lobby()
    lobby.anna.subscriptions["t"] = lobby.table
    lobby.shows(OURS, THEIRS)
    del lobby.anna.subscriptions["t"]
    lobby.board.catch_up(lobby.anna)
    lobby.shows(OURS)
    assert heard(lobby.anna) == [
        LobbyNews(PEOPLE, (OURS, THEIRS), (), GUESTS, whole=True),
        LobbyNews(None, (), ("u",)),
    ]


def test_who_has_been_taken_from_a_table_has_the_lobby_anew_with_the_next_news():
    lobby = Lobby()
    lobby.anna.subscriptions["t"] = lobby.table
    lobby.shows(OURS, THEIRS)
    del lobby.anna.subscriptions["t"]
    lobby.shows(OURS, THEIRS)
    assert heard(lobby.anna) == [LobbyNews(PEOPLE, (OURS, THEIRS), (), GUESTS, whole=True)]


def test_who_comes_in_may_have_been_told_of_somebody_who_has_gone_at_once():
    lobby = Lobby()
    lobby.shows()
    lobby.board.resend_people()
    lobby.shows()
    assert heard(lobby.anna) == [LobbyNews(PEOPLE, (), (), GUESTS)] * 2


def test_who_reads_slowly_is_told_how_it_stands():
    lobby = Lobby()
    for number in range(MOST_NEWS + 1):
        last = replace(OURS, round=number)
        lobby.shows(last, THEIRS)
    assert heard(lobby.anna) == [LobbyNews(PEOPLE, (last, THEIRS), (), GUESTS, whole=True)]
