"""The table of a game that has no part for it: what every game tells, where players look for it."""

from functools import partial

from msgspec.structs import replace

from cardtable.engine.cards import Card, Cards, of
from cardtable.engine.contract import AnyGame, Event, Seat, View, nothing
from cardtable.engine.tricks import Play, TrickView
from cardtable.engine.words import counted
from cardtable.robots.kit.lesson import name
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import Box, Layout
from cardtable.ui.kit import contracts, trick, usual_mat
from cardtable.ui.kit.deciding import BID_COLUMNS, Decision, Group, Option, listed
from cardtable.ui.kit.piece import AnyPiece, HeaderFacts, Names, Piece, Plate, Row, Section, by_suit, hand_size
from cardtable.ui.kit.pointing import Pointed, ready
from cardtable.wording.names import own_side_first, side_name
from cardtable.wording.words import either, signed


def usual_piece(game: AnyGame) -> AnyPiece:
    """What the table screen asks about such a game."""
    return Piece(
        header=partial(_header, game),
        plate=partial(_plate, game),
        sections=partial(_sections, game),
        prompt=partial(_prompt, game),
        middle=partial(_middle, game),
        decision=partial(_decision, game),
        order=_order,
        next_round=_next_round,
        previous_trick=_previous_trick,
        frames=_frames,
        winning=partial(_winning, game),
        tricks=game.trick is not nothing,
    )


def _header(game: AnyGame, view: View) -> HeaderFacts:
    rounds = f" of {view.options.rounds}" if view.options.rounds else ""
    stand = game.trick(view) if view.playing else None
    begun = stand is not None and (stand.number > 1 or stand.lying)
    tricks = f" of {view.cards}" if isinstance(view, TrickView) else ""
    return HeaderFacts(f"round {view.round}{rounds}", (f"trick {stand.number}{tricks}",) if stand and begun else ())


def _plate(game: AnyGame, view: View, seat: Seat) -> Plate:
    """The tricks, against the bid where there is one, else the cards in hand; who has begun the round, or a partner."""
    bids, begun = game.bids(view), game.begun_by(view)
    partner = seat != view.seat and any({seat, view.seat} <= {*side} for side in game.sides_of(view))
    role = begun[0] if begun and begun[1] == seat else "partner" if partner else ""
    taken = [zone.cards for zone in game.scene(view) if zone.name == usual_mat.TAKEN and zone.seat == seat]
    cards = tuple(by_suit(of([card for zone in taken for card in zone if card is not None])))
    if bids is not None:
        made = bids.made[seat]
        if made is None:
            return Plate("bid ?" * (seat == view.turn), role, cards)
        if None in bids.made:
            return Plate(f"bids {made}", role, cards, own=f"bid {made}")
        return Plate(f"{bids.won[seat]} of {made}", role, cards)
    if isinstance(view, TrickView):
        return Plate(counted(view.won[seat], "trick"), role, cards)
    return Plate(counted(hand_size(game, view, seat), "card"), role, cards)


def _sections(game: AnyGame, view: View, names: Names) -> tuple[Section, ...]:
    """What was named, and by seat what was bid and taken, and the totals; those of sides by themselves."""
    sides = own_side_first(game.sides_of(view), view.seat)
    columns = [("total", [signed(total) for total in view.totals])]
    totals: tuple[Section, ...] = ()
    if len(sides) < len(names):
        sums = [(side_name(names, side), side) for side in sides]
        rows = [Row(label, (signed(view.totals[side[0]]),), own=view.seat in side) for label, side in sums]
        totals, columns = (Section(rows=(Row("", ("total",), heading=True), *rows)),), []
    if isinstance(view, TrickView):
        columns.insert(0, ("won" if game.exact_bids else "tricks", [str(won) for won in view.won]))
    if bids := game.bids(view):
        columns.insert(0, ("bid", ["–" if bid is None else str(bid) for bid in bids.made]))
    heads = tuple([head for head, _ in columns])
    cells = list(zip(*[values for _, values in columns], strict=True))
    seats = [(view.seat + i) % len(names) for i in range(len(names))]
    table = Section(rows=(Row("", heads, heading=True), *[Row(names[s], cells[s], own=s == view.seat) for s in seats]))
    named = game.contract(view)
    return (*([Section(named.words)] if named else []), *[table] * bool(columns), *totals)


def _prompt(game: AnyGame, view: View, pointed: Pointed) -> tuple[str, ...]:
    """What must be followed, where cards are played to a trick; else what is to be chosen."""
    if isinstance(view, TrickView) and all(isinstance(action, Play) for action in view.legal):
        return trick.asked(view, "")
    if all(action.uses().bit_count() > 1 for action in view.legal):
        return _several(game.why_not(view, 0), view, pointed.chosen)
    bids = game.bids(view)
    kinds = list(dict.fromkeys(action.kind for action in view.legal))
    if bids and None in bids.made and not any(action.uses() for action in view.legal):
        return ("Your bid.",)
    if len(view.legal) == 1 and not view.legal[0].uses():
        return (f"{name(view.legal[0])}.",)
    return ("Your choice." if len(kinds) == 1 and not view.legal[0].uses() else f"{either(kinds).capitalize()}.",)


def _several(asked: str, view: View, chosen: Cards) -> tuple[str, ...]:
    """Which cards are to be chosen to go together, how many are left to choose, and what is done with them."""
    if done := ready(view.legal, chosen):
        return f"{name(done[0])}:", "{play} does it"
    left = {(action.uses() & ~chosen).bit_count() for action in view.legal if action.uses() & chosen == chosen}
    if not chosen or len(left) > 1:
        return (asked,)
    return f"{counted(left.pop(), 'more card')}.", asked


def _middle(game: AnyGame, canvas: Canvas, grid: Layout, view: View, _pointed: Pointed, names: Names) -> None:
    """The trick, or else what lies on the table; at its head what was named, where no panel tells it."""
    if grid.tiny and (named := game.contract(view)):
        contracts.tell(canvas, grid, named.words, "")
        mat = grid.mat
        grid = replace(grid, mat=Box(mat.x, mat.y + 1, mat.width, mat.height - 1))
    if isinstance(view, TrickView) and game.trick(view):
        trick.paint(canvas, grid, view, _winning(game, view))
    else:
        usual_mat.paint(canvas, grid, game, view, names)


def _winning(game: AnyGame, view: View) -> int | None:
    stand = game.trick(view)
    if stand is None or stand.winning is None:
        return None
    return [seat for seat, _ in stand.lying].index(stand.winning)


def _decision(game: AnyGame, view: View, _names: Names) -> Decision | None:
    """Whatever can be chosen without pointing at cards; numbers of tricks side by side."""
    said = [action for action in view.legal if not action.uses()]
    if (bids := game.bids(view)) and said and all(action.amount is not None for action in said):
        share = bids.cards / len(bids.made)
        near = min(range(len(said)), key=lambda i: abs((said[i].amount or 0) - share))
        numbers = tuple([Option(action.what, action, number=action.amount) for action in said])
        return Decision(
            "Your bid", (Group(numbers, columns=BID_COLUMNS),), start=near, choose="bid", commit="bid",
            cards_first=len(said) < len(view.legal),
        )  # fmt: skip
    options = tuple([Option(name(action), action) for action in said])
    return listed("Your choice", options, cards_first=len(said) < len(view.legal)) if said else None


def _order(view: View) -> list[Card]:
    return by_suit(view.hand)


def _next_round(view: View, _names: Names) -> tuple[Row, ...]:
    return (Row(f"round {view.finished + 1}"),)


def _previous_trick(view: View) -> View | None:
    return trick.last(view) if isinstance(view, TrickView) else None


def _frames(event: Event, before: View, after: View) -> tuple[View, ...]:
    if isinstance(before, TrickView) and isinstance(after, TrickView):
        return trick.frames(event, before, after)
    return ()
