"""Hints for Rummy: facts about melds, lay-offs, discards and draws."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import BIT, NAME, Card, Cards, iter_cards, mask_of, names
from cardtable.engine.game import Action
from cardtable.engine.text_format import format_count
from cardtable.games.rummy.policy import can_wait
from cardtable.games.rummy.rules import RummyState, RummyView
from cardtable.games.rummy.rules.actions import Add, Drop, Meld, Stock, Take
from cardtable.games.rummy.rules.legal_turns import Table, find_melds, find_table_cards
from cardtable.games.rummy.rules.melds import (
    COMBINATION_POINTS,
    EXTENSIONS,
    LAY_OFF_CARDS,
    MASK,
    ORDERED_CARDS,
    THREE_CARD_MELDS,
    Combination,
    sum_points,
)
from cardtable.robots.kit.hint_spec import Fact, Facts, HintSpec
from cardtable.robots.kit.search_spec import Candidate
from cardtable.robots.kit.trick_hints import format_share_fact

MAX_LAY_OPTIONS: Final = 6
"""Largest number of melds and lay-offs that are listed in addition to the candidates of the search."""
_SHARE_MARGIN: Final = 0.095
"""Smallest difference between two shares of worlds that is mentioned; smaller ones may be due to the few worlds."""
_POINTS_MARGIN: Final = 4
"""Smallest difference between the points of two cards that is mentioned."""
_MAX_NAMED_CARDS: Final = 3
"""Largest number of cards that are named in one reason."""


def list_facts(view: RummyView, candidates: Sequence[Candidate], worlds: Sequence[RummyState]) -> list[Facts]:
    """Return the facts about each candidate; ``worlds`` show how often the opponent can use a discarded card."""
    finished = find_melds(view.hand) if view.drew else []
    return [_list_action_facts(view, one.action, finished, worlds) for one in candidates]


def _list_action_facts(
    view: RummyView, action: Action, held_melds: Sequence[int], worlds: Sequence[RummyState]
) -> Facts:
    out = (Fact("out", 1, "ends the round"),) if view.drew and action.cards_used() == view.hand else ()
    if isinstance(action, Drop):
        return (*out, *_list_discard_facts(view, action.card, held_melds, worlds))
    if isinstance(action, Meld):
        return (*out, *_list_lay_facts(view, action.combination, COMBINATION_POINTS[action.combination]))
    if isinstance(action, Add):
        before = view.table[action.number - 1]
        after = EXTENSIONS[before][action.card]
        return (*out, *_list_lay_facts(view, after, COMBINATION_POINTS[after] - COMBINATION_POINTS[before]))
    if isinstance(action, Take):
        return _list_take_facts(view, action.number)
    if isinstance(action, Stock):
        _, use = _rate_take(view, 1) if view.pile else (0, "")
        no_use = "" if use or not view.pile else f"leaves {NAME[view.pile[-1]]}, of no use yet"
        return (Fact("makes", 1, no_use), Fact("cards", -1, "brings {you} only one card"))
    return ()


def _list_lay_facts(view: RummyView, meld: Combination, points: int) -> Facts:
    """Return the facts about melding or laying off cards for ``points``, from which ``meld`` results."""
    can_be_extended = LAY_OFF_CARDS[meld] & ~_find_visible_cards(view)
    drawback = f"lets {{{1 - view.seat}}} lay off on it" if can_be_extended else "shows {your} cards"
    return (
        Fact("laid", points, f"scores {points} points", f"scores only {points} points"),
        Fact("back", 0, bad=drawback),
    )


def _list_discard_facts(view: RummyView, card: Card, held_melds: Sequence[int], worlds: Sequence[RummyState]) -> Facts:
    """Return the facts about discarding ``card``: what the player loses and what the opponent may gain.

    ``held_melds`` lists the melds that the hand contains.
    """
    used = sum([_can_use(card, world, 1 - view.seat) for world in worlds]) / len(worlds)
    use, little_use = format_share_fact(used, f"be of use to {{{1 - view.seat}}}")
    points, partners = sum_points(BIT[card]), _find_partners(view, card)
    intact = [COMBINATION_POINTS[meld] for meld in held_melds if not BIT[card] & MASK[meld]]
    broken = len(intact) < len(held_melds)
    back = [Fact("back", 1, "keeps {your} melds hidden for now", habit=True)] if intact and can_wait(view) else []
    left = f"leaves {max(intact)} points of melds in {{your}} hand" if intact else ""
    alone = "" if partners or broken else "gives up no chance of a meld"
    with_ = f"gives up the chance of a meld with {names(iter_cards(partners)[:_MAX_NAMED_CARDS])}"
    return (
        *back,
        Fact("finished", -1 if broken else 0, "breaks up no meld", "breaks up a complete meld"),
        Fact("use", -used, little_use, use, margin=_SHARE_MARGIN),
        Fact("loose", -partners.bit_count(), alone, with_),
        Fact(
            "points",
            points,
            f"gets rid of {points} points",
            "gets rid of fewer points",
            margin=_POINTS_MARGIN,
        ),
        Fact("laid", 0, bad=left),
    )


def _find_partners(view: RummyView, card: Card) -> Cards:
    """Return the cards of the hand that would form a meld with ``card`` and one more card that is still available."""
    rest, unavailable, partners = view.hand & ~BIT[card], _find_visible_cards(view) & ~mask_of(view.pile), 0
    for three in THREE_CARD_MELDS:
        two = three & ~BIT[card]
        missing = two & ~rest
        if two != three and missing and missing != two and not missing & unavailable:
            partners |= two & rest
    return partners


def _find_visible_cards(view: RummyView) -> Cards:
    return view.hand | mask_of(view.pile) | find_table_cards(view.table)


def _can_use(card: Card, world: RummyState, seat: int) -> bool:
    """Return True if ``seat`` could meld or lay off ``card`` after taking it, in the state ``world``."""
    return _can_lay_off(card, world.table) or any(
        BIT[card] & MASK[meld] for meld in find_melds(world.hands[seat] | BIT[card])
    )


def _can_lay_off(card: Card, table: Table) -> bool:
    return any(BIT[card] & LAY_OFF_CARDS[combination] for combination in table)


def _list_take_facts(view: RummyView, number: int) -> Facts:
    """Return the facts about taking ``number`` cards: the use of the deepest one, and the cards that come with it."""
    points, use = _rate_take(view, number)
    return (
        Fact("makes", points, use, "makes no meld"),
        Fact("cards", -number, "brings {you} fewer cards", f"brings {{you}} {format_count(number, 'card')}"),
    )


def _rate_take(view: RummyView, number: int) -> tuple[int, str]:
    """Return the points and the use of the deepest of ``number`` cards; 0 and ``""`` if it is of none at once."""
    deepest, hand = view.pile[-number], view.hand | mask_of(view.pile[-number:])
    melds = [meld for meld in find_melds(hand) if MASK[meld] & BIT[deepest]]
    best = max(melds, key=lambda meld: COMBINATION_POINTS[meld], default=None)
    if best is not None:
        return COMBINATION_POINTS[best], f"makes {names(ORDERED_CARDS[best])}"
    if _can_lay_off(deepest, view.table):
        return sum_points(BIT[deepest]), "fits a meld on the table"
    return 0, ""


def list_alternatives(view: RummyView, _best: Action) -> list[Action]:
    """Return legal melds, those with the most points first, then lay-offs; at most ``MAX_LAY_OPTIONS`` in all."""
    melds = [action for action in view.legal if isinstance(action, Meld)]
    maximal = [
        one for one in melds if not any(_is_proper_subset(one.cards_used(), more.cards_used()) for more in melds)
    ]
    adds = [action for action in view.legal if isinstance(action, Add)]
    maximal.sort(key=lambda meld: -COMBINATION_POINTS[meld.combination])
    return [*maximal, *adds][:MAX_LAY_OPTIONS]


def _is_proper_subset(cards: Cards, others: Cards) -> bool:
    return cards != others and not cards & ~others


def name_action(view: RummyView, action: Action) -> str | None:
    """Return the name of a draw, with the deepest card from the face-up pile; ``None`` for other actions."""
    if isinstance(action, Stock):
        return "Draw from the stock"
    if not isinstance(action, Take):
        return None
    more = f" and {format_count(action.number - 1, 'more card')}" if action.number > 1 else ""
    return f"Take {NAME[view.pile[-action.number]]}{more}"


HINT_SPEC: Final = HintSpec(list_facts, alternatives=list_alternatives, action_name=name_action)
