"""Devices by which a club recognises a person: who lists them, and who withdraws which."""

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin, LoginIdentity
from cardtable.club.client.connection import Offline
from cardtable.club.server.accounts import ClubAccounts
from tests.club.account_logins import BY_SSH, Clock, add_keys, hash_hex, log_in
from tests.club.lobby_screen import lobby_app
from tests.club.loopback_club import club, hosted_guest, joined, read_refusal
from tests.club.plain_guest import PlainGuest
from tests.club.test_administration import execute, open_club

DAY = 24 * 3600


async def list_devices(guest):
    """Ask for the own devices, and return them."""
    before = len(guest.messages)
    await guest.send(protocol.AskDevices())
    await guest.wait_until(lambda: any(isinstance(each, protocol.Devices) for each in guest.messages[before:]))
    return next(each for each in guest.messages[before:] if isinstance(each, protocol.Devices)).devices


async def test_devices_are_known_by_kind_and_times():
    clock = Clock()
    accounts = ClubAccounts(clock=clock)
    since = int(clock.now)
    _, token = await log_in(accounts, "Bob")
    word = await accounts.administration.create_invitation("Bob")
    await log_in(accounts, "Bob", ConnectionOrigin("192.0.2.1", transport="browser"), code=word)
    clock.now += 2 * DAY
    await log_in(accounts, "Bob", token=token)
    word = await accounts.administration.create_invitation("Bob")
    await log_in(accounts, "Bob", BY_SSH, code=word)
    account = ClubAccounts().store.find_account("Bob")
    add_keys(accounts, "Bob", "SHA256:old")
    listed = [(each.kind, each.since - since, each.seen - since) for each in account.list_devices()]
    assert listed == [("ssh", 2 * DAY, 2 * DAY), ("browser", 0, 0), ("join", 0, 2 * DAY)]
    assert accounts.store.find_account("Bob").list_devices()[-1].kind == "key"
    assert [each.is_present for each in account.list_devices(hash_hex(token))] == [False, False, True]


async def test_withdrawn_device_is_disconnected_and_known_no_more():
    async with club(code="kmnpqrst") as (room, url), joined(url, "Bob", code="kmnpqrst") as bob:
        word = await room.administration.create_device_word("Bob")
        async with joined(url, "Bob", code=word) as other:
            other_device, own = await list_devices(bob)
            assert (own.is_present, other_device.is_present) == (True, False)
            refusal = await bob.get_refusal(protocol.WithdrawDevice(own.id))
            assert refusal == "that is this device; withdraw it on another one"
            assert await bob.get_refusal(protocol.WithdrawDevice("x")) == "Bob has no device 'x'"
            await bob.send(protocol.WithdrawDevice(other_device.id))
            await other.wait_until(lambda: other.link.end_reason)
            assert other.link.end_reason == "This device has been withdrawn on another one."
        assert await list_devices(bob) == (own,)
        assert "does not know your device" in await read_refusal(url, "Bob", token=other.welcome.token)


async def test_program_of_a_withdrawn_browser_does_not_come_back():
    async with club() as (room, url), joined(url, "Bob") as bob:
        _, cookie = await room.authenticator.log_in(
            LoginIdentity(ConnectionOrigin("192.0.2.1", transport="browser"), "Bob"),
            code=await room.administration.create_device_word("Bob"),
        )
        async with hosted_guest(room, "Bob", credential=hash_hex(cookie)) as tab:
            device = next(each for each in await list_devices(bob) if not each.is_present)
            await bob.send(protocol.WithdrawDevice(device.id))
            await tab.wait_until(lambda: tab.link.end_reason == "This device has been withdrawn on another one.")
            tab.link.state = Offline()
            await tab.link.run()
            assert tab.link.end_reason == "you are logged out; join again"


async def test_host_lists_and_withdraws_a_device():
    lines = []
    async with open_club(lines) as (club, url), joined(url, "Bob") as bob:
        (line, row) = (await execute(club, "devices", "bob")).iter_lines()
        assert line.split() == ["device", "since", "last", "used"]
        device = row.split()[0]
        assert row.split()[1] == "program"
        assert (await execute(club, "revoke", "Bob", device)).text == "The device of Bob is withdrawn."
        await bob.wait_until(lambda: bob.link.end_reason == "The host has withdrawn this device.")
        assert [*(await execute(club, "devices", "Bob")).iter_lines()] == ["No device is known."]
    assert "the administrator withdraws a device of Bob" in lines


async def test_device_is_withdrawn_on_the_screen():
    async with club() as (room, url), joined(url, "Anna") as phone:
        word = await room.administration.create_device_word("Anna")
        async with lobby_app(url, code=word, size=(80, 24)) as screen:
            await screen.sees("Your nick and devices")
            await screen.choose("account", "this one")
            device = next(each for each in await list_devices(phone) if each.is_present)
            await screen.choose(f"device {device.id}", "Withdraw this device?")
            await screen.press("enter")
            await phone.wait_until(lambda: phone.link.end_reason)
            await screen.wait_until(lambda: f"device {device.id}" not in screen.text and "Program" in screen.text)


async def test_device_is_withdrawn_in_plain_text(tmp_path):
    async with club() as (room, url), joined(url, "Anna") as phone:
        word = await room.administration.create_device_word("Anna")
        async with PlainGuest(tmp_path, url, "Anna", "--word", word) as anna:
            device = next(each for each in await list_devices(phone) if each.is_present).id
            anna.type_lines("devices")
            await anna.read_until("this one.", f"{device}: program, known since ")
            anna.type_lines(f"withdraw {device}")
            await phone.wait_until(lambda: phone.link.end_reason)
            anna.type_lines(f"withdraw {device}")
            await anna.read_until("this one.", f"Anna has no device '{device}'.")
