"""Who plays here while the program is open, also where another program gives her another nick, or removes her."""

from cardtable.store import profiles, seating
from cardtable.store.profiles import Book


class SignedIn:
    """The nick of who has signed in, or a guest's name."""

    def __init__(self) -> None:
        book, trouble = profiles.load()
        self.unread = [trouble] if trouble else []
        """What was wrong with the file of the players at first."""
        self.nick = book.signed_in or seating.GUEST
        self._id = self._id_in(book)

    def become(self, nick: str) -> None:
        """Somebody else plays from now on, or the same player by another nick."""
        self.nick = nick
        self._id = self._id_in(profiles.load()[0])

    def look_again(self) -> None:
        """Follow the player to the nick that she has by now; who is none any more is a guest."""
        book, trouble = profiles.load()
        if trouble or self.nick == seating.GUEST:
            return
        if self._id:
            found = next((player for player in book.players if player.id == self._id), None)
        else:  # in a file of the first version
            found = book.find(self.nick)
        self.nick = found.nick if found else seating.GUEST
        self._id = self._id_in(book)

    def _id_in(self, book: Book) -> str:
        profile = book.find(self.nick)
        return profile.id if profile else ""
