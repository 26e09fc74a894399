"""Joining a club from the open program: clubs visited before, and a typed address."""

import sys

import pytest
from textual import events

from cardtable.club.addresses import format_club_address, parse_club_address
from cardtable.store import club_tokens, paths, profiles
from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE, MAX_VISITED
from cardtable.ui.toolkit.page import PageScreen
from tests.club.lobby_screen import running_app
from tests.club.loopback_club import club
from tests.club.test_host_page import open_club_by_keys
from tests.ui.test_palette import run_command


def get_port(url):
    return url.rpartition(":")[2]


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("ws://192.168.1.5:7036", "192.168.1.5"),
        ("ws://192.168.1.5:7040", "192.168.1.5:7040"),
        ("ws://[2001:db8::7]:7036", "[2001:db8::7]"),
        ("wss://cards.example.org:443", "wss://cards.example.org:443"),
        ("wss://cards.example.org:7036", "wss://cards.example.org"),
    ],
)
def test_format_club_address(url, address):
    assert format_club_address(url) == address
    assert parse_club_address(address) == url


async def test_typed_address_is_joined_and_remembered():
    async with club() as (_, url), running_app() as anna:
        await anna.press("j", "Join a club", "Address of the club")
        await anna.enter(f"localhost:{get_port(url)}", "What is your nick here?")
        await anna.enter("Bob", "The club", "No table is open yet")
        await anna.press("escape", "Rikiki")
        await run_command(anna.pilot, anna.app, "join a club")
        await anna.sees("Clubs you have joined", f"localhost:{get_port(url)}")
        await anna.press("home enter", "here: Bob", "No table is open yet")
        assert len([screen for screen in anna.app.screen_stack if isinstance(screen, PageScreen)]) == 2, (
            "picker and lobby"
        )


async def test_own_club_is_joined_without_nick_or_code():
    profiles.register("Anna")
    profiles.sign_in("Anna")
    async with running_app() as anna:
        url = await open_club_by_keys(anna)
        await anna.press("escape", "Rikiki")
        await anna.press("j", "Address of the club")
        await anna.enter(f"localhost:{get_port(url)}", "here: Anna")


async def test_invalid_address_is_explained():
    async with running_app() as anna:
        await anna.press("j", "Address of the club")
        await anna.press("enter", "Type the address of the club first.")
        await anna.enter("a@b", "An address is HOST or HOST:PORT, not 'a@b'.")
        await anna.press("backspace")
        await anna.sees_no_more("not 'a@b'")
        anna.app.screen.post_message(events.Paste(".."))
        await anna.press("enter", "An address is HOST or HOST:PORT, not 'a@..'.")
        await anna.press("escape", "Rikiki")


async def test_address_is_shown_as_it_is_used_before_it_is_joined():
    async with club() as (_, url), running_app() as anna:
        await anna.press("j", "Address of the club")
        anna.app.screen.post_message(events.Paste(f" \uff4cocalhost\uff1a{get_port(url)} "))
        await anna.press("enter", f"localhost:{get_port(url)}", "Enter joins the club there.")
        await anna.press("enter", "What is your nick here?")


def test_last_visit_comes_first_and_oldest_is_forgotten(home):
    for i in range(MAX_VISITED + 1):
        club_tokens.store_visit(f"ws://host:{i + 1}", f"Club {i}")
    club_tokens.store_visit("ws://host:3", "Renamed\x1b[31m")
    visited = club_tokens.list_visited()
    assert len(visited) == MAX_VISITED
    assert visited[0].url == "ws://host:3"
    assert "\x1b" not in visited[0].name
    assert "ws://host:1" not in [each.url for each in visited]


def test_visits_do_not_replace_unreadable_file(home):
    home.mkdir(exist_ok=True)
    paths.club_tokens_file().write_bytes(b"{")
    club_tokens.store_visit("ws://host:1", "Club")
    assert paths.club_tokens_file().read_bytes() == b"{"
    assert club_tokens.list_visited() == []


async def test_guest_at_host_joins_no_other_club(monkeypatch):
    monkeypatch.setenv(ADMISSION_TOKEN_VARIABLE, "token")
    async with running_app() as anna:
        anna.app.context.show("join_club")
        await anna.is_told("cannot join another one")


async def test_missing_libraries_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "websockets", None)
    async with running_app() as anna:
        anna.app.context.show("join_club")
        await anna.sees("A club needs more libraries.")
        await anna.sees("[club]")
