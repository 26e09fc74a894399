"""What can be looked up at a table in plain text: the position, score sheet, rules, hints and chat."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import isinf
from typing import Final, NamedTuple

from cardtable.engine.cards import Card, Cards, iter_cards
from cardtable.engine.game import Action, AnyGame, HighTitle, Note, Score, Seat, Sides, Title, View, Zone
from cardtable.engine.log_entries import Said
from cardtable.engine.options import Options
from cardtable.engine.secret_choices import has_chosen
from cardtable.engine.text_format import format_weighted
from cardtable.engine.tricks import TrickView
from cardtable.games import GAMES, guard_part, import_submodule
from cardtable.plain.action_menu import ActionMenu, describe_menu, make_menu
from cardtable.plain.console import print_lines
from cardtable.plain.speech_text import (
    PlainTextSpec,
    describe_default_turn,
    format_by_seat,
    format_by_side,
    format_card,
    format_cards,
    format_figures,
    format_hand,
    format_log_entry,
    format_rank,
    to_ascii,
    to_sentence,
    to_spoken,
)
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import YOURSELF, Pronouns, format_difference, format_percentage
from cardtable.wording import score_sheet as sheets
from cardtable.wording.formatting import NO_CARD_TEXT, describe_title, format_ordinal, join_words
from cardtable.wording.players import (
    Names,
    describe_marks,
    format_zone_label,
    format_zone_summary,
    list_names_in_round,
    list_side_names,
)
from cardtable.wording.rules_page import mark_options, read_glossary, read_rules
from cardtable.wording.score_sheet import HasScoreSheet

_COMMON_ZONES: Final = ("hand", "trick", "stack", "pile", "blind", "stock", "taken")
"""Names of the zones that are described in the same way for every game."""
_DESCRIBED_ZONES: Final = ("stack", "pile", "blind", "stock", "taken")
"""Those of them that ``describe_position`` describes one by one."""


def describe_position(game: AnyGame, view: View, names: Names, *, with_turn: bool = True) -> list[str]:
    """Describe the position in sentences, as the view's seat sees it.

    The seat's hand, and what ``describe_turn`` says, are left out. ``with_turn``: False if that does not follow.
    """
    whereabouts = f", round {view.round}" if view.round else f" with {', '.join(names)}"
    texts = [f"{game.about.title}{whereabouts}"]
    if view.playing:
        texts += _get_plain_text_spec(game).about(view, names)
        texts += _describe_tricks(game, view, names)
        zones = game.scene(view)
        texts += _describe_other_hands(zones, view, names)
        texts += _describe_current_trick(game, view, names)
        has_turn_text = with_turn and view.turn == view.seat and _get_plain_text_spec(game).turn is not None
        for zone in zones:
            texts += [] if has_turn_text and zone.name == "stack" else _describe_zone(zone, names)
        texts += describe_marks(game, view, names)
    texts.append(f"totals: {format_by_side(names, view.totals, game.sides_of(view))}")
    return [to_sentence(text) for text in texts]


def describe_cards_on_table(game: AnyGame, view: View, names: Names) -> list[str]:
    """Describe the cards of the trick, or of the stack or pile, in sentences; empty if there are none."""
    piles = [
        text for zone in game.scene(view) if zone.name in ("stack", "pile") for text in _describe_zone(zone, names)
    ]
    return [to_sentence(text) for text in (*_describe_current_trick(game, view, names), *piles)]


def describe_turn(game: AnyGame, view: View, names: Names) -> list[str]:
    """Describe the turn to the seat to act: the situation, and the reasons that limit its choices.

    The result is one line, or empty if there is nothing to say.
    """
    own = _get_plain_text_spec(game).turn
    texts = [to_sentence(text) for text in (own(view, names) if own else describe_default_turn(game, view, names))]
    return [" ".join(texts)] if texts else []


def describe_own_hand(game: AnyGame, view: View) -> str:
    """Describe the hand of the view's seat in a line: its cards, then the melds that are in it."""
    melds = [format_cards(meld) for meld in _get_plain_text_spec(game).melds(view)]
    label = "a meld in it" if len(melds) == 1 else "melds in it"
    texts = [f"your hand: {_describe_hand(game, view)}", *([f"{label}: {'; '.join(melds)}"] if melds else [])]
    return " ".join(map(to_sentence, texts))


def describe_card_effects(game: AnyGame, view: View, chosen: Cards = 0) -> list[str]:
    """Describe in sentences what the cards ``chosen`` do that are in the hand of the view's seat.

    With no card chosen, describe all cards of the hand that do something special; equal texts share a sentence.
    """
    cards_by_text: dict[str, list[Card]] = {}
    for card in iter_cards(view.hand & chosen if chosen else view.hand):
        text = game.explain_card(view, card)
        if text or chosen:
            cards_by_text.setdefault(text or "", []).append(card)
    return [
        to_sentence(f"{format_cards(cards)}: {to_spoken(text)}" if text else NO_CARD_TEXT.format(format_cards(cards)))
        for text, cards in cards_by_text.items()
    ]


def describe_open_hands(game: AnyGame, views: Sequence[View], names: Names) -> list[str]:
    """Describe the open hands of the seats of ``views``, each in a sentence.

    A hand is left out while the choice of its seat is secret.
    """
    shown_views = [view for view in views if view.hand or not has_chosen(view, view.seat)]
    return [to_sentence(f"{names[view.seat]}: {_describe_hand(game, view)}") for view in shown_views]


def _describe_hand(game: AnyGame, view: View) -> str:
    hand_zones = [zone.cards for zone in game.scene(view) if zone.name == "hand" and zone.seat == view.seat]
    return format_hand([c for zone in hand_zones for c in zone if c is not None], game.card_order(view))


def describe_ranking(
    names: Names, ranks: Sequence[int], results: Sequence[int], totals: Sequence[int], sides: Sides = ()
) -> list[str]:
    """Describe the final ranking in sentences, the best first; partners share a line.

    A result that is a multiple of the total is explained: ``1st: Bo, 219 (73 times 3).``
    """
    texts = []
    seats = [(side[0], join_words(list_side_names(names, side))) for side in sides] or list(enumerate(names))
    for rank, name, result, total in sorted([(ranks[s], name, results[s], totals[s]) for s, name in seats]):
        times = f" ({total} × {result // total})" if total and result != total else ""
        texts.append(to_ascii(f"{format_ordinal(rank)}: {name}, {result}{times}."))
    return texts


def describe_previous_trick(game: AnyGame, view: View, names: Names) -> list[str]:
    """Describe the previous trick and the seat that leads after it; between rounds describe the last trick.

    Empty if there is no such trick.
    """
    trick = game.trick(view)
    if trick is None or not trick.last:
        return []
    texts = [f"the {'previous' if view.playing else 'last'} trick: {_describe_trick(trick.last, names)}"]
    if view.playing:
        texts.append(f"next to lead: {names[trick.leader]}")
    return [to_sentence(text) for text in texts]


def make_action_menu(game: AnyGame, view: View, names: Names, *, lists_cards: bool = True) -> ActionMenu:
    spec, pronouns = _get_plain_text_spec(game), YOURSELF._replace(names=names)

    def name(action: Action) -> str:
        return spec.called(view, action) or _format_default_name(action, pronouns)

    return make_menu(spec.choices(view), name, spec.verbs, lists_cards=lists_cards, card_order=game.card_order(view))


def _format_default_name(action: Action, pronouns: Pronouns) -> str:
    """Return the text of an action after its verb, or the verb if it is all, for games that do not name it."""
    return to_spoken(pronouns.fill_in(action.description or action.argument_text) if action.notation else action.verb)


def describe_legal_actions(game: AnyGame, view: View, names: Names, *, lists_cards: bool = True) -> list[str]:
    """Describe the legal actions of the view's seat in sentences, with the game's remarks.

    ``lists_cards``: False if the cards that may be played are not listed, since they would answer a question.
    """
    menu = make_action_menu(game, view, names, lists_cards=lists_cards)
    return describe_menu(menu, partial(_get_plain_text_spec(game).explained, view, names))


def describe_contracts_left(game: AnyGame, view: View, names: Names) -> list[str]:
    """Describe the contracts that each seat has still to name, each in a sentence; empty in games without contracts."""
    left = _get_plain_text_spec(game).contracts_left(view)
    return [to_sentence(f"contracts left, {names[seat]}: {texts}") for seat, texts in enumerate(left)]


def _get_plain_text_spec(game: AnyGame) -> PlainTextSpec[View]:
    key = game.about.key
    module = import_submodule(key, "plain_text") if key in GAMES else None
    if module is None:
        return PlainTextSpec(partial(_describe_default, game))
    spoken: PlainTextSpec[View] = guard_part(key, "PLAIN_TEXT", module.PLAIN_TEXT, PlainTextSpec)
    return spoken


def _describe_default(game: AnyGame, view: View, names: Names) -> Iterator[str]:
    """Yield the contract, the dealer or declarer, and special zones, for a game without a text of its own."""
    if named := game.contract(view):
        yield f"the contract: {named.words}"
    if dealer_or_declarer := game.dealer_or_declarer(view):
        role, seat = dealer_or_declarer
        yield f"{role}: {names[seat]}"
    for zone in game.scene(view):
        if (zone.cards or zone.summary) and zone.name not in _COMMON_ZONES:
            owner = "" if zone.seat is None else f", {names[zone.seat]}"
            yield f"{format_zone_label(zone)}{owner}: {to_spoken(format_zone_summary(zone)) or _format_cards_of(zone)}"


def _describe_tricks(game: AnyGame, view: View, names: Names) -> Iterator[str]:
    """Yield the bids made so far, and once all are made the tricks taken."""
    bids = game.bids(view)
    if made := [f"{names[seat]} {bid}" for seat, bid in enumerate(bids.made if bids else ()) if bid is not None]:
        yield f"bids: {', '.join(made)}"
    if isinstance(view, TrickView) and not (bids and None in bids.made):
        yield f"tricks taken: {format_by_seat(names, view.won)}"


def _describe_current_trick(game: AnyGame, view: View, names: Names) -> Iterator[str]:
    """Yield the cards of the current trick, if any have been played."""
    if (trick := game.trick(view)) and trick.lying:
        yield f"in the trick: {_describe_trick(trick.lying, names)}"


def _describe_trick(cards: Sequence[tuple[Seat, Card]], names: Names) -> str:
    return ", ".join([f"{names[seat]} {format_card(c)}" for seat, c in cards])


def _describe_other_hands(zones: Sequence[Zone], view: View, names: Names) -> Iterator[str]:
    """Yield the sizes of the other hands, and the cards in them that the view's seat knows."""
    hands = {zone.seat: zone.cards for zone in zones if zone.name == "hand"}
    others = [seat for seat in range(len(names)) if seat != view.seat and seat in hands]
    if others:
        yield f"cards in hand: {', '.join([f'{names[seat]} {len(hands[seat])}' for seat in others])}"
    for seat in others:
        known = [c for c in hands[seat] if c is not None]
        if known:
            yield f"{names[seat]} has {format_cards(known, article=True)}"


def _describe_zone(zone: Zone, names: Names) -> Iterator[str]:
    """Describe a zone other than a hand or the trick: the top card of a stack, or the number of face-down cards.

    A summary replaces the cards. A zone that is not common to all games yields nothing.
    """
    label = format_zone_label(zone)
    if zone.summary and zone.name in _DESCRIBED_ZONES:
        owner = "" if zone.seat is None else f", {names[zone.seat]}"
        yield f"{label}{owner}: {to_spoken(format_zone_summary(zone))}"
        return
    known = [c for c in zone.cards if c is not None]
    if zone.name == "stack":
        if known:
            yield f"on top of the {label}: {format_card(known[-1])}"
    elif zone.name == "pile":
        cards = ", ".join(map(format_card, reversed(known)))
        order = ", its top first" if cards else ""
        yield f"the {label}{order}: {_add_hidden(cards, zone)}" if zone.cards else f"the {label} is empty"
    elif zone.name in ("blind", "stock"):
        yield f"the {label}: {_format_cards_of(zone)}"
    elif zone.name == "taken" and zone.seat is not None and zone.cards:
        yield f"{label} by {names[zone.seat]}: {_format_cards_of(zone)}"


def _format_cards_of(zone: Zone) -> str:
    """Format all cards of a zone: the open ones by name, then the number of the others."""
    known = [c for c in zone.cards if c is not None]
    return _add_hidden(format_cards(known) if known else "", zone)


def _add_hidden(cards: str, zone: Zone) -> str:
    """Return the text of the open cards of a zone, and the number of the others."""
    hidden = zone.cards.count(None)
    return " and ".join(filter(None, (cards, f"{hidden} face down" if hidden or not cards else "")))


_STRESS: Final = re.compile(r"\*\*|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_MARK: Final = re.compile(r"(#+|[-+*]) ")
_MARK_TEXTS: Final = {"- ": "- ", "+ ": "At this table: ", "* ": "Not at this table: ", "# ": "", "## ": "", "### ": ""}
"""Markers of headings and list items in Markdown, with the text printed for each."""
_TABLE_INDENT: Final = "    "
"""Indentation of lines that are printed unchanged, such as tables."""


def print_score_sheet(
    table: HasScoreSheet, view: View, names: Sequence[str], former: Sequence[Sequence[str]] = ()
) -> None:
    """Print the score sheet: a line for each finished round, the contracts left, and the standing.

    ``view`` determines the contracts that are left; ``former`` as in ``list_former_players``.
    """
    print_lines(*describe_rounds(table, names, former))
    print_lines(*describe_contracts_left(table.game, view, names))
    print_lines(to_sentence(sheets.format_standing(names, table)))


def describe_rounds(table: HasScoreSheet, names: Sequence[str], former: Sequence[Sequence[str]] = ()) -> list[str]:
    """Describe the finished rounds, each in one line with the names of those who made it."""
    heads, lines = sheets.list_headings(table), []
    for number, score in enumerate(table.scores, 1):
        makers = list_names_in_round(names, former, number)
        figures = [", ".join(format_figures(heads, sheets.list_cells(score, seat))) for seat in range(len(makers))]
        seats = [f"{name}: {text}" for name, text in zip(makers, figures, strict=True)]
        played = format_weighted(_describe_title(score.title), score.weight)
        bonuses = sheets.format_bonuses(makers, score, table.sides)
        lines.append(to_ascii(f"Round {number}{f', {played}' if played else ''}. {'; '.join([*seats, *bonuses])}."))
    return lines


def _describe_title(title: Title) -> str:
    """Return the title of a round in words; empty if it has none."""
    if isinstance(title, HighTitle):
        return f"{format_rank(title.rank)} high" if title.suit is None else to_spoken(str(title))
    return describe_title(title) or str(title)


def print_glossary() -> None:
    print_lines(*to_paragraphs(read_glossary()))


def print_rules(key: str, options: Options | None = None) -> None:
    """Print the rules page of a game; with ``options``, it says which house rules a table has."""
    text = read_rules(key)
    print_lines(*to_paragraphs(text if options is None else mark_options(text, options)))


def to_paragraphs(page: str) -> list[str]:
    """Convert Markdown to lines for reading aloud: whole paragraphs, without markup."""
    lines: list[str] = []
    for line in to_ascii(_STRESS.sub("", page)).splitlines():
        begins = not line or line.startswith(_TABLE_INDENT) or _MARK.match(line)
        if begins or not lines or not lines[-1] or lines[-1].startswith(_TABLE_INDENT):
            mark = _MARK.match(line)
            lines.append(_MARK_TEXTS[mark[0]] + line[mark.end() :] if mark else line)
        else:
            lines[-1] += f" {line.strip()}"
    return lines


def print_chat(notes: Iterable[Note], names: Sequence[str]) -> None:
    """Print the chat among the log entries of a seat."""
    entries = [format_log_entry(note, names) for note in notes if isinstance(note, Said)]
    print_lines(*(entries or ["Nothing has been said yet."]))


def print_advice(advice: Advice) -> None:
    print_lines(to_sentence(to_spoken(advice.sentence)))


def print_figures(advice: Advice) -> None:
    """Print a comparison of all choices of a hint, with their figures."""
    if len(advice.lines) < 2:
        print_lines("There is nothing to compare.")
        return
    print_lines(f"{advice.scale.list_heading}:")
    print_lines(*[_describe_line(line, advice) for line in advice.lines])
    print_lines(*([to_sentence(advice.order_note)] if advice.order_note else []))


def _describe_line(line: AdviceLine, advice: Advice) -> str:
    """Describe one action of a hint: ``Queen of hearts: 2.1 points worse, error 0.8; you make it in 30%; ...``."""
    lead = advice.compute_lead(line)
    parts = []
    if lead is not None:
        error = f", error {'unknown' if isinf(line.error) else f'{line.error:.1f}'}" if line.error else ""
        first = line is advice.lines[0]
        close = f", {advice.format_standing(line)}" if line.is_as_good and not first else ""
        parts.append(f"{format_difference(lead, show_tenths=True, is_best=first)}{error}{close}")
    if line.share is not None and not advice.scale.includes_later_rounds:
        parts.append(f"{advice.goal_clause} in {format_percentage(line.share)}")
    return to_sentence(to_spoken(f"{line.name}: {'; '.join([*parts, ', '.join(line.reasons)])}"))


class VisibleScoreSheet(NamedTuple):
    """Score sheet of a session as one seat sees it."""

    game: AnyGame
    seats: int
    sides: Sides
    columns: tuple[str, ...]
    scores: Sequence[Score]
    totals: tuple[int, ...]
    ranks: tuple[int, ...] | None
