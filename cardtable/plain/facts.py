"""How things stand, in sentences: what the table shows at a glance on the screens."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from cardtable.engine.cards import SUIT, SUITS, Card
from cardtable.engine.contract import Action, AnyGame, Seat, View, Zone
from cardtable.engine.words import counted
from cardtable.plain.speech import SUIT_NAMES, card, cards, hand, sentence, spoken

Names = Sequence[str]
"""What each seat is called."""


def situation(game: AnyGame, view: View, names: Names) -> list[str]:
    """All that the seat of ``view`` can see, the own hand last, in sentences."""
    told = [_round(game, view, names)]
    if view.playing:
        told += _ABOUT[game.about.key](view, names)
        zones = game.scene(view)
        told += _others(zones, view, names)
        if (trick := game.trick(view)) and trick.lying:
            told.append(f"in the trick: {_played(trick.lying, names)}")
        for zone in zones:
            told += _zone(zone, names)
    told.append(f"totals: {by_seat(names, view.totals)}")
    return [*[sentence(text) for text in told], *(own(game, view) if view.playing else [])]


def own(game: AnyGame, view: View) -> list[str]:
    """The cards of the seat of ``view``, and which of them must be used; in sentences."""
    must = game.must(view)
    told = [f"your hand: {_held(game, view)}"]
    told += [f"{card(must)} must still be melded or added"] if must is not None else []
    return [sentence(text) for text in told]


def hands(game: AnyGame, views: Sequence[View], names: Names) -> list[str]:
    """The hands of the seats of ``views``, which lie open; in sentences."""
    return [sentence(f"{names[view.seat]}: {_held(game, view)}") for view in views]


def _held(game: AnyGame, view: View) -> str:
    """The cards in the hand of the seat of ``view``."""
    held = [zone.cards for zone in game.scene(view) if zone.name == "hand" and zone.seat == view.seat]
    return hand([c for zone in held for c in zone if c is not None])


def by_seat(names: Names, values: Sequence[object]) -> str:
    """A value for each seat: ``You 12, Ada -3``."""
    return ", ".join([f"{name} {value}" for name, value in zip(names, values, strict=True)])


def last_trick(game: AnyGame, view: View, names: Names) -> list[str]:
    """Who played what to the last trick, and who took it; nothing where there is none."""
    trick = game.trick(view)
    if trick is None or not trick.last:
        return []
    told = [f"the last trick: {_played(trick.last, names)}"]
    if view.playing:
        told.append(f"the lead after it: {names[trick.leader]}")
    return [sentence(text) for text in told]


def explained(game: AnyGame, view: Any) -> Callable[[Action], str]:
    """A word on those actions whose text does not say what they are about."""
    key = game.about.key
    return _EXPLAINED[key](view) if key in _EXPLAINED else lambda _: ""


def _rummy_explained(view: Any) -> Callable[[Action], str]:
    from cardtable.games.rummy.rules import Take  # noqa: PLC0415 - the game at the table, and no other

    return lambda action: f"from {card(view.pile[-action.number])}" if isinstance(action, Take) else ""


def _king_explained(view: Any) -> Callable[[Action], str]:
    """The points of a contract for all players together; how those count that are offered, taken or claimed."""
    from cardtable.games.king.rules import CLAIM, Naming, Offer, Take  # noqa: PLC0415 - the game at the table, and no other

    def points(action: Action) -> str:
        if isinstance(action, Naming):
            return spoken(action.contract.told(f"{action.contract.total:+}"))
        if isinstance(action, Offer | Take):
            return spoken(view.contract.told("")).strip()
        return spoken(view.contract.told(f"{-view.left}")) if action == CLAIM else ""

    return points


def _round(game: AnyGame, view: View, names: Names) -> str:
    return f"{game.about.title}, round {view.round}" if view.round else f"{game.about.title} with {', '.join(names)}"


def _played(cards: Sequence[tuple[Seat, Card]], names: Names) -> str:
    """Cards of a trick with who played them."""
    return ", ".join([f"{names[seat]} {card(c)}" for seat, c in cards])


def _others(zones: Sequence[Zone], view: View, names: Names) -> Iterator[str]:
    """How many cards the others hold, and which of them everybody knows."""
    hands = {zone.seat: zone.cards for zone in zones if zone.name == "hand"}
    others = [seat for seat in range(len(names)) if seat != view.seat]
    yield f"cards in hand: {', '.join([f'{names[seat]} {len(hands[seat])}' for seat in others])}"
    for seat in others:
        known = [c for c in hands[seat] if c is not None]
        if known:
            yield f"{names[seat]} has {cards(known)}"


def _zone(zone: Zone, names: Names) -> Iterator[str]:
    """What lies somewhere; of a stack its top card, of cards face down their number."""
    known = [c for c in zone.cards if c is not None]
    if zone.name == "stack":
        if known:
            yield f"on top of the stack: {card(known[-1])}"
    elif zone.name == "pile":
        yield f"the pile, its top first: {cards(reversed(known)) or 'no card'}"
    elif zone.name in ("blind", "stock"):
        yield f"the {zone.name}: {len(zone.cards)} face down"
    elif zone.name == "taken" and zone.seat is not None and known:
        yield f"taken by {names[zone.seat]}: {cards(known)}"


def _rikiki(view: Any, names: Names) -> Iterator[str]:
    trump = "no trump" if view.trump_card is None else f"{SUIT_NAMES[SUIT[view.trump_card]]} are trump"
    yield f"{counted(view.cards, 'card')} each, {trump}; dealer: {names[view.dealer]}"
    yield from _exact(view, names)


def _ten_down(view: Any, names: Names) -> Iterator[str]:
    trump = "" if view.trump is None else f", {SUIT_NAMES[view.trump]} are trump"
    yield f"{counted(view.cards, 'card')} each{trump}; first to bid and lead: {names[view.first]}"
    yield from _exact(view, names)


def _exact(view: Any, names: Names) -> Iterator[str]:
    """The bids, and once all are made the tricks taken."""
    yield f"bids: {by_seat(names, ['none' if bid is None else bid for bid in view.bids])}"
    if None not in view.bids:
        yield _won(view, names)


def _won(view: Any, names: Names) -> str:
    return f"tricks taken: {by_seat(names, view.won)}"


def _king(view: Any, names: Names) -> Iterator[str]:
    contract = view.contract
    yield f"the contract: {_title(contract.title) if contract else 'not named yet'}; dealer: {names[view.dealer]}"
    if contract:
        yield from _king_points(view, names, lambda points: spoken(contract.told(str(points))))
    yield _won(view, names)


def _king_points(view: Any, names: Names, told: Callable[[int], str]) -> Iterator[str]:
    """What there is still to take and what was taken, each ``told`` with how many times it counts."""
    if view.contract.text == "poz-jar":
        yield "points are wanted"
    if view.left:
        yield f"still to take: {told(view.left)} points"
    if any(view.points):
        yield f"points of this round: {by_seat(names, list(map(told, view.points)))}"
    if view.unclaimed:
        offerer, claims = view.bargains[-1]
        yield f"{names[offerer]} offers to collect {told(claims[0])}; {told(view.unclaimed)} are still to share"


def _rifki(view: Any, names: Names) -> Iterator[str]:
    title = "not declared yet" if view.contract is None else _title(view.contract.title)
    yield f"the contract: {title}; declarer: {names[view.declarer]}"
    if view.hearts_shut:
        yield "hearts may not be led yet by who holds another suit"
    yield _won(view, names)


def contracts_left(game: AnyGame, view: Any, names: Names) -> list[str]:
    """What everybody has still to name or declare, in sentences; a contract that was led is gone."""
    if game.about.key not in _LEFT:
        return []
    left = [f"contracts left, {names[seat]}: {told}" for seat, told in enumerate(_LEFT[game.about.key](view))]
    return [sentence(text) for text in left]


def _king_left(view: Any) -> Iterator[str]:
    from cardtable.games.king.rules import CONTRACTS, POSITIVES, Kind  # noqa: PLC0415 - the game at the table, and no other

    led = view.playing and view.first is not None
    for seat, declared in enumerate(view.declared):
        had = (*declared, view.contract) if led and seat == view.dealer else declared
        positive = POSITIVES - sum([contract.kind is Kind.POSITIVE for contract in had])
        once = [c.title for c in CONTRACTS if c.kind is not Kind.POSITIVE and c not in had]
        yield ", ".join([*once, f"{positive} positive"])


def _rifki_left(view: Any) -> Iterator[str]:
    from cardtable.games.rifki.rules import NEGATIVES, SEATS, TRUMPS  # noqa: PLC0415 - the game at the table, and no other

    led = view.playing and view.contract is not None and not view.opening
    for seat in range(SEATS):
        had = (*view.declared_by(seat), view.contract) if led and seat == view.declarer else view.declared_by(seat)
        koz = sum([contract.trump is not None for contract in had])
        yield f"{NEGATIVES - len(had) + koz} negative, {TRUMPS - koz} Koz"


def _gurka(view: Any, names: Names) -> Iterator[str]:
    yield f"over {view.options.limit} points end the session; dealer: {names[view.dealer]}"
    if view.bound:
        yield "an ace lies: only a lowest card may follow"
    yield _won(view, names)


def _bridge(view: Any, names: Names) -> Iterator[str]:
    if view.multiplier > 1:
        yield f"points count {view.multiplier} times"
    if view.named is not None:
        who = "" if view.named_by is None else f", named by {names[view.named_by]}"
        yield f"{SUIT_NAMES[view.named]} must follow{who}"
    yield f"cards of one rank in a row on the stack: {view.run}"


def _rummy(view: Any, names: Names) -> Iterator[str]:
    yield f"the session goes to {view.options.limit} points"
    from cardtable.games.rummy.rules.combinations import IN_ORDER  # noqa: PLC0415 - the game at the table, and no other

    for number, (combination, owner) in enumerate(zip(view.table, view.owners, strict=True), 1):
        yield f"combination {number}, laid by {names[owner]}: {cards(IN_ORDER[combination])}"


def _title(title: str) -> str:
    """What a contract is called; a trump suit at its end in words."""
    words, _, suit = title.rpartition(" ")
    return f"{words} {SUIT_NAMES[SUITS.index(suit)]}" if words and suit in SUITS else spoken(title)


_EXPLAINED: Final[dict[str, Callable[[Any], Callable[[Action], str]]]] = {
    "king": _king_explained,
    "rummy": _rummy_explained,
}
_LEFT: Final[dict[str, Callable[[Any], Iterator[str]]]] = {"king": _king_left, "rifki": _rifki_left}
_ABOUT: Final[dict[str, Callable[[Any, Names], Iterator[str]]]] = {
    "rikiki": _rikiki,
    "ten_down": _ten_down,
    "king": _king,
    "rifki": _rifki,
    "gurka": _gurka,
    "bridge": _bridge,
    "rummy": _rummy,
}
