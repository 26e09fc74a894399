"""The pages of clubs cover every message, option, limit, metric and log line."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from msgspec import Raw
from msgspec.structs import astuple
from prometheus_client.parser import text_string_to_metric_families

from cardtable.cli.main import commands
from cardtable.club.protocol import (
    CLIENT_MESSAGES,
    PROTOCOL_VERSION,
    SUBPROTOCOL,
    AnyServerMessage,
    SeatInfo,
    TableInfo,
    compute_token_proof,
    hash_token,
)
from cardtable.club.server import metrics_endpoint
from cardtable.club.server.host_events import LogEvent, LoggedIn, create_denial, create_login_refusal
from cardtable.club.server.limits import Limits, LoginError
from cardtable.engine.cards import NAME, iter_cards
from cardtable.engine.errors import CardtableError
from cardtable.engine.referee import IllegalAction
from cardtable.engine.value_checks import decode_view
from cardtable.games import GAMES
from cardtable.store.errors import NotSaved
from tests.club.test_transcript import GOLDEN_NAME
from tests.golden_files import GOLDEN, check_paragraph

DOCS = Path(__file__).parents[2] / "docs"
PAGE_FILE = DOCS / "club-reference.md"
PAGE = PAGE_FILE.read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^##+ (.+)\n((?:(?!##).*\n)+)", PAGE, re.MULTILINE))
_ROW = re.compile(r"^\| `(\w+)` \|(.*?)\|", re.MULTILINE)
ROWS = {
    name: set(re.findall(r"`(\w+)`", cell))
    for name, cell in _ROW.findall(SECTIONS["Messages of the client"] + SECTIONS["Messages of the host"])
}


def get_tag(message):
    """Return the type of a message on the wire."""
    return message.__struct_config__.tag


@pytest.mark.parametrize(
    "message", [*CLIENT_MESSAGES, *get_args(AnyServerMessage)], ids=lambda message: message.__name__
)
def test_every_field_of_a_message_is_documented(message):
    assert ROWS[get_tag(message)] == set(message.__struct_fields__)


def test_documents_exactly_the_existing_messages():
    assert set(ROWS) == {get_tag(message) for message in (*CLIENT_MESSAGES, *get_args(AnyServerMessage))}
    assert f"`protocol_version` ({PROTOCOL_VERSION})" in PAGE
    assert f"subprotocol `{SUBPROTOCOL}`" in PAGE


def test_documented_token_proof_is_correct():
    quoted = re.search(r"token\s`.*?\n\n    [0-9a-f]{64}\n", SECTIONS["Proof of a token"], re.DOTALL)[0]
    token, club_id, host_nonce, guest_nonce = re.findall(r"`(\S+)`", quoted)
    assert compute_token_proof(hash_token(token), club_id, host_nonce, guest_nonce) == quoted.split()[-1]


def test_every_field_of_a_lobby_table_is_documented():
    rows = re.findall(r"^\| `.+", SECTIONS["Tables in the lobby"], re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", "".join(rows))) == {*TableInfo.__struct_fields__, *SeatInfo.__struct_fields__}


def test_documented_view_is_in_the_transcript():
    described, quoted = re.search(
        r"^A part of a view of Rikiki, (.*?):\n\n(    \{.*?\}\n\n)", PAGE, re.MULTILINE | re.DOTALL
    ).groups()
    part = json.loads(quoted)
    frames = [json.loads(line)["frame"] for line in (GOLDEN / GOLDEN_NAME).read_text(encoding="utf-8").splitlines()]
    views = [step["view"] for frame in frames for step in frame.get("steps", ())]
    (view,) = [view for view in views if part.items() <= view.items()]
    seen = decode_view(GAMES["rikiki"], Raw(json.dumps(view).encode()))
    cards = [NAME[card] for card in (*iter_cards(seen.hand), seen.trump_card)]
    assert re.findall(r"`(.+?)`", described) == [*cards, *map(str, seen.legal)]


def test_every_host_option_is_documented():
    commands.resolve_command(None, ["host"])
    named = set(re.findall(r"--[a-z-]+", (DOCS / "club.md").read_text(encoding="utf-8")))
    options = {name for option in commands.commands["host"].params for name in option.opts}
    assert options - {"--plain", "--ascii", "--mono", "--no-mouse"} <= named


def test_every_metric_is_documented():
    """Also the values of labels that are fixed in the code."""
    metrics = metrics_endpoint.HostMetrics()
    metrics.count(LoggedIn("join", "key"))
    metrics.count(create_login_refusal("ssh", LoginError("wait", retry_after=1)))
    for error in (NotSaved(OSError()), IllegalAction(), LoginError(""), CardtableError("")):
        metrics.count(create_denial("act", error))
    text = metrics.format(is_healthy=True).decode()
    published = [each for each in text_string_to_metric_families(text) if each.name.startswith("cardtable_")]
    total = {"counter": "_total"}
    labels = {label for metric in published for sample in metric.samples for label in sample.labels.values()}
    names = {f"{metric.name}{total.get(metric.type, '')}" for metric in published}
    known = set(re.findall(r"`([\w.]+)`", SECTIONS["Metrics"])) | {"act"}
    assert names <= known
    assert {label for label in labels if not re.fullmatch(r"[\d.]+|\+Inf", label)} <= known
    assert {name for name in known if name.startswith("cardtable_")} == names


def test_every_limit_is_documented():
    rows = [f"| {each.what} | {each.per} | {each.extent} | {each.consequence} |" for each in astuple(Limits())]
    check_paragraph(
        PAGE_FILE, "| what | of each | at most | beyond that |\n| --- | --- | --- | --- |\n", "\n".join(rows)
    )


def test_every_kind_of_log_line_is_documented():
    rows = re.findall(r"^\| (`.+?) \|", SECTIONS["Log"], re.MULTILINE)
    types = [
        *LogEvent.__subclasses__(),
        *[each for base in LogEvent.__subclasses__() for each in base.__subclasses__()],
    ]
    kinds = {each.__struct_config__.tag for each in types} - {None}
    assert {kind for row in rows for kind in re.findall(r"`(\w+)`", row)} == kinds
