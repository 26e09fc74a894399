"""Shows the views between the states before and after an event, such as a complete trick, before the final state."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from cardtable.engine.bidding import Bid
from cardtable.engine.game import Seat, View
from cardtable.session.session_events import AwaitingReader, ObservedEvent
from cardtable.ui.table.model.view_model import Pacing, TableViewModel

GetSeconds: TypeAlias = Callable[[Pacing], float | None]
"""Function that returns a duration in seconds, or ``None`` for an unlimited one."""


class TrickDisplay:
    """Shows the views between the states before and after an event, each for its pause."""

    def __init__(self, view_model: TableViewModel, pause: Callable[[GetSeconds | None], Awaitable[None]]) -> None:
        """``pause`` waits for the computed time or until the player ends it; with ``None`` there is no limit."""
        self._view_model, self._pause = view_model, pause

    def find_trick_of_text(self, observed: ObservedEvent) -> Mapping[Seat, View] | None:
        """Return the views, by seat, of the trick that an event has completed, if a text of a lesson follows.

        The trick, which has been counted, lies on the table while the pupil reads. Returns ``None`` if there is none,
        or the round is over.
        """
        frame = self._view_model.frame
        if not isinstance(self._view_model.session.pending, AwaitingReader) or not frame.game.has_tricks:
            return None
        if not observed.after[frame.seat].playing or not self._list_steps(observed):
            return None
        tricks = [(seat, frame.game_view.previous_trick(view)) for seat, view in observed.after.items()]
        return {seat: trick for seat, trick in tricks if trick is not None} or None

    async def show_steps(self, observed: Sequence[ObservedEvent], *, leaves_last: bool) -> None:
        """Show the steps of successive events, without those of the last one if ``leaves_last``."""
        steps = [self._list_steps(event) for event in observed]
        later_tricks = sum(map(len, steps))
        for event, views in zip(observed[:-1] if leaves_last else observed, steps, strict=False):
            await self._show_steps_of_event(event, views, later_tricks)
            later_tricks -= len(views)

    async def _show_steps_of_event(
        self, observed: ObservedEvent, steps: Sequence[Mapping[Seat, View]], tricks_to_show: int
    ) -> None:
        """Show ``steps``, the views between the states before and after an event.

        Each is shown for its pause. If the settings have no such pause, they are not shown. In a lesson the pause lasts
        until the pupil ends it: otherwise the key might arrive late, and skip the next text unread. But no text follows
        within a round that the pupil plays freely, where Enter then only plays cards. The last step is shown twice as
        long if the event ended the round: the trick then played itself, so that all its cards are new to the player. If
        a bid ended the round, the trick is all of it. ``tricks_to_show`` is the number of tricks from the first of
        ``steps`` on, also of later events.
        """
        view_model, seat = self._view_model, self._view_model.frame.seat
        for number, views in enumerate(steps):
            is_automatic = views is steps[-1] and observed.after[seat].finished > observed.before[seat].finished
            get_seconds: GetSeconds = partial(Pacing.compute_trick_pause, factor=2 if is_automatic else 1)
            if isinstance(observed.event, Bid):
                get_seconds = Pacing.compute_only_trick_pause
            if get_seconds(view_model.pacing) != 0:
                view_model.update(tricks_to_show=tricks_to_show - number)
                view_model.set_views(views, view_model.frame.seat)
                prompt = view_model.frame.prompt
                is_played_freely = prompt is None or (prompt.is_free_play and not is_automatic)
                get_limit = get_seconds if is_played_freely else None
                passes = get_limit is not None and get_limit(view_model.pacing) is not None
                view_model.show(trick_passes=passes)
                await self._pause(get_limit)
                view_model.update(tricks_to_show=0)

    def _list_steps(self, observed: ObservedEvent) -> list[Mapping[Seat, View]]:
        """Return the views between the states before and after an event, each step by seat."""
        game_view, after = self._view_model.frame.game_view, observed.after
        by_seat = [game_view.intermediate_views(observed.event, observed.before[seat], after[seat]) for seat in after]
        return [dict(zip(after, views, strict=True)) for views in zip(*by_seat, strict=True)]
