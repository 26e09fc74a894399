"""One of each message."""

from msgspec import Raw

from cardtable.club.shown import PlaceShown, TableRow
from cardtable.club.wire import (
    VERSION,
    Act,
    AskRounds,
    AskUnfinished,
    Away,
    EndWait,
    FromGuest,
    FromHost,
    GiveSeat,
    Hello,
    Leave,
    LetIn,
    LobbyNews,
    LookOn,
    NotDone,
    OpenTable,
    Over,
    PlayAgain,
    Ready,
    Register,
    Rounds,
    Say,
    Seated,
    SeenStep,
    SignIn,
    SitDown,
    StandIn,
    Start,
    TakeUp,
    Talk,
    Unfinished,
    Update,
    Welcome,
)
from cardtable.engine.journal import Header, SeatOf
from cardtable.engine.notes import Said
from cardtable.engine.tricks import Play
from cardtable.play.seen import Stage

SEATS = (SeatOf("Anna", player="a1"), SeatOf("Bob"), SeatOf("Ada", "steady"))
ROW = TableRow(
    "t",
    "king",
    {"hook": "on", "clock": 5},
    (PlaceShown("Anna"), PlaceShown("Ada", robot=True), PlaceShown()),
    "Anna",
    "Ours",
)
HEADER = Header(cardtable=2, id="t", game="king", created="2026-11-20T08:37:28Z", seed=0, options={}, seats=SEATS)

ASKED: tuple[FromGuest, ...] = (
    Hello(VERSION, "Anna", "kmnpqrst", "sesame", "token"),
    Say("Good evening", "t"),
    OpenTable("rikiki", 4, {"length": "short", "clock": 30}, "Ours", 30, lot=False),
    TakeUp("t"),
    AskUnfinished(),
    SitDown("t", 2),
    LookOn("t"),
    Leave("t"),
    Start("t", "expert"),
    Act("t", 12, "play AS"),
    Ready("t", 3),
    AskRounds("t"),
    StandIn("t", 1),
    EndWait("t"),
    GiveSeat("t", 1, "Cleo", "expert"),
    PlayAgain("t", lot=True),
    Register("sesame"),
    SignIn("Anna", "sesame"),
    Away(),
)
SAID: tuple[FromHost, ...] = (
    Welcome(
        "The club",
        "Anna",
        "token",
        member=True,
        people=("Anna",),
        tables=(ROW,),
        contract=1,
        packages={"king": "cardtable 0.1.0"},
        guests=("Bob",),
    ),
    LobbyNews(("Anna", "Bob"), (ROW,), ("u",), ("Bob",), whole=True),
    LetIn("Anna", "token"),
    NotDone("no seat is free"),
    Talk("Good evening", "Anna"),
    Seated("t", HEADER, None, "u"),
    Update(
        "t",
        12,
        (SeenStep(Raw(b'{"seat":0}'), Play(3), {1: Raw(b"{}")}), SeenStep(Raw(b"{}"))),
        Stage.ROUND_END,
        whole=True,
        notes=(Said(0, "Hello"),),
        ranks=(1, 2, 3),
        results=(6, 5, 4),
        round_left=1.5,
        seats_left=(None, 2.0),
        waits_for=(0,),
        away={2: 60},
        places=ROW.places,
        looking_on=("Kay",),
        again=(0,),
    ),
    Unfinished((ROW,)),
    Rounds("t", '{"cardtable":2}\n'),
    Over("the club closes"),
)
