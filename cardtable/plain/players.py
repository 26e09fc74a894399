"""Players in plain text: profiles, signing in and out, passwords, ledger, statistics and rankings."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import partial
from getpass import getpass
from typing import Final
from unicodedata import normalize

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import find_name, fold, format_count
from cardtable.games import ABOUT, find_key, list_keys
from cardtable.plain.console import (
    CommandRows,
    Handler,
    QuitRequested,
    UnknownCommand,
    alone,
    is_on_terminal,
    one_word,
    print_lines,
    read_line,
    strip_control_sequences,
)
from cardtable.plain.speech_text import format_by_seat, to_ascii, to_sentence
from cardtable.records import aggregation
from cardtable.records.aggregation import AggregatedRecords, PlayerRecord
from cardtable.records.ratings import Player, Rating, Ratings
from cardtable.records.statistics import PlayerStatistics
from cardtable.store import credit_ledger, profiles, seating
from cardtable.store.profiles import InvalidProfile, Profile
from cardtable.store.session_setup import SessionSetup
from cardtable.store.sessions import Session
from cardtable.wording import statistics as statistics_texts
from cardtable.wording.formatting import format_ordinal, join_or
from cardtable.wording.players import PASSWORD_NOTE, PASSWORD_REMOVAL_WARNING, REMOVAL_WARNING, TRANSACTION_TEXTS
from cardtable.wording.statistics import format_player

HIDDEN_INPUT_NOTE: Final = "(it is not shown)"
"""Note in each prompt for a password."""


def require_terminal(nicks: Iterable[str]) -> None:
    """Check that the passwords of these players can be typed without being shown.

    Raises ``CardtableError`` if one of them has a password that was not given in this run, and there is no terminal.
    """
    for nick in filter(profiles.is_password_required, nicks):
        require_terminal_for(nick)


def require_terminal_for(nick: str) -> None:
    """Raise ``CardtableError`` if there is no terminal in which the password of ``nick`` could be typed unseen."""
    if not is_on_terminal():
        raise CardtableError(f"{nick} has a password, which cannot be asked for through a pipe; use a terminal")


def require_password(nick: str) -> None:
    """Ask for a player's password unless they have none or it was given in this run.

    Raises ``QuitRequested`` after an empty line or at the end of input, and ``CardtableError`` if there is no terminal.
    """
    if profiles.is_password_required(nick) and not ask_password(nick):
        raise QuitRequested


def ask_password(*nicks: str, submit: Callable[[str], str | None] | None = None) -> bool:
    """Ask for the password of one of several players until it is right; return False after an empty line.

    ``submit`` tests a password and returns an error message, or ``None`` if it is right. By default the password is
    right if it belongs to one of ``nicks``.

    Raises ``QuitRequested`` at the end of input, and ``CardtableError`` if there is no terminal.
    """
    require_terminal(nicks)
    while typed := read_hidden(f"Password of {join_or(nicks)} {HIDDEN_INPUT_NOTE}: "):
        if not (refusal := submit(typed) if submit else profiles.verify_any_password(nicks, typed)):
            return True
        print_lines(to_sentence(refusal))
    return False


def read_hidden(prompt: str) -> str:
    """Read a line without echo, again until it is text. Raises ``QuitRequested`` at the end of input."""
    while True:
        try:
            return strip_control_sequences(getpass(prompt))
        except EOFError:
            raise QuitRequested from None
        except UnicodeDecodeError as error:
            print_lines("", f"That cannot be read as {error.encoding.upper()}; type it again.")


def ask_new_password(empty_line: str = "to change nothing") -> tuple[str, str]:
    """Ask for a new password twice, and return both answers; both are empty after an empty line.

    ``empty_line`` is the purpose of such a line. Through a pipe nothing is asked, and both answers are empty. Raises
    ``QuitRequested`` at the end of input.
    """
    if not is_on_terminal():
        print_lines("A password cannot be typed unseen through a pipe; no password was set.")
        return "", ""
    password = read_hidden(f"Password {HIDDEN_INPUT_NOTE}, or an empty line {empty_line}: ")
    return password, read_hidden("The same again: ") if password else ""


def begin_session(setup: SessionSetup) -> Session:
    """Begin a session after the players with a password have confirmed their stakes.

    Raises ``QuitRequested`` after an empty line or at the end of input, and ``CardtableError`` if the session cannot
    begin.
    """
    for nick in credit_ledger.list_nicks_requiring_password(setup.seats, setup.options.stake):
        require_password(nick)
    return setup.begin()


UNCHANGED: Final = "Nothing was changed."
_FIELD_QUESTIONS: Final = {"name": "Real name, or an empty line:", "email": "E-mail address, or an empty line:"}


def _print_players() -> None:
    profile_store, error = profiles.load()
    print_lines(*([error] if error else []))
    for player in sorted(profile_store.players, key=lambda player: fold(player.nick)):
        print_lines(
            f"{player.nick}: {player.credits} credits{', signed in' if player.nick == profile_store.signed_in else ''}."
        )
    if profile_store.signed_in is None:
        print_lines(f"You play as {seating.GUEST}, without credits. register NICK makes a player.")


def _find_player(nick: str) -> Profile:
    """Return the player with a nick. Raises ``CardtableError`` if there is none."""
    if player := profiles.find(nick):
        return player
    raise CardtableError(f"there is no player {nick}. players lists them")


def _print_ledger(nick: str) -> None:
    player = _find_player(nick)
    print_lines(f"Starting credits of {player.nick}: {profiles.INITIAL_CREDITS}.")
    for move in player.ledger:
        print_lines(f"{move.at[:10]}: {move.change:+d}, {TRANSACTION_TEXTS[move.why]}, {move.session}.")
    print_lines(f"Now: {player.credits}.")


def _register_player(nick: str) -> bool:
    """Register a player and sign them in; every answer is asked for until it is valid."""
    profiles.check_new_nick(nick)
    name, email = map(_ask_field, _FIELD_QUESTIONS)
    while True:
        password, again = ask_new_password("for none")
        try:
            profiles.register(nick, name, email, password, again)
        except InvalidProfile as error:
            if error.field not in ("password", "again"):
                raise
            print_lines(to_sentence(str(error)))
        else:
            break
    print_lines(f"You now play as {profiles.get_current_nick()}.", *([PASSWORD_NOTE] if password else []))
    return True


def _ask_field(field: str) -> str:
    """Ask for a field of a profile until the answer is valid."""
    while True:
        print_lines(_FIELD_QUESTIONS[field])
        text = read_line()
        if not (wrong := profiles.find_field_error(field, normalize("NFC", text))):
            return text
        print_lines(to_sentence(wrong))


def _change_password(nick: str) -> None:
    """Change a password: ask for the old and the new one until both are accepted.

    An empty line instead of a password cancels the change.
    """
    player = _find_player(nick)
    if not is_on_terminal():
        raise CardtableError("a password cannot be typed unseen through a pipe; use a terminal")
    old = read_hidden(f"Old password of {nick}: ") if player.password else ""
    while old or not player.password:
        password, again = ask_new_password()
        if not password:
            break
        try:
            profiles.set_password(nick, old, password, again)
        except InvalidProfile as error:
            print_lines(to_sentence(str(error)))
            if error.field == "old":
                old = read_hidden(f"Old password of {nick}: ")
        else:
            print_lines(f"{nick} now has a new password.")
            return
    print_lines(UNCHANGED)


def _remove_password(nick: str) -> None:
    """Remove a player's password after a confirmation and the password."""
    player = _find_player(nick)
    if player.password is None:
        print_lines(f"{nick} has no password.")
        return
    require_terminal_for(nick)
    print_lines(f"{PASSWORD_REMOVAL_WARNING.format(nick)} Type yes to remove the password.")
    if read_line().lower() == "yes" and ask_password(nick):
        profiles.clear_password(nick)
        print_lines(f"{nick} now has no password.")
    else:
        print_lines(UNCHANGED)


def _set_password_prompt(nick: str, *, once: bool) -> None:
    """Set whether the curtain asks for a password once per run or at every turn.

    To ask only once requires the password.
    """
    player = _find_player(nick)
    if player.password is None:
        print_lines(f"{nick} has no password. password {nick} sets one.")
    elif once and not ask_password(nick):
        print_lines(UNCHANGED)
    else:
        profiles.set_ask_once(nick, once=once)
        print_lines(
            f"At a hot seat, the password of {nick} is asked for {'once until you quit' if once else 'every turn'}."
        )


def _rename_player(nicks: str) -> bool:
    """Change a player's nick; requires the password if it was not given in this run."""
    nick, *names = nicks.split()
    if len(names) != 1:
        raise UnknownCommand
    player = _find_player(nick)
    new_nick = seating.normalize_nick(names[0])
    profiles.check_new_nick(new_nick, nick)
    if player.is_locked and not ask_password(nick):
        raise CardtableError(UNCHANGED)
    profiles.update_profile(nick, new_nick, player.name, player.email)
    print_lines(f"{nick} is now called {new_nick}. Sessions keep the nick they were played under.")
    return True


def _remove_player(nick: str) -> bool:
    """Remove a player after two confirmations and the password."""
    player = _find_player(nick)
    print_lines(f"{REMOVAL_WARNING.format(player.credits)} Type yes to remove {nick}.")
    if read_line().lower() != "yes":
        raise CardtableError(UNCHANGED)
    print_lines("This cannot be undone. Type the nick again.")
    if read_line() != nick:
        raise CardtableError(UNCHANGED)
    require_terminal([nick])
    profiles.remove(nick, read_hidden(f"Password of {nick}: ") if player.password else "")
    print_lines(f"{nick} has been removed.")
    return True


def _sign_in(nick: str) -> bool:
    if " " in nick or profiles.find(nick) is None:
        print_lines("sign in NICK, with the nick of a player who has registered, or sign out.")
        return False
    require_password(nick)
    return _set_current_player(nick)


def _set_current_player(nick: str | None) -> bool:
    profiles.sign_in(nick)
    print_lines(f"You now play as {profiles.get_current_nick()}.")
    return True


COMMANDS: Final[CommandRows] = {
    "players: the players and their credits. ledger NICK: the payments of a player.": {
        "players": alone(_print_players),
        "ledger": one_word(_print_ledger),
    },
    "register NICK: a new player, who is signed in. sign in NICK: play as that player; sign out: as a guest. "
    "password NICK: a new password. remove password NICK: play without one.": {
        "register": one_word(_register_player),
        "sign in": _sign_in,
        "sign out": lambda _: _set_current_player(None),
        "password": one_word(_change_password),
        "remove password": one_word(_remove_password),
    },
    "ask once NICK: ask for the password only once until you quit, at a hot seat, too. ask always NICK: every "
    "time before the hand is shown.": {
        "ask once": one_word(partial(_set_password_prompt, once=True)),
        "ask always": one_word(partial(_set_password_prompt, once=False)),
    },
    "nick NICK ANOTHER: change the nick; sessions keep the old one. remove NICK: remove a player; sessions stay.": {
        "nick": _rename_player,
        "remove": one_word(_remove_player),
    },
}
"""Commands of the picker about players; they raise ``CardtableError`` if they fail."""


_NOTICE_SESSIONS: Final = 200
"""Number of unread sessions above which a notice of the delay is printed."""


def _aggregate() -> AggregatedRecords:
    """Aggregate the records of all sessions; a notice is printed if many of them must be read first."""
    records = AggregatedRecords()
    for number, progress in enumerate(aggregation.aggregate()):
        records = progress.records or records
        if number == 0 and progress.sessions - progress.read > _NOTICE_SESSIONS:
            print_lines(f"{progress.sessions - progress.read} sessions are being read; this takes a moment.")
    return records


def _describe_statistics(more: list[str]) -> Iterator[str]:
    records, me = _aggregate(), profiles.get_current_nick()
    game = next((key for word in more if (key := find_key(word))), "")
    player = _find_player_or_level(records, " ".join([word for word in more if find_key(word) is None]), me)
    record = records.get_record(player, game)
    if not record.figures.sessions:
        yield statistics_texts.explain_no_sessions(player, me, game)
        yield statistics_texts.NO_STATISTICS_TEXT
    elif game:
        yield from _describe_one_game(record)
    else:
        yield from _describe_all_games(records, record)
    others = [format_player(other) for other, _ in records.list_players() if other != player]
    if others:
        yield f"Other players: {', '.join(others)}. Type statistics and a name for one of them."


def _find_player_or_level(records: AggregatedRecords, name: str, me: str) -> Player:
    """Return the player or robot level with a name, ignoring case; by default the signed-in player.

    Raises ``CardtableError`` if there is none.
    """
    if not name:
        return Player(me)
    known = [Player(me), *[player for player, _ in records.list_players()]]
    by_name = {text: player for player in reversed(known) for text in (player.name, format_player(player))}
    if match := find_name(name, by_name):
        return by_name[match]
    names = join_or([*dict.fromkeys(map(format_player, known))])
    raise CardtableError(f"neither a player nor a game is called {name[:30]!r}; players are {names}")


def _describe_all_games(records: AggregatedRecords, record: PlayerRecord) -> Iterator[str]:
    player, all_ = record.player, record.figures
    figures_of_all = [format_count(all_.sessions, "session"), f"{all_.abandoned} abandoned", *_describe_outcomes(all_)]
    yield f"Statistics of {format_player(player)}, all games: {', '.join(figures_of_all)}."
    for key in list_keys():
        _, _, figures, rating = records.get_record(player, key)
        if figures.sessions:
            own = [format_count(figures.sessions, "session"), *_describe_outcomes(figures), _describe_rating(rating)]
            yield f"{ABOUT[key].title}: {', '.join(own)}."
    for name, value in (*statistics_texts.list_streaks(all_, date.today()), *statistics_texts.list_firsts(all_)):  # noqa: DTZ011 - a day of the player's calendar
        yield f"{name}: {value}."


def _describe_outcomes(figures: PlayerStatistics) -> list[str]:
    """Describe the share of sessions won and the average place; empty if no session has ended."""
    if figures.won_share is None:
        return []
    return [
        f"won {statistics_texts.format_share(figures.won_share)}",
        f"average place {statistics_texts.format_mean(figures.mean_place)}",
    ]


def _describe_rating(rating: Rating | None) -> str:
    return f"rating {rating.mu:.0f}, plus or minus {rating.sigma:.0f}" if rating else "not rated"


def _describe_one_game(record: PlayerRecord) -> Iterator[str]:
    player, game, figures, rating = record
    yield f"Statistics of {format_player(player)}, {ABOUT[game].title}: {_describe_rating(rating)}."
    if places := sorted(figures.places.items()):
        often = [format_count(times, "time") for _, times in places]
        yield f"Places: {format_by_seat([format_ordinal(place) for place, _ in places], often)}."
    for name, value in statistics_texts.list_figures(record):
        yield f"{name}: {value}."
    if contracts := statistics_texts.list_contract_means(figures):
        means = [statistics_texts.format_mean(points) for _, points in contracts]
        yield f"Points by contract, average per round: {format_by_seat([name for name, _ in contracts], means)}."
    if exact := statistics_texts.list_exact_shares(figures):
        shares = [f"{format_count(cards, 'card')} {statistics_texts.format_share(share)}" for cards, share in exact]
        yield f"Exact bids by cards dealt: {', '.join(shares)}."


def _describe_rankings(more: list[str]) -> Iterator[str]:
    key = find_key(" ".join(more)) if more else None
    if more and key is None:
        raise CardtableError(f"type rankings and a game: {join_or(list_keys())}")
    records = _aggregate()
    if key is not None:
        yield from _describe_ranking(key, records.ratings.get(key) or Ratings())
        return
    rated = {game: ratings for game, ratings in records.ratings.items() if ratings.players}
    leaders = [_describe_leader(game, rated[game]) for game in list_keys() if game in rated]
    yield from leaders or ["Nobody is rated yet."]
    yield "Type rankings and the name of a game for its list." if rated else statistics_texts.NO_RATING_TEXT


def _describe_leader(game: str, ratings: Ratings) -> str:
    player, rating = ratings.rank_players()[0]
    rated = f"{format_count(len(ratings.players), 'player')} rated, {format_count(len(ratings.end_times), 'session')}"
    return f"{ABOUT[game].title}: {format_player(player)} leads with {_describe_rating(rating)}; {rated}."


def _describe_ranking(game: str, ratings: Ratings) -> Iterator[str]:
    me = profiles.get_current_nick()
    rows = ratings.list_top(me)
    if not rows:
        yield from (statistics_texts.explain_no_ratings(game), statistics_texts.NO_RATING_TEXT)
        return
    yield f"Rankings of {ABOUT[game].title}, by rating; {format_count(len(ratings.end_times), 'session')}."
    for place, player, rating in rows:
        note = ", you" if player == Player(me) else ", robot" if player.robot else ""
        won = statistics_texts.format_share(rating.won / rating.seats)
        played = f"{format_count(rating.sessions, 'session')}, won {won}"
        yield to_sentence(f"{place}: {format_player(player)}{note}, {_describe_rating(rating)}, {played}")
    yield statistics_texts.RATING_RULES


def _create_handler(describe: Callable[[list[str]], Iterator[str]]) -> Handler:
    return lambda rest: print_lines(*map(to_ascii, describe(rest.split())))


STATISTICS_COMMANDS: Final[CommandRows] = {
    "statistics: your results. statistics NICK GAME: those of another player, a robot level, or one game.": {
        "statistics": _create_handler(_describe_statistics)
    },
    "rankings: the leader in each game. rankings GAME: the ten best, and you.": {
        "rankings": _create_handler(_describe_rankings)
    },
}
"""Commands of the picker about statistics; they raise ``CardtableError`` if there is no such player or game."""
