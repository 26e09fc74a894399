"""Hints for Rummy: facts about melds, lay-offs, discards and draws."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import BIT, NAME, Card, Cards, iter_cards, mask_of, names
from cardtable.engine.game import Action
from cardtable.engine.text_format import with_count
from cardtable.games.rummy.policy import can_wait
from cardtable.games.rummy.rules.actions import Add, Drop, Meld, Stock, Take
from cardtable.games.rummy.rules.legal_turns import Table, melds_in
from cardtable.games.rummy.rules.melds import FITS, GROWN, IN_ORDER, MASK, SHORTEST, SUM, worth
from cardtable.games.rummy.rules.state import RummyState, RummyView
from cardtable.robots.kit.hint_spec import Fact, Facts, HintSpec, per_cent
from cardtable.robots.kit.search import Candidate

MOST_LAID: Final = 6
"""Largest number of melds and lay-offs that are listed in addition to the candidates of the search."""
_OFTEN: Final = 0.095
"""Smallest difference between two shares of worlds that is mentioned; smaller ones may be due to the few worlds."""
_POINTS: Final = 4
"""Smallest difference between the points of two cards that is mentioned."""
_THREES: Final = tuple([three for three in MASK if three.bit_count() == SHORTEST])
_NAMED: Final = 3
"""Largest number of cards that are named in one reason."""


def facts(view: RummyView, candidates: Sequence[Candidate], worlds: Sequence[RummyState]) -> list[Facts]:
    """Return the facts about each candidate; ``worlds`` show how often the opponent can use a discarded card."""
    finished = melds_in(view.hand) if view.drew else []
    return [_of(view, one.action, finished, worlds) for one in candidates]


def _of(view: RummyView, action: Action, finished: Sequence[int], worlds: Sequence[RummyState]) -> Facts:
    out = (Fact("out", 1, "ends the round"),) if view.drew and action.cards_used() == view.hand else ()
    if isinstance(action, Drop):
        return (*out, *_dropped(view, action.card, finished, worlds))
    if isinstance(action, Meld):
        return (*out, *_laid(SUM[action.combination], FITS[action.combination] & ~_seen(view)))
    if isinstance(action, Add):
        before = view.table[action.number - 1]
        after = GROWN[before][action.card]
        return (*out, *_laid(SUM[after] - SUM[before], FITS[after] & ~_seen(view)))
    if isinstance(action, Take):
        return _taken(view, action.number)
    if isinstance(action, Stock):
        return (Fact("secret", 1, "tells nothing of {your} hand"), Fact("cards", -1))
    return ()


def _laid(points: int, open_to: Cards) -> Facts:
    """Return the facts about laying cards for ``points``.

    ``lay_off_cards`` holds the cards that can be laid off on the resulting meld and may come to the opponent.
    """
    shown = "can be added to" if open_to else "shows {your} cards"
    return (
        Fact("laid", points, f"brings {points} points for good", f"brings only {points} points"),
        Fact("back", 0, bad=shown),
    )


def _dropped(view: RummyView, card: Card, finished: Sequence[int], worlds: Sequence[RummyState]) -> Facts:
    """Return the facts about discarding ``card``: what the player loses and what the opponent may gain.

    ``held_melds`` lists the melds that the hand contains.
    """
    used = sum([_usable(card, world, 1 - view.seat) for world in worlds]) / len(worlds)
    only = f"the other player can use it in only {per_cent(used)}" if used else "the other player cannot use it"
    points, partners = worth(BIT[card]), _partners(view, card)
    intact = [SUM[meld] for meld in finished if not BIT[card] & MASK[meld]]
    broken = len(intact) < len(finished)
    back = [Fact("back", 1, "keeps melds back until the end", habit=True)] if intact and can_wait(view) else []
    left = f"leaves {max(intact)} points of melds in {{your}} hand" if intact else ""
    alone = "" if partners or broken else "fits nothing in {your} hand"
    with_ = f"goes with {names(iter_cards(partners)[:_NAMED])}"
    return (
        *back,
        Fact("finished", -broken, "breaks up no meld", "breaks up a finished meld"),
        Fact("use", -used, only, f"the other player can use it in {per_cent(used)}", margin=_OFTEN),
        Fact("loose", -partners.bit_count(), alone, with_),
        Fact(
            "points",
            points,
            f"rids {{them}} of {points} points",
            "rids {them} of fewer points",
            margin=_POINTS,
        ),
        Fact("laid", 0, bad=left),
    )


def _partners(view: RummyView, card: Card) -> Cards:
    """Return the cards of the hand that would form a meld with ``card`` and one more card that is still available."""
    rest, unavailable, found = view.hand & ~BIT[card], _seen(view) & ~mask_of(view.pile), 0
    for three in _THREES:
        two = three & ~BIT[card]
        missing = two & ~rest
        if two != three and missing and missing != two and not missing & unavailable:
            found |= two & rest
    return found


def _seen(view: RummyView) -> Cards:
    """Return all cards of the player's hand, the table and the face-up pile."""
    seen = view.hand | mask_of(view.pile)
    for combination in view.table:
        seen |= MASK[combination]
    return seen


def _usable(card: Card, world: RummyState, seat: int) -> bool:
    """Return True if ``seat`` could meld or lay off ``card`` after taking it, in the state ``world``."""
    return _fits(card, world.table) or any(BIT[card] & MASK[meld] for meld in melds_in(world.hands[seat] | BIT[card]))


def _fits(card: Card, table: Table) -> bool:
    return any(BIT[card] & FITS[combination] for combination in table)


def _taken(view: RummyView, number: int) -> Facts:
    """Return the facts about taking ``number`` cards: the use of the deepest one, and the cards that come with it."""
    deepest, hand = view.pile[-number], view.hand | mask_of(view.pile[-number:])
    melds = [meld for meld in melds_in(hand) if MASK[meld] & BIT[deepest]]
    best = max(melds, key=lambda meld: SUM[meld], default=None)
    text = "fits a meld on the table" if _fits(deepest, view.table) else ""
    if best is not None:
        text = f"makes {names(IN_ORDER[best])}"
    return (
        Fact("makes", SUM[best] if best is not None else worth(BIT[deepest]) if text else 0, text),
        Fact("secret", 0, bad="shows what {you} collect"),
        Fact("cards", -number, "takes fewer cards", f"takes {with_count(number, 'card')}"),
    )


def options(view: RummyView, _best: Action) -> list[Action]:
    """Return at most ``MAX_LAY_OPTIONS`` melds, those with the most points first, and lay-offs.

    A meld whose cards are part of a larger legal meld is left out.
    """
    melds = [action for action in view.legal if isinstance(action, Meld)]
    maximal = [one for one in melds if not any(_is_part(one.cards_used(), more.cards_used()) for more in melds)]
    adds = [action for action in view.legal if isinstance(action, Add)]
    maximal.sort(key=lambda meld: -SUM[meld.combination])
    return [*maximal, *adds][:MOST_LAID]


def _is_part(cards: Cards, others: Cards) -> bool:
    return cards != others and not cards & ~others


def name(view: RummyView, action: Action) -> str:
    """Return the name of a draw from the face-up pile, which names its deepest card; empty for other actions."""
    if not isinstance(action, Take):
        return ""
    more = f" and {action.number - 1} more" if action.number > 1 else ""
    return f"Take {NAME[view.pile[-action.number]]}{more}"


LESSON: Final = HintSpec(facts, options=options, name=name)
