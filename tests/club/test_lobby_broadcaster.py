"""News of the lobby: everything for clients in the lobby, their own table for the others."""

from msgspec.structs import replace

from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.protocol import LobbyNews, decode_server
from cardtable.club.server.client_outbox import MAX_LOBBY_NEWS, ConnectedClient, TableSubscriber
from cardtable.club.server.lobby import LobbyBroadcaster
from tests.club.guests import make_person
from tests.club.messages import TABLE_INFO

OURS, THEIRS = replace(TABLE_INFO, playing=True), replace(TABLE_INFO, table="u", playing=True)
PEOPLE, GUESTS = ("Anna", "Bob"), ("Bob",)


class LobbyWithTwoClients:
    """A broadcaster with two clients, Anna and Bob."""

    def __init__(self):
        self.table = TableSubscriber(None, "t", "Kay", 0, lambda: None)
        self.broadcaster, self.anna, self.bob = (
            LobbyBroadcaster(),
            ConnectedClient(make_person("Anna"), ConnectionOrigin()),
            ConnectedClient(make_person("Bob"), ConnectionOrigin()),
        )

    def broadcast(self, *rows, people=PEOPLE):
        self.broadcaster.broadcast([self.anna, self.bob], people, GUESTS, {row.table: row for row in rows})


def read_messages(visit):
    return [decode_server(frame) for frame in iter(visit.take_frame, b"")]


def test_sends_only_changes_to_clients_in_the_lobby():
    lobby = LobbyWithTwoClients()
    lobby.broadcast(OURS, THEIRS)
    turned, more = replace(OURS, turn="Bob"), ("Anna", "Bob", "Cleo")
    lobby.broadcast(turned, THEIRS)
    lobby.broadcast(turned, THEIRS)
    lobby.broadcast(turned, people=more)
    assert (
        read_messages(lobby.anna)
        == read_messages(lobby.bob)
        == [
            LobbyNews(PEOPLE, (OURS, THEIRS), (), GUESTS),
            LobbyNews(None, (turned,)),
            LobbyNews(more, (), ("u",), GUESTS),
        ]
    )


def test_client_at_a_table_gets_news_of_that_table_only():
    lobby = LobbyWithTwoClients()
    lobby.broadcast(OURS, THEIRS)
    read_messages(lobby.anna)
    lobby.anna.subscriptions["t"] = lobby.table
    lobby.broadcast(replace(OURS, turn="Bob", round=2), replace(THEIRS, spectator_count=1))
    assert read_messages(lobby.anna) == []
    watched = replace(OURS, spectator_count=1)
    lobby.broadcast(watched, THEIRS)
    assert read_messages(lobby.anna) == [LobbyNews(None, (watched,))]


def test_client_back_in_the_lobby_gets_everything_at_once():
    lobby = LobbyWithTwoClients()
    lobby.anna.subscriptions["t"] = lobby.table
    lobby.broadcast(OURS, THEIRS)
    del lobby.anna.subscriptions["t"]
    lobby.broadcaster.send_missed_news(lobby.anna)
    lobby.broadcast(OURS)
    assert read_messages(lobby.anna) == [
        LobbyNews(PEOPLE, (OURS, THEIRS), (), GUESTS, whole=True),
        LobbyNews(None, (), ("u",)),
    ]


def test_client_removed_from_a_table_gets_everything():
    lobby = LobbyWithTwoClients()
    lobby.anna.subscriptions["t"] = lobby.table
    lobby.broadcast(OURS, THEIRS)
    del lobby.anna.subscriptions["t"]
    lobby.broadcast(OURS, THEIRS)
    assert read_messages(lobby.anna) == [LobbyNews(PEOPLE, (OURS, THEIRS), (), GUESTS, whole=True)]


def test_resends_people_if_a_newcomer_left_at_once():
    lobby = LobbyWithTwoClients()
    lobby.broadcast()
    lobby.broadcaster.resend_people()
    lobby.broadcast()
    assert read_messages(lobby.anna) == [LobbyNews(PEOPLE, (), (), GUESTS)] * 2


def test_slow_client_gets_current_state_only():
    lobby = LobbyWithTwoClients()
    for number in range(MAX_LOBBY_NEWS + 1):
        last = replace(OURS, round=number)
        lobby.broadcast(last, THEIRS)
    assert read_messages(lobby.anna) == [LobbyNews(PEOPLE, (last, THEIRS), (), GUESTS, whole=True)]
