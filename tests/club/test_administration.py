"""The commands of the host, and the endpoint that takes them."""

import asyncio
import re
from contextlib import asynccontextmanager, suppress

import pytest
from msgspec.structs import fields, replace
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from cardtable.club import administration_client, protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.administration import (
    COMMANDS,
    Announce,
    Kick,
    ListPeople,
    compute_proof,
    create_command,
    decode_host,
)
from cardtable.club.protocol import Hello, RequestFailed, encode
from cardtable.club.server import club_file, hosted_session, server, status_file
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.limits import LIMITS
from cardtable.club.server.requests import SignedIn, execute_request
from cardtable.club.server.server_options import ServerOptions
from cardtable.engine.errors import CardtableError
from cardtable.session.session_events import Stage
from cardtable.store import summaries
from tests.club.guests import choose_randomly
from tests.club.loopback_club import (
    Guest,
    connected_guests,
    enter_once,
    full_disk,
    hosted_guest,
    joined,
    play_until,
    poll_until,
    read_refusal,
    start_table,
    table_of,
    wait_for_all,
)
from tests.club.loopback_club import club as loopback_club

COMMANDS_BY_WORD = {command_type.__struct_config__.tag.removeprefix("club "): command_type for command_type in COMMANDS}


@asynccontextmanager
async def open_club(lines=None, **options):
    """Open a club with its status file; yield it and its address."""
    async with server.open_club(
        ServerOptions("Fridays", port=0, **options),
        think=choose_randomly,
        log=lambda event: lines is not None and lines.append(str(event)),
    ) as club:
        await poll_until(lambda: status_file.paths.club_status_file().exists())
        yield club, f"ws://{club.address}"


async def execute(club, word, *values, **options):
    """Execute a command, and return its result."""
    return await execute_request(club.administration, COMMANDS_BY_WORD[word](*values, **options))


async def test_kicked_guest_reads_the_reason_and_may_come_back():
    lines = []
    async with (
        open_club(lines) as (club, url),
        connected_guests(url, "Anna", "Bob") as (anna, bob),
        joined(url, "Bob", token=bob.welcome.token) as other,
    ):
        result = await execute(club, "kick", "bob", "please use another nick.")
        assert result.text == "Bob is disconnected (2 connections), and may come back."
        reason = "The host has disconnected you: please use another nick."
        await wait_for_all((bob, other), lambda guest: guest.link.end_reason == reason)
        await anna.wait_until(lambda: anna.people == ("Anna",))
        async with joined(url, "Bob", token=bob.welcome.token) as again:
            assert again.welcome.nick == "Bob"
    assert "the administrator disconnects Bob: please use another nick" in lines
    assert lines.count("Bob leaves") == 1 + 1


async def test_kicked_guest_who_reads_nothing_is_cut_off(monkeypatch):
    """A client that ignores the end of its connection can neither stay nor act."""
    monkeypatch.setattr("cardtable.club.server.websocket_endpoint.CLOSE_TIMEOUT", 0.01)
    async with open_club() as (club, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        bob.link.socket.transport.pause_reading()
        (client,) = [each for each in club.lobby.clients if each.nick == "Bob"]
        client._wakeup.set = lambda: None  # the reason is not sent either
        acting = asyncio.create_task(execute(club, "kick", "Bob"))
        await client.ending.wait()
        await bob.send(protocol.Say("Still here"))
        await acting
        await anna.wait_until(lambda: anna.people == ("Anna",))
        assert not anna.talk
        bob.link.socket.transport.resume_reading()


async def test_seat_of_kicked_player_is_as_after_a_lost_connection():
    async with open_club() as (club, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        await play_until(lambda: anna.update.at >= 6, anna, bob)
        seen = anna.update.at
        await execute(club, "kick", "Bob")
        await anna.wait_until(lambda: anna.seats and anna.seats[1].away)
        (path,) = [summaries.find_path(table)]
        assert path.read_text().count('"action"') >= seen
        await anna.send(protocol.EndWait(table), until=lambda: not any(anna.update.absences.values()))
        await anna.send(protocol.VoteSubstitute(table, 1), until=lambda: anna.seats[1].robot)
        async with joined(url, "Bob", token=bob.welcome.token) as again:
            await again.send(protocol.SitDown(table), until=lambda: not anna.seats[1].robot)


async def test_closing_tables():
    lines = []
    async with open_club(lines) as (club, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        await cleo.send(protocol.Watch(table), until=lambda: cleo.view)
        result = await execute(club, "close", table[-4:].upper(), "we close at ten")
        name = table.split("-", 2)[-1]
        assert result.text == f"The table {name} is closed. Its session is unfinished, and its players can resume it."
        closed = "The host has closed the table of Rikiki: we close at ten."
        await wait_for_all((anna, bob, cleo), lambda guest: guest.update.closed == closed and not guest.tables)
        assert [row.table for row in await bob.list_unfinished()] == [table]
        # both take their seats again
        for each in (anna, bob):
            await each.send(protocol.ResumeSession(table))
            await each.send(protocol.SitDown(table))
        await anna.wait_until(lambda: anna.view and anna.update.stage is Stage.PLAY and not anna.update.absences)
        await cleo.send(protocol.OpenTable("king", 4), until=lambda: len(cleo.tables) == 2)
        assert (await execute(club, "close", "kin g")).why.startswith("no table is called 'kin g'")
        assert (await execute(club, "close", "20")).why.startswith("several tables are called '20': ")
        (king,) = {*cleo.tables} - {table}
        assert "had not started" in (await execute(club, "close", "King")).text
        await cleo.wait_until(lambda: king not in cleo.tables and cleo.talk)
        assert cleo.talk == [("", "The host has closed the table of King.")]
    assert f"the administrator closes the table {table}: we close at ten" in lines


async def test_people_and_announcements():
    async with open_club() as (club, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna)
        people = (await execute(club, "who")).people
        assert [(person.nick, person.is_member, person.tables, person.tokens) for person in people] == [
            ("Anna", False, (table,), 1),
            ("Bob", False, (), 1),
        ]
        (connection,) = people[0].connections
        assert (connection.transport, connection.address) == ("join", "127.0.0.1")
        assert [row.table for row in (await execute(club, "tables")).tables] == [table]
        await execute(club, "say", " Last  round ")
        await wait_for_all((anna, bob), lambda guest: guest.talk == [("", "The host says: Last round")])


async def test_banned_people_are_disconnected_and_stay_out():
    lines = []
    async with open_club(lines) as (club, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        result = await execute(club, "ban", "bob", 7200, reason="spam")
        until = result.text.removeprefix("Bob is banned ").partition(".")[0]
        assert result.text == f"Bob is banned {until}. They are disconnected."
        await bob.wait_until(lambda: bob.link.end_reason == f"The host has banned you {until}: spam.")
        assert await read_refusal(url, "Bob", token=bob.welcome.token) == f"you are banned from this club {until}"
        (ban,) = (await execute(club, "bans")).bans
        assert (ban.target, ban.until > 0) == ("Bob", True)
        await execute(club, "unban", "bob")
        await enter_once(url, "Bob", token=bob.welcome.token)
        # a network: those who are here from it go, and nobody else
        (client,) = [each for each in club.lobby.clients if each.nick == "Anna"]
        client.origin = ConnectionOrigin("192.0.2.7")
        assert (await execute(club, "ban", "192.0.2.0/24")).text == (
            "192.0.2.0/24 is banned for ever. Disconnected: Anna."
        )
        await anna.wait_until(lambda: anna.link.end_reason == "The host has banned you for ever.")
        assert (await execute(club, "ban", "127.0.0.1")).why.endswith("cannot be banned")
    assert [line for line in lines if "ban" in line] == [
        f"the administrator bans Bob {until}: spam",
        "the administrator ends the ban of Bob",
        "the administrator bans 192.0.2.0/24 for ever",
    ]


async def test_muted_person_is_notified_and_cannot_talk():
    async with open_club() as (club, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        assert (await execute(club, "mute", "BOB")).text == "Bob is muted until further notice."
        await bob.wait_until(lambda: bob.talk)
        assert bob.talk == [("", "The host has muted you until further notice: nobody gets what you say.")]
        for place in ("", table):
            await bob.send(protocol.Say("Hello", place))
        await bob.wait_until(lambda: len(bob.refused) == 2)
        assert set(bob.refused) == {"the host has muted you"}
        assert [person.is_muted for person in (await execute(club, "who")).people] == [False, True]
        await execute(club, "unmute", "Bob")
        await bob.send(protocol.Say("Hello"), until=lambda: anna.talk == [("Bob", "Hello")])


async def test_new_code_for_everybody():
    lines = []
    async with (
        open_club(lines, code="sesame77") as (club, url),
        joined(url, "Anna", code="sesame77") as anna,
        joined(url, "Bob", code="sesame77") as bob,
    ):
        code = re.match(r"The code is (\w+)\. ", (await execute(club, "code")).text)[1]
        assert club.invitation[-1] == f"the code is {code}"
        assert await read_refusal(url, "Dora", code="sesame77") == "that is not the code of this club; ask its host"
        await enter_once(url, "Bob", token=bob.welcome.token)
        changed = await execute(club, "code", "another77", everybody=True, except_nick="Anna")
        assert changed.text.startswith("The code is another77. Disconnected: Bob. ")
        message = "he club has a new code; ask its host for it"
        await bob.wait_until(lambda: bob.link.end_reason == f"T{message}, and join again.")
        assert await read_refusal(url, "Bob", token=bob.welcome.token) == f"t{message}"
        await enter_once(url, "Bob", token=bob.welcome.token, code="another77")
        assert not anna.link.end_reason
        assert (await execute(club, "code", "1")).why == "a code is 6 to 64 letters a to z or digits"
    assert not any(word in line for line in lines for word in (code, "another77", "sesame77"))


async def test_accounts_of_people(anna_with_password):
    """What the administrator does to accounts is tested with them; here, what it says, logs and whom it disconnects."""
    lines = []
    async with open_club(lines) as (club, url), connected_guests(url, "Anna", "Bob", "Cleo") as guests:
        assert (await execute(club, "revoke", "Bob")).text.endswith("an invitation lets them back: invite Bob.")
        assert (await execute(club, "revoke", "anna")).text.endswith("they come back by password.")
        assert "The nick Cleo is free" in (await execute(club, "forget", "Cleo")).text
        await wait_for_all(guests, lambda guest: guest.link.end_reason.startswith("The host has ended your visit"))
        invited = await execute(club, "invite", "Bob")
        command, word = invited.details[0].rsplit(" ", 1)
        assert (command, len(word)) == (f"cardtable join {url.removeprefix('ws://')} --nick Bob --word", 19)
        assert [each.target for each in (await execute(club, "invitations")).invitations] == ["Bob"]
        await execute(club, "withdraw", "bob")
        assert not (await execute(club, "invitations")).invitations
        reset = await execute(club, "reset", "anna")
        said, password = reset.text.rsplit(" ", 1)
        assert said == "The new password of Anna is"
        await enter_once(url, "Anna", password=password)
        assert (await execute(club, "reset", "Bob")).why.endswith("a guest comes back by an invitation: invite Bob")
    assert not any(secret in line for line in lines for secret in (word, password))
    assert [line.removeprefix("the administrator ") for line in lines if "administrator" in line] == [
        "revokes the tokens and ssh keys of Bob",
        "revokes the tokens and ssh keys of Anna",
        "forgets Cleo",
        "invites Bob",
        "withdraws the invitation of Bob",
        "gives Anna a new password",
    ]


async def test_newcomers_wait_for_approval():
    lines = []
    async with open_club(lines) as (club, url):
        await execute(club, "approval", "on")
        assert ClubAccounts().store.state.contents.approval
        word = (await execute(club, "invite", "Emil")).details[0].split()[-1]
        await enter_once(url, "Emil", code=word)
        reason = "the host lets newcomers in by hand, and has been asked; wait"
        for decision, left in (("approve", ""), ("reject", "the host does not let you in")):
            async with Guest(url, f"Dora{decision[0]}") as guest:
                await wait_for_all([guest], lambda guest: guest.link.connection_error == reason)
                people = await execute(club, "who")
                assert [(each.nick, each.address) for each in people.approval.newcomers] == [(guest.nick, "127.0.0.1")]
                assert (await execute(club, decision, guest.nick.lower())).text
            assert await read_refusal(url, guest.nick) == left
        await execute(club, "approval", "off")
        await enter_once(url, "Fred")
    assert lines.count("Doraa at 127.0.0.1 waits to be let in") == 1


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("kick bbo", "nobody here is called bbo; did you mean Bob?"),
        ("unban Bab", "Bab is not banned"),
        ("unmute Bob", "Bob is not muted"),
        ("ban Zoe", "nobody called Zoe has been in the club"),
        ("revoke Zoe", "nobody called Zoe has been in the club"),
        ("mute bop", "nobody called bop has been in the club; did you mean Bob?"),
        ("kick zzzz", "nobody here is called zzzz; here: Bob"),
        (f"kick Bob {'x' * 121}", "that has 121 characters; 120 are allowed"),
        ("close x", "no table is open"),
        ("say ", "type something to say"),
    ],
)
async def test_refused_commands(command, message):
    async with open_club() as (club, url), joined(url, "Bob"):
        assert await execute(club, *command.split(" ")) == RequestFailed(message)


async def test_program_of_the_home_gives_commands_and_follows_the_log():
    async with open_club() as (_, url), administration_client.connect() as host, joined(url, "Bob"):
        assert [person.nick for person in (await host.execute(ListPeople())).people] == ["Bob"]
        async with administration_client.connect() as follower:
            following = asyncio.create_task(anext(follower.follow_log()))
            with pytest.raises(CardtableError, match="nobody here"):
                await host.execute(Kick("Ann"))
            while not following.done():
                await host.execute(Announce("Good evening"))
            assert await following == "the administrator says: Good evening"
    with pytest.raises(CardtableError, match="no club is open here"):
        async with administration_client.connect():
            pass


async def test_other_programs_of_the_machine_give_no_commands():
    async with open_club() as (club, url), joined(url, "Bob") as bob:
        port = status_file.read_status().administration_port
        accounts = club.lobby.accounts
        right = accounts.owner_token, accounts.id, "administrator", port
        proofs = {
            "right": right,
            "token": ("another", *right[1:]),
            "club": (right[0], "another", *right[2:]),
            "role": (*right[:2], "host", port),
            "port": (*right[:3], port + 1),
        }
        for kind, known in proofs.items():
            async with connect(f"ws://127.0.0.1:{port}", proxy=None) as connection:
                nonces = decode_host(await connection.recv()).nonce, "mine"
                await connection.send(encode(Hello("", nonce=nonces[1], proof=compute_proof(*known, nonces))))
                await connection.send(encode(Kick("Bob")))
                answers = []
                with suppress(ConnectionClosed):
                    while len(answers) < 2:
                        answers.append(type(decode_host(await connection.recv())).__name__)
            assert answers == (["Proof", "Done"] if kind == "right" else ["RequestFailed"]), kind
            if kind == "right":
                await bob.wait_until(lambda: bob.link.end_reason)
        # neither a command without a login nor a page of a browser
        async with connect(f"ws://127.0.0.1:{port}", proxy=None) as connection:
            await connection.recv()
            await connection.send(encode(ListPeople()))
            with pytest.raises(ConnectionClosed):
                await connection.recv()
        with pytest.raises(InvalidStatus):
            await connect(f"ws://127.0.0.1:{port}", origin="http://127.0.0.1", proxy=None)


async def test_program_that_impersonates_the_host_is_refused(monkeypatch):
    """It has the port of the status file, but not the token; what it learns is no proof for the real host."""
    async with open_club():
        other = replace(club_file.read_club_file(), owner_token="other")
        monkeypatch.setattr(club_file, "read_club_file", lambda: other)
        with pytest.raises(CardtableError, match="another program answers"):
            async with administration_client.connect():
                pass


async def test_host_closes_a_table_to_spectators():
    lines = []
    async with open_club(lines) as (club, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna)
        await bob.send(protocol.Watch(table), until=lambda: bob.view)
        name = table.partition("-")[2].partition("-")[2]
        assert (await execute(club, "spectators", name, "off")).text == f"The table {name} is closed to spectators."
        await bob.wait_until(lambda: bob.update.closed == "The host has closed the table to spectators.")
        assert await bob.get_refusal(protocol.Watch(table)) == "that table is closed to spectators"
        assert (await execute(club, "spectators", name, "on")).text == f"The table {name} is open to spectators."
        await bob.send(protocol.Watch(table), until=lambda: bob.update and not bob.update.closed)
    assert f"the administrator closes the table {table} to spectators" in lines


@pytest.mark.parametrize(
    ("word", "usual", "text"),
    [
        ("aids", "on", {"on": "Tables may allow hints", "off": "No table may allow hints"}),
        ("one-network", "off", {"on": "from a single network count.", "off": "from a single network do not count."}),
    ],
)
async def test_settings_of_the_club_are_kept(word, usual, text):
    other = {"on": "off", "off": "on"}[usual]
    async with open_club() as (club, _):
        assert text[usual] in (await execute(club, word)).text
        with full_disk():
            assert (await execute(club, word, other)).why == "the disk is full"
        assert text[usual] in (await execute(club, word)).text
        assert text[other] in (await execute(club, word, other)).text
    async with open_club() as (club, _):
        assert text[other] in (await execute(club, word)).text


async def test_club_that_counts_sessions_of_one_network_looks_at_none():
    async with open_club() as (club, _), hosted_guest(club.lobby, "Anna", "192.0.2.1"):
        find_network = club.lobby.table_manager.registry.host.find_connected_network
        assert find_network("Anna").startswith("192.0.2.1")
        await execute(club, "one-network", "on")
        assert find_network("Anna") == ""


async def test_tables_of_a_club_without_aids():
    async with open_club() as (club, url), connected_guests(url, "Anna") as (anna,):
        await execute(club, "aids", "off")
        refusal = await anna.get_refusal(protocol.OpenTable("rikiki", 4, aids=True))
        assert refusal == "this club allows no hints, no coach and no open review at its tables"
        table = await anna.open_table("rikiki", 4)
        assert not anna.tables[table].terms.aids
        await execute(club, "aids", "on")
        assert anna.tables[await anna.open_table("rikiki", 4)].terms.aids


async def test_each_failure_of_a_robot_is_a_line_of_the_log(monkeypatch):
    monkeypatch.setattr(hosted_session, "RETRY_SECONDS", 0.0)
    lines, requests = [], []

    async def think(request):
        requests.append(request)
        raise CardtableError("the robots' process has died with a hand of AS KH")

    async with loopback_club(think=think, log=lines.append) as (_, url), table_of(url, "Anna") as (table, anna):
        playing = asyncio.create_task(anna.play())
        await poll_until(lambda: len(requests) > LIMITS.log_lines.number)
        playing.cancel()
    failures = [line for line in lines if f"a robot in the session {table} has failed: CardtableError in " in line]
    assert len(failures) == LIMITS.log_lines.number
    assert any(f"about {table} left out" in line for line in lines)
    assert not any("AS" in line for line in lines)


async def test_guests_cannot_give_commands():
    """Neither does their endpoint read a command, nor would any be executed for them."""
    values = {"nick": "Bob", "target": "Bob", "text": "Hello", "table": "x", "kind": "known", "name": "Cup"}
    values |= {"new_nick": "Rob", "state": "on", "game": "rikiki", "rounds": 1, "players": ["Bob"]}
    lines = []
    async with open_club(lines) as (club, url), joined(url, "Bob") as bob:
        (client,) = club.lobby.clients
        for command_type in COMMANDS:
            required = {field.name: values[field.name] for field in fields(command_type) if field.required}
            command = create_command(command_type, required)
            assert (await bob.get_refusal(command)).startswith("that cannot be read: Invalid value")
            refused = await execute_request(SignedIn(club.lobby, client), command)
            assert refused == RequestFailed("only the host of the club can do that")
    assert not any("the administrator" in line for line in lines)
