"""Names and signs of suits and ranks, by which players know the cards: French, Italian, Spanish and German packs.

They are used wherever people see or read cards. Notation, and with it journals and the texts of actions, is the same
for all packs.
"""

from typing import Final, NamedTuple

import msgspec

from cardtable.engine.cards import ACE, JACK, KING, QUEEN, RANK, RANK_WORDS, RANKS, SUIT, SUIT_WORDS, SUITS, Card


class Noun(NamedTuple):
    """Word in the singular and in the plural."""

    one: str
    many: str

    @property
    def with_article(self) -> str:
        """Singular with its indefinite article: ``a leaf``, ``an acorn``."""
        return f"{'an' if self.one[0] in 'aeiou' else 'a'} {self.one}"


class Faces(msgspec.Struct, frozen=True):
    """Names and signs of suits and ranks; all tuples and texts have the order of ``SUITS`` and ``RANKS`` in notation.

    Raises ``ValueError`` if a field does not have the right number of entries, or if two suits or two ranks look alike.
    """

    suits: tuple[Noun, ...]
    """Names of the suits, in ASCII, since plain lines have no other letters."""
    signs: str
    """Sign of each suit, a character of one column."""
    letters: str
    """Letter that replaces the sign of each suit in ASCII, and if players want letters."""
    ranks: tuple[Noun, ...]
    """Names of the ranks from two to ace, in ASCII."""
    marks: str = RANKS
    """Character of each rank on cards, in ASCII; ``T`` is shown as 10."""

    def __post_init__(self) -> None:
        numbers = {"suits": len(SUITS), "signs": len(SUITS), "letters": len(SUITS), "ranks": len(RANKS)}
        for name, number in {**numbers, "marks": len(RANKS)}.items():
            if len({*getattr(self, name)}) < number or len(getattr(self, name)) != number:
                raise ValueError(f"{name} of faces must be {number} different ones")
        if not (self.letters + self.marks).isascii():
            raise ValueError("letters and marks of faces must be in ASCII")

    def format_rank(self, card: Card) -> str:
        """Return the rank of a card as it is written on the card."""
        mark = self.marks[RANK[card]]
        return "10" if mark == "T" else mark

    def format_suit(self, card: Card) -> str:
        """Return the name of the suit of a card in the plural."""
        return self.suits[SUIT[card]].many


def name_ranks(**courts: Noun) -> tuple[Noun, ...]:
    """Return the names of the ranks for ``Faces``, with the given names for ``jack``, ``queen``, ``king`` and ``ace``.

    The others have their English names.
    """
    named = [courts.get(word, Noun(word, f"{word}es" if word == "six" else f"{word}s")) for word in RANK_WORDS]
    return tuple(named)


def mark_ranks(jack: str = "J", queen: str = "Q", king: str = "K", ace: str = "A") -> str:
    """Return the characters of the ranks for ``Faces``, with the given ones for the court cards and the ace."""
    own = {JACK: jack, QUEEN: queen, KING: king, ACE: ace}
    return "".join([own.get(rank, mark) for rank, mark in enumerate(RANKS)])


FRENCH: Final = Faces(
    suits=tuple([Noun(word, f"{word}s") for word in SUIT_WORDS]), signs="♣♦♥♠", letters=SUITS, ranks=name_ranks()
)
"""Clubs, diamonds, hearts and spades, with jack, queen and king: the default."""
ITALIAN: Final = Faces(
    suits=(Noun("club", "clubs"), Noun("coin", "coins"), Noun("cup", "cups"), Noun("sword", "swords")),
    signs="╱◎∪†",
    letters="BOUS",
    ranks=name_ranks(jack=Noun("fante", "fanti"), queen=Noun("cavallo", "cavalli"), king=Noun("re", "re")),
    marks=mark_ranks("F", "C", "R"),
)
"""Clubs, coins, cups and swords (in place of clubs, diamonds, hearts and spades), with fante, cavallo and re."""
SPANISH: Final = msgspec.structs.replace(
    ITALIAN,
    ranks=name_ranks(jack=Noun("sota", "sotas"), queen=Noun("caballo", "caballos"), king=Noun("rey", "reyes")),
    marks=mark_ranks("S", "C", "R"),
)
"""The suits of ``ITALIAN``, with sota, caballo and rey."""
GERMAN: Final = Faces(
    suits=(Noun("acorn", "acorns"), Noun("bell", "bells"), Noun("heart", "hearts"), Noun("leaf", "leaves")),
    signs="◓◉♥♤",
    letters="ABHL",
    ranks=name_ranks(jack=Noun("unter", "unters"), queen=Noun("ober", "obers")),
    marks=mark_ranks("U", "O"),
)
"""Acorns, bells, hearts and leaves (in place of clubs, diamonds, hearts and spades), with unter, ober and king.

Hungarian packs have the same suits and signs.
"""
