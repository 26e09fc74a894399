"""Moments of sessions at which tables are looked at: saved sessions, and sessions that robots have played so far."""

from collections.abc import Callable
from pathlib import Path

from cardtable.engine.game import CHANCE
from cardtable.engine.referee import Referee
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.store import sessions
from cardtable.store.sessions import Session
from tests.ui.table_host import create_session

SAVES = Path(__file__).parents[2] / "cardtable" / "saves"


def open_saved(name: str) -> Session:
    """Fork a saved session that is part of cardtable."""
    return sessions.fork(SAVES / f"{name}.jsonl")


def play_until(session: Session, condition: Callable[[Referee], object], level: str = "novice") -> Session:
    """Let robots play the session until `condition` is true; return the session."""
    table, robot = session.referee, make_robot(level, session.referee.game.about.key)
    while not condition(table):
        if table.turn == CHANCE:
            table.advance()
        else:
            table.play(table.turn, decide(robot, table.view(table.turn), table.seed, table.decisions))
    return session


def ask_king(level: str, condition: Callable[..., object]) -> Session:
    """Return a session of King in which robots have played until the player is asked at such a view."""
    session = create_session("king", 3, level=level)
    return play_until(session, lambda table: table.turn == 0 and condition(table.view(0)), level)


def name_contract(round_: int = 1) -> Session:
    """Return a session of King in which the player names the contract."""
    return ask_king("steady", lambda view: view.contract is None and view.round == round_)


def answer_offer() -> Session:
    """Return a session of King in which the player answers an offer."""
    return ask_king("random", lambda view: view.unclaimed > 2)


def finish_neg_jar() -> Session:
    """Return a session of King late in a round of Neg Jar."""
    return ask_king("random", lambda view: view.contract and view.contract.text == "neg-jar" and view.complete > 6)


def add_to_meld() -> Session:
    """Return a session of Rummy in which the player can add a card and need not."""

    def can_add(table: Referee) -> bool:
        view = table.view(0)
        return table.turn == 0 and view.drew and view.must is None and any("add" in str(act) for act in view.legal)

    return play_until(create_session("rummy", 5, seats=2), can_add)
