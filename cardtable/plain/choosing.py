"""A choice in lines: what there is to choose, and what is meant by what is typed."""

from cardtable.engine.contract import Action, AnyGame, View
from cardtable.plain.choices import Choices, Unclear, left_out, named, understood
from cardtable.plain.console import say
from cardtable.plain.speech import sentence, spoken
from cardtable.play.sitting import Sitting
from cardtable.wording.words import minutes


def tell_time(run: Sitting, view: View) -> None:
    """What the clocks show of the seat of ``view``, where there are any."""
    of_round, of_seats = run.clocks()
    for what, left in (("this round", of_round), ("the session", of_seats[view.seat] if of_seats else None)):
        if left is not None:
            say(f"Time left for {what}: {minutes(left)}.")


def chosen(typed: str, game: AnyGame, view: View, given: Choices) -> Action:
    """The action that is meant by what is typed.  Raises ``Unclear`` with a sentence that says why there is none."""
    try:
        return understood(typed, given)
    except Unclear as error:
        told = _why_not(typed, game, view, given) or str(error)
        raise Unclear(told or f"I do not understand: {typed[:40]}. Type help.") from None


def _why_not(typed: str, game: AnyGame, view: View, given: Choices) -> str:
    """Why what is typed may not be done, as the rules have it; nothing where they say nothing of it."""
    cards = named(typed)
    if not cards & (cards - 1) or any(action.uses() & (action.uses() - 1) for action in view.legal):
        possible = any(action.uses() == cards for action in view.legal) if cards else not left_out(typed, given)
        return "" if possible else sentence(spoken(game.why_not(view, cards)))
    return "One card can be played at a time."
