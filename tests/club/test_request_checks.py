"""The check that the sender of each message must pass."""

from cardtable.club import administration, protocol
from cardtable.club.server import server
from cardtable.club.server.requests import HANDLERS

CHECKS = {
    "signed_in": {
        *(protocol.Say, protocol.SayTo, protocol.Report, protocol.Register, protocol.SignIn, protocol.ChangePassword),
        *(protocol.AskDeviceWord, protocol.RenameSelf, protocol.AskDevices, protocol.WithdrawDevice, protocol.CheckIn),
        *(protocol.AskFinished, protocol.AskJournal, protocol.AskSeasons, protocol.AskSeason, protocol.AskUnfinished),
        *(protocol.ResumeSession, protocol.OpenTable, protocol.SitDown, protocol.Watch, protocol.Leave, protocol.Start),
    },
    "at_table": {protocol.AskRounds},
    "own_seat": {
        *(protocol.Act, protocol.AcknowledgeRound, protocol.VoteSubstitute, protocol.VoteRematch),
        protocol.DeclineRematch,
    },
    "master_in_play": {protocol.EndWait, protocol.GiveSeat},
    "master": {protocol.InviteToTable, protocol.SendAway, protocol.AdmitSpectators},
    "administrator": {*administration.COMMANDS},
}
UNGUARDED = {protocol.Hello, protocol.Disconnect}
"""Messages that the endpoint takes itself: they concern the connection alone."""


def iter_messages(base=protocol.ClientMessage):
    """Yield all messages to the host; one that others inherit from has no type of its own on the wire."""
    for message in base.__subclasses__():
        yield from iter_messages(message) if message.__subclasses__() else [message]


def test_every_message_has_its_check():
    assert server.open_club  # its imports register all handlers
    messages = [*iter_messages()]
    guarded = {name: {each for each in HANDLERS if HANDLERS[each].check == name} for name in CHECKS}
    assert guarded == CHECKS
    assert {*messages} - HANDLERS.keys() == UNGUARDED
    assert {*messages} == {*protocol.CLIENT_MESSAGES, *administration.COMMANDS}
    tags = [message.__struct_config__.tag for message in messages]
    assert len({*tags}) == len(tags)
