"""The game Rifki for all front ends: zones, explanations and log entries."""

from random import Random
from typing import Final

from cardtable.engine import options as house
from cardtable.engine import tricks
from cardtable.engine.cards import ACE, BIT, OF_RANK, OF_SUIT, SUIT, SUIT_WORDS, Card, Cards, iter_cards, mask_of
from cardtable.engine.chance import Deal, FirstSeatDraw
from cardtable.engine.game import Contract, Event, Game, Note, Seat, TrickStatus, Zone, all_of, hands_seen
from cardtable.engine.log_entries import CustomLogEntry, Dealt, PlayedCard, TookTrick
from cardtable.engine.round_state import points_entries
from cardtable.engine.tricks import Play
from cardtable.games.rifki import ABOUT
from cardtable.games.rifki.rules.contracts import CARDS_EACH, HEARTS_CARDS, RIFKI, SEATS, Options, RifkiContract
from cardtable.games.rifki.rules.state import RifkiState, RifkiView, imagine

_ACE_OF_HEARTS: Final = OF_RANK[ACE] & HEARTS_CARDS


class RifkiGame(Game[RifkiState, RifkiView]):
    """The game of Rifki."""

    about = ABOUT
    options = Options
    view = RifkiView
    actions = (RifkiContract, Play)
    columns = ("taken",)
    rounds_independent = True

    def start(self, _seats: int, options: house.Options) -> RifkiState:
        assert isinstance(options, Options)
        return RifkiState(options)

    def imagine(self, view: RifkiView, rng: Random) -> RifkiState:
        return imagine(view, rng)

    def scene(self, view: RifkiView) -> tuple[Zone, ...]:
        """Return the hands, the trick, and the penalty cards in front of the seats that have taken them."""
        hands = hands_seen(view.seat, view.hand, view.sizes)
        taken = [Zone("taken", seat, tuple(iter_cards(cards))) for seat, cards in enumerate(view.taken)]
        return (*hands, Zone("trick", None, view.trick), *taken)

    def explain_illegal(self, view: RifkiView, cards: Cards) -> str:
        """Return the reason why ``cards`` cannot be played now.

        If ``cards`` is 0, return why no other contract can be declared.
        """
        if view.turn != view.seat:
            return "It is not your turn"
        contract = view.contract
        if contract is None:
            return "Declare a contract first"
        if not cards:
            return "You have no other contract left" if view.opening else "Play a card"
        if cards & ~view.hand or cards & (cards - 1):
            return "You do not hold that card"
        if not view.trick:
            verb = "discarded" if view.options.hearts_unlock == "discard" else "played"
            return f"No heart has been {verb} yet: lead another suit"
        led = SUIT[view.trick[0]]
        if view.hand & OF_SUIT[led]:
            if not cards & OF_SUIT[led]:
                return tricks.format_must_follow(view.trick[0])
            return f"You must play {contract.unit} under the higher {SUIT_WORDS[led]}"
        if contract.trump is None:
            return f"You must discard {contract.unit}"
        trump = SUIT_WORDS[contract.trump]
        if cards & OF_SUIT[contract.trump]:
            return f"You must beat the {trump}s in the trick"
        return f"You must trump: play a {trump}"

    def explain_card(self, view: RifkiView, card: Card) -> str | None:
        """Return what a card of the player's hand costs or must do in the contract; ``None`` before the declaration."""
        contract, bit = view.contract, BIT[card]
        if contract is None:
            return None
        if contract.trump is not None:
            return "A trump: it beats every card of the other suits." if SUIT[card] == contract.trump else None
        if bit & contract.penalties:
            return f"Costs its taker {-contract.worth}; you may not hold it back."
        if contract == RIFKI and bit == _ACE_OF_HEARTS and not contract.penalties & (view.hand | all_of(view.played)):
            return "In a heart trick it forces KH out."
        if view.hearts_shut and bit & HEARTS_CARDS and view.hand & ~HEARTS_CARDS:
            verb = "discarded" if view.options.hearts_unlock == "discard" else "played"
            return f"May not be led until a heart has been {verb}."
        return None

    def narrate(self, event: Event, before: RifkiView, after: RifkiView) -> tuple[Note, ...]:
        if isinstance(event, FirstSeatDraw):
            return (CustomLogEntry(event.seat, "declares first", "declare first"),)
        if isinstance(event, Deal):
            return (Dealt(None, after.round),)
        notes: list[Note] = []
        if isinstance(event, RifkiContract):
            they, you = ("declares", "declare") if before.contract is None else ("changes to", "change to")
            notes.append(CustomLogEntry(before.turn, f"{they} {event.named.words}", f"{you} {event.named.words}"))
        elif isinstance(event, Play):
            notes.append(PlayedCard(before.turn, event.card))
            if len(before.trick) == SEATS - 1:
                notes += _narrate_tricks(before, after, event)
        if after.finished > before.finished:
            notes += _narrate_points(before, after)
        return tuple(notes)

    def trick(self, view: RifkiView) -> TrickStatus:
        trump = view.contract.trump if view.contract else None
        return tricks.trick_status(view, tricks.order(trump).winner, view.options.step)

    def contract(self, view: RifkiView) -> Contract | None:
        return view.contract.named if view.contract else None

    def dealer_or_declarer(self, view: RifkiView) -> tuple[str, Seat] | None:
        return None if view.declarer is None else ("declarer", view.declarer)


def explain_closed_contract(view: RifkiView, contract: RifkiContract) -> str:
    """Return the reason why ``contract``, which is not legal, cannot be declared by the view's seat."""
    if contract == view.contract:
        return "Current contract. Lead a card, or pick another."
    is_full = view.options.length == "full"
    if contract.trump is not None:
        return "You have declared both your trump contracts" if is_full else "You have declared your trump contract"
    if not view.options.quota.count_left(view.list_declared(view.seat)).negative:
        return f"You have declared {'all 3 of' if is_full else 'both'} your negative contracts"
    return f"{contract.named} has been played twice already"


def _narrate_tricks(before: RifkiView, after: RifkiView, event: Play) -> list[Note]:
    """Return the log entries of the trick that ``event`` completes.

    If each hand is left with one card, the last trick is played automatically and has its own entry.
    """
    contract = before.contract
    assert contract is not None
    trick = (*before.trick, event.card)
    taken = [(before.leader, trick)]
    if after.last_trick != trick:
        taken.append((after.last_leader, after.last_trick))
    notes: list[Note] = []
    for leader, cards in taken:
        taker = (leader + before.options.step * tricks.order(contract.trump).winner(cards)) % SEATS
        penalties = iter_cards(mask_of(cards) & contract.penalties)
        notes.append(TookTrick(taker, last=bool(notes), cards=tuple(penalties)))
    return notes


def _narrate_points(before: RifkiView, after: RifkiView) -> tuple[Note, ...]:
    """Return the log entries of a finished round: an early end, if any, and the points of each seat."""
    early: list[Note] = (
        [CustomLogEntry(None, "the last penalty card has been taken: the round is over")]
        if sum(after.won) < CARDS_EACH
        else []
    )
    return (*early, *points_entries(before, after))
