"""The check that the sender of each message must pass."""

from typing import get_args

from cardtable.club import protocol
from cardtable.club.protocol import AnyClientMessage
from cardtable.club.server import requests
from cardtable.club.server.request_checks import HANDLERS

CHECKS = {
    "signed_in": {
        protocol.Say,
        protocol.Register,
        protocol.SignIn,
        protocol.ChangePassword,
        protocol.AskDeviceWord,
        protocol.AskFinished,
        protocol.AskJournal,
        protocol.AskSeasons,
        protocol.AskSeason,
        protocol.AskUnfinished,
        protocol.ResumeSession,
        protocol.OpenTable,
        protocol.SitDown,
        protocol.LookOn,
        protocol.Leave,
        protocol.Start,
    },
    "at_table": {protocol.AskRounds},
    "own_seat": {
        protocol.Act,
        protocol.Ready,
        protocol.StandIn,
        protocol.PlayAgain,
        protocol.DeclineAgain,
    },
    "master_in_play": {protocol.EndWait, protocol.GiveSeat},
    "master": {protocol.InviteToTable, protocol.SendAway, protocol.AdmitSpectators},
}
UNGUARDED = {protocol.Hello, protocol.Disconnect}
"""Messages that the endpoint takes itself: they concern the connection alone."""


def test_every_message_has_its_check():
    messages = {*get_args(AnyClientMessage)}
    assert requests.handle_request  # its module registers the handlers
    guarded = {name: {each for each in messages & HANDLERS.keys() if HANDLERS[each].check == name} for name in CHECKS}
    assert guarded == CHECKS
    assert messages - HANDLERS.keys() == UNGUARDED
