"""One sample of each message of the protocol."""

from msgspec import Raw

from cardtable.club import protocol
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.log_entries import Said
from cardtable.engine.tricks import Play
from cardtable.records.result_rows import ResultsColumn, ResultsRow, ResultsTable
from cardtable.session.session_events import Stage

SEATS = (Occupant("Anna", player="a1"), Occupant("Bob"), Occupant("Ada", "steady"))
TABLE_INFO = protocol.TableInfo(
    "t",
    "king",
    {"hook": "on", "clock": 5},
    (protocol.SeatInfo("Anna"), protocol.SeatInfo("Ada", robot=True), protocol.SeatInfo()),
    "Anna",
    "Ours",
    grows_to=6,
    private=True,
    invited=("Anna", "Bob"),
    no_spectators=True,
)
HEADER = Header(cardtable=3, id="t", game="king", created="2026-11-20T08:37:28Z", seed=0, options={}, seats=SEATS)

CLIENT_MESSAGES: tuple[protocol.ClientMessage, ...] = (
    protocol.Hello("Anna", "kmnpqrst", "sesame77", "nonce", "proof"),
    protocol.Say("Good evening", "t"),
    protocol.SayTo("Bob", "Good evening"),
    protocol.Report("Bob"),
    protocol.OpenTable(
        "rikiki",
        4,
        {"length": "short", "clock": 30},
        "Ours",
        30,
        draws_seats=False,
        grows=True,
        private=True,
        invited=("Bob",),
    ),
    protocol.InviteToTable("t", "Bob", withdrawn=True),
    protocol.SendAway("t", "Kay"),
    protocol.AdmitSpectators("t", admitted=False),
    protocol.ResumeSession("t"),
    protocol.AskUnfinished(),
    protocol.AskFinished(),
    protocol.AskJournal("t"),
    protocol.AskSeasons(),
    protocol.AskSeason("Autumn"),
    protocol.SitDown("t", 2),
    protocol.Watch("t"),
    protocol.Leave("t"),
    protocol.Start("t", "expert"),
    protocol.Act("t", 12, "play AS"),
    protocol.AcknowledgeRound("t", 3),
    protocol.AskRounds("t"),
    protocol.VoteSubstitute("t", 1),
    protocol.EndWait("t"),
    protocol.GiveSeat("t", 1, "Cleo", "expert"),
    protocol.VoteRematch("t", draws_seats=True),
    protocol.DeclineRematch("t"),
    protocol.Register("sesame77"),
    protocol.SignIn("Anna", "sesame77"),
    protocol.ChangePassword("sesame77", "another77", revoke_others=True),
    protocol.RenameSelf("Hanna"),
    protocol.AskDevices(),
    protocol.WithdrawDevice("0123ab"),
    protocol.AskDeviceWord(),
    protocol.Disconnect(),
)
SERVER_MESSAGES: tuple[protocol.ServerMessage, ...] = (
    protocol.Challenge(protocol.PROTOCOL_VERSION, "c1", "nonce"),
    protocol.Welcome(
        "The club",
        "Anna",
        "token",
        member=True,
        people=("Anna",),
        tables=(TABLE_INFO,),
        interface_version=1,
        packages={"king": "cardtable 1.0.0"},
        guests=("Bob",),
        readable=True,
        last_table="t",
        talk=(protocol.Talk("Good evening", "Bob", at=1_800_000_000),),
    ),
    protocol.LobbyNews(("Anna", "Bob"), (TABLE_INFO,), ("u",), ("Bob",), whole=True),
    protocol.AccountGranted("Anna", "token"),
    protocol.PasswordChanged("token"),
    protocol.Devices((protocol.DeviceInfo("0123ab", "browser", 1_800_000_000, 1_800_000_000, is_present=True),)),
    protocol.DeviceWord("abcd-efgh-jkmn-pqrs", 600, ("cardtable join club --word abcd-efgh-jkmn-pqrs",)),
    protocol.RequestFailed("no seat is free", retry_after=10),
    protocol.Talk("Good evening", "Anna", to="Bob"),
    protocol.Seated("t", HEADER, None, "u"),
    protocol.Update(
        "t",
        12,
        (protocol.SeenStep(Raw(b'{"seat":0}'), Play(3), {1: Raw(b"{}")}), protocol.SeenStep(Raw(b"{}"))),
        Stage.ROUND_END,
        whole=True,
        notes=(Said(0, "Hello"),),
        ranks=(1, 2, 3),
        results=(6, 5, 4),
        round_left=1.5,
        seats_left=(None, 2.0),
        waits_for=(0,),
        absences={2: 60},
        seats=TABLE_INFO.seats,
        spectators=("Kay",),
        rematch_seats=(0,),
        substitute_votes={2: (0, 1)},
    ),
    protocol.Unfinished((TABLE_INFO,)),
    protocol.Finished(("t",)),
    protocol.FinishedJournal("t", '{"cardtable":2}\n'),
    protocol.Seasons((protocol.SeasonInfo("Autumn", "Rikiki; from 2026-11-05 CET on"),)),
    protocol.SeasonTables(
        "Autumn",
        ("Rikiki: 1 session.",),
        (
            ResultsTable(
                "Rikiki",
                (ResultsColumn("sessions", "played"), ResultsColumn("average_points", "average", 1)),
                (ResultsRow("Anna", (1, 12.5), 1), ResultsRow("Bob", (1, None), kind="guest")),
                "average_points",
                ("A place requires 2 sessions.",),
            ),
        ),
    ),
    protocol.Rounds("t", '{"cardtable":2}\n'),
    protocol.Over("the club closes"),
)
