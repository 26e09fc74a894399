"""A session of the archive in lines: what it came to, and what can be done with it."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, get_args

from cardtable.engine.errors import CardtableError
from cardtable.engine.text import MOST_PATH, clean
from cardtable.engine.words import unknown
from cardtable.plain import reading, replaying
from cardtable.plain.archive.reviewing import review
from cardtable.plain.console import Left, ask, say
from cardtable.plain.facts import places
from cardtable.plain.speech import by_seat, letters, sentence
from cardtable.plain.typed import number_of
from cardtable.play.session_again import SessionAgain
from cardtable.store import exports
from cardtable.store.errors import StillPlayed
from cardtable.store.summaries import Summary
from cardtable.wording import archived, sheet
from cardtable.wording.archived import ArchivedSession
from cardtable.wording.exports import ENDINGS, Form, exported
from cardtable.wording.tables import FINISHED_ONLY, title, why_shut
from cardtable.wording.words import either

_FORMS: Final = get_args(Form)


class _Back(Exception):
    """The person goes back to the list."""


class OneSession:
    """Tells of a session, until the person goes back to the list."""

    def __init__(self, row: ArchivedSession, go_on: Callable[[Summary], None]) -> None:
        self._row, self._summary, self._go_on = row, row.summary, go_on
        summary, known = row.summary, row.summary.header is not None
        goes_on = known and summary.state == "open" and not summary.is_club_only
        does: list[tuple[str, str, bool, Callable[[str], None]]] = [
            ("go on", "go on: play on from where it stands", goes_on, self._play_on),
            ("sheet", "sheet: the score sheet, round by round", known, self._sheet),
            (
                "replay",
                "replay: all rounds again, card by card. replay NUMBER: that round",
                known and not summary.real_cards,
                self._replay,
            ),
            (
                "review",
                "review: what an expert thinks of your decisions. review NICK: of hers",
                self._reviewable,
                self._review,
            ),
            ("export", f"export {either(_FORMS)}: save it in that form", known, self._export),
        ]
        self._does = {word: do for word, _, possible, do in does if possible}
        self._help = [f"{what}." for _, what, possible, _ in does if possible]

    @property
    def path(self) -> Path:
        """Its file."""
        return self._summary.path

    @property
    def _reviewable(self) -> bool:
        return self._summary.header is not None and self._summary.state != "open" and not self._summary.real_cards

    def stay(self) -> None:
        """Tell of it and do what is typed.  Raises ``Left``."""
        self._tell()
        while True:
            try:
                self._do(ask())
            except CardtableError as error:
                say(sentence(error.why))
            except _Back:
                return

    def _tell(self) -> None:
        row, summary, header = self._row, self._summary, self._summary.header
        if header is None:
            say(sentence(f"{summary.id} {why_shut(summary)}"), "Type back for the list.")
            return
        told = [title(summary), archived.moment(row), *archived.facts(row, archived.course(summary))]
        say(letters(sentence(", ".join(told))))
        seats = archived.best_first(summary, header)
        names = [
            header.seats[seat].name + f" ({header.seats[seat].robot})" * bool(header.seats[seat].robot)
            for seat in seats
        ]
        if summary.ranks:
            totals = [summary.totals[seat] for seat in seats]
            say(*places(names, [summary.ranks[seat] for seat in seats], totals, totals))
        elif summary.totals:
            say(f"Totals: {by_seat(names, [summary.totals[seat] for seat in seats])}.")
        say(f"Type {', '.join(self._does)}, help or back.")

    def _do(self, typed: str) -> None:
        if typed.lower() == "quit":
            raise Left
        if typed.lower() == "back":
            raise _Back
        small = typed.lower()
        for word, do in self._does.items():
            if small == word or small.startswith(f"{word} "):
                do(typed[len(word) :].strip())
                return
        if small in ("help", "?"):
            say(*self._help, "An empty line: what it came to. back: to the list. quit: leave.")
        elif not typed:
            self._tell()
        else:
            say(f"There is no {typed[:40]} here. Type {', '.join(self._does)}, help or back.")

    def _play_on(self, _rest: str) -> None:
        self._go_on(self._summary)
        raise _Back

    def _sheet(self, _rest: str) -> None:
        kept = sheet.read(self.path)
        say(*reading.rounds(kept.scored, kept.names))
        say(sentence(sheet.standing(kept.names, kept.scored, given_up=kept.given_up, timed_out=kept.timed_out)))

    def _replay(self, rest: str) -> None:
        number = number_of(rest) if rest else None
        if rest and number is None:
            raise CardtableError("replay takes the number of a round, such as replay 3, or nothing for all rounds")
        replaying.tell(SessionAgain(self.path), number)

    def _review(self, rest: str) -> None:
        review(self.path, rest)
        self._tell()

    def _export(self, rest: str) -> None:
        wanted, _, as_open = rest.lower().partition(" ")
        form = next((form for form in _FORMS if form == wanted and as_open in ("", "open")), None)
        if form is None:
            raise CardtableError(
                unknown("form", rest, _FORMS) if rest else f"say in which form: export {either(_FORMS)}"
            )
        try:
            data = exported(self.path, form, as_open=bool(as_open))
        except StillPlayed:
            raise CardtableError(
                "people still play this session, and the file shows everybody's cards; "
                f"type export {form} open to save it all the same"
            ) from None
        saved = exports.save(f"{self._summary.id}{ENDINGS[form]}", data)
        say(f"Saved as {clean(str(saved), MOST_PATH)}.", *[FINISHED_ONLY] * self._summary.is_club_only)
