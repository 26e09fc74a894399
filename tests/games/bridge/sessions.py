"""Sessions of Bridge with given cards."""

from cardtable.engine import journal
from cardtable.engine.cards import PACK_36, iter_cards, names
from cardtable.engine.journal import ActionLine, ChanceLine
from cardtable.store import sessions
from tests.ui.table_host import create_session


def begin_session(hand, number):
    """Resume a session of a person with this hand, who has played its first cards, against two robots."""
    rest = [card for card in names(iter_cards(PACK_36)).split() if card not in hand.split()]
    plays = [ActionLine(0, f"play {card}") for card in hand.split()[:number]]
    begun = create_session("bridge", seats=3)
    begun.close()
    deal = ChanceLine(" ".join(["deal", *hand.split(), *rest]))
    begun.path.write_bytes(journal.encode(begun.header, [deal, *plays]))
    return sessions.resume(begun.path)
