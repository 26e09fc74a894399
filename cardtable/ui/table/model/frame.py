"""What the table screen shows at one moment: everything its painters need, and nothing else."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cardtable.engine.cards import Card
from cardtable.engine.contract import Action, AnyGame, Seat, Sides
from cardtable.play.seen import Seen
from cardtable.store.settings import HandOrder
from cardtable.ui.kit.deciding import Decision
from cardtable.ui.kit.piece import AnyPiece, Names, arranged
from cardtable.ui.kit.pointing import NOWHERE, HandCursor, Pointed
from cardtable.ui.table.model.pacing import Watch
from cardtable.wording.names import own_side_first, side_name
from cardtable.wording.words import minutes

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.robots.coach import Advice


class Frame(Seen, frozen=True, kw_only=True):
    """What is to be seen of a session, what the person has under her cursor, and what else is shown of both."""

    game: AnyGame
    piece: AnyPiece
    names: Names
    people: int = 1
    """How many people sit at the table."""
    thinking: Seat | None = None
    """The robot that thinks at the moment."""
    failed: bool = False
    """Whether a robot could not choose; ``play`` asks it again."""
    looking: str = ""
    """Why nobody can act here, in words; nothing where somebody can."""
    follows: bool = False
    """Whether what the person is asked follows straight from her last key, and she could know what it would be: nobody
    else has done anything since, nothing was dealt, she drew no card unseen, and no box has opened."""
    way_back: bool = False
    """Whether the only person at the table has a decision to take back."""
    lingering: bool = False
    """Whether the picture is of a trick that is complete."""
    order: HandOrder = "usual"
    """The order of the own hand."""
    advice: "Advice | None" = None
    """What the expert would do in this place, once that was asked."""
    open_hands: bool = False
    """Whether hands that are open are shown."""
    watch: Watch | None = None
    """How a table of robots is watched, on which nobody here acts."""
    at_home: bool = True
    """Whether the session is played here, and not at a host."""
    has_same_deal: bool = True
    """True if another session with the same deal can be begun."""
    recorded: bool = True
    """Whether its journal lies at this machine."""
    remarks: tuple[str, ...] = ()
    """What the session that is over comes to in credits, and why it is not rated, in sentences."""
    unsaved: bool = False
    """Whether saving fails where the session is."""
    banner: str = ""
    """What the person must know about saving; stands in the footer."""

    waiting: bool = False
    """Whether the person at ``view.seat`` is asked for an action now."""
    hand: HandCursor = HandCursor()
    decision: Decision | None = None
    option: int = 0
    """The option under the cursor."""
    in_box: bool = False
    """Whether keys move in the decision box, not in the hand."""
    aimed: bool = False
    """Whether the person has put the cursor where it is, and not the program."""
    asking: bool = False
    """Whether the person is asked once more before the option under the cursor is done."""
    reason: str = ""
    """Why the card last pointed at may not be played; instead of the prompt."""

    @property
    def own_cards(self) -> list[Card]:
        """The own hand in its order."""
        return arranged(self.piece.order(self.view), self.order)

    @property
    def sides(self) -> Sides:
        """Who plays together, one's own side first, then clockwise as they sit on the screen; so in each side, too."""
        return own_side_first(self.game.sides_of(self.view), self.me)

    def side_name(self, side: Sequence[Seat]) -> str:
        """What a side is called in a table."""
        return side_name(self.names, side)

    @property
    def facts(self) -> tuple[str, ...]:
        """What is told beside the title; nothing before the first deal."""
        return self.piece.header(self.view).told if self.view.round else ()

    @property
    def gaps(self) -> bool:
        """Whether the hand is set apart by suits."""
        return self.piece.gaps if self.order == "usual" else self.order == "suit"

    @property
    def clock(self) -> str:
        """What is left of the time for the round."""
        return minutes(self.round_left)

    @property
    def pointed(self) -> Pointed:
        """What the person to act points at."""
        if not self.waiting:
            return NOWHERE
        action = self.decision.options[self.option].action if self.decision else None
        return Pointed(action, self.in_box, self.hand.at, self.hand.chosen)

    @property
    def box(self) -> Decision | None:
        """The decision box, while there is one to be shown."""
        return self.decision if self.waiting and self.decision and not self.decision.on_mat else None

    @property
    def box_on_mat(self) -> Decision | None:
        """The same where there is no panel: while keys move in it, or there is nothing else to be done."""
        return self.box if self.box and (self.in_box or not self.box.cards_first) else None

    @property
    def boxed(self) -> list[Action | None]:
        """The actions of the decision box, by option."""
        return self.decision.actions if self.decision else []

    @property
    def commits(self) -> Action | None:
        """What Enter does in the hand: of several actions of the cards the one that is not in the decision box."""
        boxed, found = self.boxed, self.hand.actions()
        return next((action for action in found if action not in boxed), found[0] if found else None)

    @property
    def entered(self) -> Action | None:
        """What Enter does now."""
        if not self.waiting:
            return None
        return self.boxed[self.option] if self.in_box else self.commits

    @property
    def hinted(self) -> Action | None:
        """The action that a hint in this place recommends to the person; ``None`` before there is one."""
        lines = self.advice.lines if self.waiting and self.advice else ()
        return lines[0].action if lines else None

    @property
    def advisable(self) -> bool:
        """Whether there is a choice to be advised in: of the person, or while all stands still of a robot."""
        return self.waiting or bool(self.watch and self.watch.paused and self.view.legal)

    @property
    def thinks(self) -> Seat | None:
        """Whom the table waits for, while it does not stand still."""
        return None if self.watch and self.watch.paused else self.thinking

    def clock_of(self, seat: Seat) -> str:
        """What is left to a seat of the time for the session, where it has such a clock."""
        return minutes(self.seats_left[seat]) if self.seats_left else ""

    def open_hand(self, seat: Seat) -> list[Card] | None:
        """The cards of another seat in their order, if they are to be shown."""
        if not self.open_hands or seat not in self.others:
            return None
        return arranged(self.piece.order(self.others[seat]), self.order)
