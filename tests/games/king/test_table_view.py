"""Table screen of King: naming contracts, offers, claims, cards taken."""

from cardtable.games.king.plain_text import PLAIN_TEXT
from cardtable.games.king.table_view import TABLE_VIEW
from cardtable.session.session_events import Stage
from tests.games.king.test_rules import play_collected_round, start_session
from tests.games.moments import ask_king, name_contract, open_saved
from tests.ui.driver import sit_at


def may_claim():
    """Return a session in which the player may claim."""
    return ask_king("random", lambda view: view.complete > 3 and view.points_left)


def get_option_label(table):
    """Return the label of the option under the cursor."""
    return table.frame.decision.options[table.frame.option].label


def test_short_session_shows_remaining_contracts():
    game = start_session(length="short")
    for text in ("no-king", "no-jacks", "poz-jar", "no-queens"):
        play_collected_round(game, text)
        for _ in range(3):
            play_collected_round(game)
    view, names = game.deal(number=9).view(0), ("You", "Ada", "Bo", "Cy")
    assert TABLE_VIEW.header(view).round == "round 17 of 20"
    decision = TABLE_VIEW.decision(view, names)
    assert [group.marks[0] for group in decision.groups] == ["0", "0", "1"]
    options = {option.label: (option.marks[:1], option.note) for option in decision.options}
    assert options["No King"] == (("·",), "You have already played it")
    assert options["No Tricks"] == (("·",), "You have already played all 3 of yours")
    assert options["Neg Jar"] == (("·",), "You have already played one of them")
    assert options["miser"] == ((), "")
    left = {row.label: row.values[0] for row in TABLE_VIEW.contracts_left(view)}
    assert (left["No Tricks"], left["Negative"], left["Jar"], left["Positive"]) == ("·", "···", "·", "●")
    assert next(PLAIN_TEXT.contracts_left(view)) == "1 positive"
    begun = start_session(length="short").deal(number=9).view(0)
    assert next(PLAIN_TEXT.contracts_left(begun)) == (
        "3 of No Tricks / No Hearts / No Queens / No Jacks / No Last Two / No King, 1 of Neg Jar / Poz Jar, 1 positive"
    )


async def test_last_contract_left_is_named_and_led():
    async with sit_at(ask_king("novice", lambda view: view.contract is None and len(view.legal) == 1)) as table:
        await table.press("enter")
        await table.sees("You lead.")
        assert table.frame.decision is None
        await table.press("tab enter")
        await table.wait_until(lambda: table.view.first is not None)


async def test_contract_can_be_changed_before_first_lead():
    async with sit_at(name_contract()) as table:
        await table.press("down down enter")
        await table.sees("You lead.  No Queens; Tab changes it")
        assert not table.frame.in_box, "the cursor is on the cards"
        await table.press("tab")
        await table.sees("Another contract?  Now it is No Queens")
        assert get_option_label(table) == "No Queens", "the box opens at the current contract"
        await table.press("enter")
        await table.sees("Current contract.")
        await table.press("down enter")
        await table.wait_until(lambda: table.view.contract.text == "no-jacks")
        await table.wait_for_input()
        await table.press("enter")
        await table.wait_until(lambda: table.view.first is not None)


async def test_positive_contracts_share_rows_with_explanations():
    async with sit_at(name_contract()) as table:
        await table.press("down " * 8 + "right")
        await table.sees("Diamonds are trump.")
        assert get_option_label(table) == "♦ diamonds"
        await table.press("down down")
        await table.sees("The 6 is the")
        await table.press("enter")
        await table.wait_until(lambda: table.view.contract and table.view.contract.text == "miser")


async def test_offer_is_typed_after_tab_from_cards():
    async with sit_at(open_saved("king-of-hearts")) as table:
        await table.press("tab 0")
        await table.sees("You can't offer 0 – only 1 to 36")
        await table.press("3 0 right")
        await table.sees("I take ◂ −31 ×4 ▸", "share −5 ×4")
        await table.press("right " * 5)
        await table.sees("That is all of it")
        await table.press("enter")
        await table.sees("Take all −36 ×4?")
        await table.press("enter")
        await table.wait_until(lambda: table.frame.stage is Stage.ROUND_END)
        assert table.view.points == (0, 0, -36, 0)


async def test_forced_king_of_hearts_refuses_other_cards():
    async with sit_at(open_saved("king-of-hearts")) as table:
        await table.press("shift+right enter")
        await table.sees("K♥ must go: play it now")
        await table.press("k enter")
        await table.wait_until(lambda: table.view.points == (0, -36, 0, 0))


async def test_claim_asks_for_confirmation():
    async with sit_at(may_claim()) as table:
        left, points = table.view.points_left, table.view.points[0]
        await table.press("tab")
        await table.sees(f"\N{MINUS SIGN}{left} ×4", "You take all that")
        await table.press("enter")
        await table.sees(f"Take all −{left} ×4?")
        assert table.text.split("\n")[-2].startswith(" Enter yes   Esc back")
        assert (table.view.points_left, table.view.points[0]) == (left, points), "it is asked first"
        await table.press("escape")
        assert not table.app.requests, "Esc goes one step back"
        await table.sees_no_more("Take all")
        await table.press("enter tab tab enter")
        await table.sees("Take all")
        assert table.view.points_left == left, "moving cancels the confirmation"
        await table.press("enter")
        await table.wait_until(lambda: table.frame.stage is Stage.ROUND_END)
        assert table.view.points[0] == points - left


async def test_advice_that_arrives_cancels_confirmation_of_claim():
    async with sit_at(may_claim()) as table:
        await table.press("tab enter")
        claim = table.frame.decision.actions[table.frame.option]
        table.app.table.cursor.point_at(claim)
        assert not table.app.table.cursor.confirm(), "the question is asked again"
        assert table.app.table.cursor.confirm() == claim
