"""A choice in lines: what there is to choose, and what is meant by what is typed."""

from cardtable.engine.bidding import Bid
from cardtable.engine.contract import Action, AnyGame, View
from cardtable.engine.words import counted
from cardtable.plain.choices import Choices, Unclear, named, understood
from cardtable.plain.console import say
from cardtable.plain.speech import sentence, spoken
from cardtable.plain.typed import normal, number_of
from cardtable.play.sitting import Sitting


def tell_time(run: Sitting, view: View) -> None:
    """What the clocks show of the seat of ``view``, where there are any."""
    of_round, of_seats = run.clocks()
    for what, left in (("this round", of_round), ("the session", of_seats[view.seat] if of_seats else None)):
        if left is not None:
            say(f"Time left for {what}: {_duration(left)}.")


def _duration(seconds: float) -> str:
    """Time on a clock in words."""
    whole, rest = divmod(max(int(seconds), 0), 60)
    return f"{counted(whole, 'minute')} and {counted(rest, 'second')}"


def chosen(typed: str, game: AnyGame, view: View, given: Choices) -> Action:
    """The action that is meant by what is typed.  Raises ``Unclear`` with a sentence that says why there is none."""
    try:
        return understood(typed, given)
    except Unclear as error:
        told = _why_not(typed, game, view) or str(error)
        raise Unclear(told or f"I do not understand: {typed[:40]}. Type help.") from None


def _why_not(typed: str, game: AnyGame, view: View) -> str:
    """Why what is typed may not be done, as the rules have it; nothing where they say nothing of it."""
    cards = named(typed)
    if not cards & (cards - 1) or any(action.uses() & (action.uses() - 1) for action in view.legal):
        possible = any(action.uses() == cards for action in view.legal) if cards else not _forbidden(typed, game, view)
        return "" if possible else sentence(spoken(game.why_not(view, cards)))
    return "One card can be played at a time."


def _forbidden(typed: str, game: AnyGame, view: View) -> bool:
    """Whether a bid is typed that could be made by somebody else."""
    *kind, last = normal(typed)
    said, bids = number_of(last), game.bids(view)
    if bids is None or said is None or said > bids.cards or kind not in ([], [Bid.kind]):
        return False
    open_to_her = [action.tricks for action in view.legal if isinstance(action, Bid)]
    return bool(open_to_her) and said not in open_to_her
