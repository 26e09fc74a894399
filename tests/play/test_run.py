"""The loop that runs a session: whole sessions without a screen, a thread or waiting."""

from contextlib import closing
from itertools import pairwise

import pytest

from cardtable.engine.claim import Verdict
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.log_entries import DEALT_AGAIN, TAKEN_BACK, UNRATED, Ruling
from cardtable.engine.referee import IllegalAction
from cardtable.engine.tricks import Play
from cardtable.games import KEYS
from cardtable.session.message_log import said
from cardtable.session.session_events import (
    Elsewhere,
    Ended,
    GoesOn,
    PersonToChoose,
    RobotToChoose,
    RoundEnded,
    ToKeyboard,
)
from cardtable.session.session_runner import Run
from cardtable.store import archive_index, passwords, profiles, session_files, sessions
from tests.play.sitting import Sitting, session

SHORT = {"rikiki": {"length": "short"}, "rummy": {"seats": 2}, "bridge": {"seats": 2}}


def begun(key, **how):
    return session(key, **SHORT.get(key, {}), **how)


def kinds(wanted):
    return {type(each) for each in wanted}


@pytest.mark.parametrize("key", KEYS)
def test_a_session_of_each_game_is_run_to_its_end(key):
    with closing(begun(key)) as it:
        sitting = Sitting(it)
        run = sitting.on()
    assert run.wants == Ended()
    assert kinds(sitting.wanted) - {RoundEnded} == {GoesOn, RobotToChoose, PersonToChoose}
    assert sitting.wanted.count(RoundEnded()) == len(run.table.scores) - 1
    [summary] = archive_index.finished()
    assert summary.ranks == run.table.ranks
    read = session_files.one(it.path, it.path.read_bytes())
    told = [entry.line.chance or entry.line.action for entry in read.entries]
    assert [str(seen.event) for seen in sitting.events] == list(filter(None, told)), "each line was told once"


@pytest.mark.parametrize("key", KEYS)
def test_what_happens_is_told_as_the_only_person_saw_it(key):
    sitting = Sitting(begun(key))
    sitting.on(lambda run: run.table.decisions > 60)
    events = sitting.events
    assert {seat for seen in events for seat in (*seen.before, *seen.after)} == {0}
    for seen, then in pairwise(events):
        assert seen.after[0] == then.before[0]
    assert sitting.run.views == {0: sitting.run.table.view(0)}


def test_where_all_hands_lie_open_every_view_is_told():
    assert set(Sitting(begun("rikiki", people=0)).to(RobotToChoose).views) == {0, 1, 2, 3}
    assert set(Sitting(session("rikiki", open_hands="on")).to(PersonToChoose).views) == {0, 1, 2, 3}


def test_a_choice_without_a_word_is_nobodys():
    """In Bridge the end of a turn in which nothing more can be done."""
    sitting = Sitting(begun("bridge"))
    run = sitting.on(lambda run: run.wants == GoesOn() and run.table.turn == 0)
    [done] = run.views[0].legal
    [seen] = run.go_on()
    assert seen.event == done
    assert run.way_back(2) > 1, "nobody comes back to it"


def test_robots_alone_are_asked_one_by_one():
    sitting = Sitting(begun("gurka", people=0))
    run = sitting.to(RoundEnded)
    assert run.keyboard.seat is None
    assert kinds(sitting.wanted) == {GoesOn, RobotToChoose}
    assert run.news.own.keys() == {0, 1, 2, 3}


def test_who_is_not_to_choose_changes_nothing():
    run = Run(begun("rikiki"))
    with pytest.raises(IllegalAction):
        run.play(None)
    sitting = Sitting(begun("gurka"))
    run = sitting.to(PersonToChoose)
    chosen = run.views[0].legal[0]
    run.play(chosen)
    before, wants = run.table.decisions, sitting.to(PersonToChoose).wants
    before = run.table.decisions
    with pytest.raises(IllegalAction):
        run.play(chosen)
    assert (run.table.decisions, run.wants) == (before, wants)


def test_the_last_decision_is_taken_back_and_told():
    sitting = Sitting(begun("ten_down"))
    run = sitting.to(PersonToChoose)
    before = run.views[0]
    run.play(before.legal[0])
    sitting.to(PersonToChoose)
    assert run.take_back(1) == (TAKEN_BACK, UNRATED)
    assert (run.views[0], run.wants) == (before, PersonToChoose(0))
    assert run.news.own[0][-2:] == [TAKEN_BACK, UNRATED]


def test_nothing_is_taken_back_behind_new_cards_nor_where_several_play():
    run = Sitting(begun("rikiki")).to(PersonToChoose)
    assert (run.way_back(1), run.take_back(1)) == (0, ())
    sitting = Sitting(begun("rikiki", people=2))
    sitting.on(lambda run: run.table.decisions > 5)
    assert sitting.run.way_back(1) == 0


def test_the_last_decision_of_a_round_is_taken_back_before_the_next_is_dealt():
    sitting = Sitting(begun("gurka"))
    run = sitting.to(RoundEnded)
    run.take_back(1)
    assert isinstance(run.wants, PersonToChoose | RobotToChoose | GoesOn)
    assert not run.table.scores


def test_two_people_are_called_to_the_keyboard_in_turn():
    sitting = Sitting(begun("rikiki", people=2))
    run = sitting.to(ToKeyboard)
    first = run.wants.seat
    assert run.keyboard.seat is None
    with pytest.raises(IllegalAction):
        run.play(run.views[first].legal[0])
    run.sit_down()
    assert (run.wants, run.veiled) == (PersonToChoose(first), False)
    run.play(run.views[first].legal[0])
    sitting.to(ToKeyboard)
    assert (run.wants, run.veiled) == (ToKeyboard(1 - first), True)


def test_who_acts_again_is_not_called():
    run = Sitting(begun("rummy", people=2)).to(PersonToChoose)
    run.play(next(action for action in run.views[run.keyboard.seat].legal if str(action) == "stock"))
    assert run.wants == PersonToChoose(run.keyboard.seat)


def test_after_a_round_that_all_have_looked_at_whoever_acts_is_called():
    sitting = Sitting(begun("rikiki", people=2))
    run = sitting.to(RoundEnded)
    assert not run.veiled
    run.go_on()
    assert run.veiled
    assert isinstance(sitting.to(ToKeyboard).wants, ToKeyboard)


def test_everybody_at_a_hot_seat_is_told_her_own_and_nobody_elses_view():
    sitting = Sitting(begun("rikiki", people=2))
    assert set(sitting.to(ToKeyboard).views) == {0, 1}


@pytest.fixture
def locked(monkeypatch):
    """Anna has a password, which nobody has given in this run."""
    monkeypatch.setattr(passwords, "COSTS", ((2**4, 8, 1),))
    profiles.register("Anna", password="sesame77", again="sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    return "sesame77"


def test_the_only_person_gives_her_password_once(locked):
    sitting = Sitting(begun("gurka"))
    run = sitting.to(ToKeyboard)
    assert run.wants == ToKeyboard(0, "Anna")
    run.sit_down()
    assert run.wants == ToKeyboard(0, "Anna"), "nobody sits down without it"
    assert run.give("nine")
    assert run.give(locked) == ""
    assert run.wants == ToKeyboard(0)
    run.sit_down()
    assert run.wants == PersonToChoose(0)
    sitting.to(RoundEnded)
    run.go_on()
    assert ToKeyboard not in kinds([run.wants, *sitting.wanted[sitting.wanted.index(RobotToChoose(1)) :]])


def test_where_people_take_turns_a_password_is_given_each_time(locked):
    sitting = Sitting(begun("rummy", people=2))
    run = sitting.on(lambda run: run.wants == ToKeyboard(0, "Anna"))
    for _ in range(2):
        run.give(locked)
        run.sit_down()
        assert run.wants == PersonToChoose(0)
        run = sitting.on(lambda run: run.wants == ToKeyboard(0, "Anna"))


class Time:
    """Seconds that go by when somebody says so."""

    def __init__(self):
        self.gone = 0.0

    def __call__(self):
        return self.gone


def timed(key, **options):
    it, time = session(key, **options), Time()
    it.clocks.go_by(time)
    return Sitting(it), time


def test_a_round_is_void_when_its_time_is_over_and_dealt_again():
    sitting, time = timed("rikiki", round_clock=1)
    run = sitting.to(PersonToChoose)
    hand = run.views[0].hand
    time.gone += 59
    assert (run.seconds_left, run.time_over()) == (1, ())
    time.gone += 1
    assert run.time_over() == (DEALT_AGAIN,)
    assert run.wants == GoesOn()
    sitting.to(PersonToChoose)
    assert run.table.round == 1
    assert run.views[0].hand != hand
    assert run.seconds_left == 60


def test_a_session_is_lost_when_the_time_of_a_person_is_over():
    sitting, time = timed("rummy", seats=2, clock=5)
    run = sitting.to(PersonToChoose)
    time.gone += 300
    assert run.time_over() == (Ruling(0, "lost"),)
    assert run.wants == Ended()
    assert run.table.ranks == (2, 1)


def test_no_clock_runs_while_robots_think_or_a_round_is_looked_at():
    sitting, time = timed("gurka", round_clock=1)
    run = sitting.to(RobotToChoose)
    time.gone += 1000
    assert (run.seconds_left, run.time_over()) == (None, ())
    sitting.to(RoundEnded)
    time.gone += 1000
    assert run.time_over() == ()


@pytest.mark.parametrize(("key", "choose"), [("gurka", lambda view: view.legal[0]), ("rikiki", None)])
def test_the_rest_is_played_out_where_no_play_can_change_it(key, choose):
    sitting = Sitting(begun(key, seed=5), choose)
    run = sitting.on(
        lambda run: (
            isinstance(run.wants, PersonToChoose)
            and isinstance(run.views[0].legal[0], Play)
            and run.rest(0)() is Verdict.DECIDED
        )
    )
    number = run.table.round
    told, *happened = run.play_out()
    assert told == Ruling(0, "plays out")
    assert all(isinstance(seen.event, Play) for seen in happened)
    assert (len(run.table.scores), run.table.turn in (CHANCE, OVER)) == (number, True)


def test_talk_is_told_to_everybody_and_stands_in_the_journal():
    run = Sitting(begun("rikiki", people=2)).to(PersonToChoose)
    assert run.say("well  played", 1) == (said("well played", 1),)
    assert [own[-1] for own in run.news.own.values()] == [said("well played", 1)] * 2
    assert run.session.journal().entries[-1].line.say == "well  played"


def test_who_watches_robots_speaks_as_nobody_at_the_table():
    run = Sitting(begun("rikiki", people=0)).to(RobotToChoose)
    assert run.say("hm", 0) == (said("hm", None),)


def test_a_session_that_another_program_plays_is_followed_line_by_line():
    with closing(begun("rikiki")) as it:
        there, here = Sitting(it), Run(sessions.look(it.path))
        there.on(lambda run: run.table.decisions == 3)
        assert here.wants == Elsewhere(0)
        here.read_on()
        happened = []
        while here.wants != Elsewhere(0):
            happened += here.take()
        assert [seen.event for seen in happened] == [seen.event for seen in there.events]
        assert here.views == {0: it.table.view(0)}
        there.run.say("hello", 0)
        there.on()
        here.read_on()
        assert here.take() == (said("hello", 0),)
        while isinstance(here.wants, Elsewhere):
            here.take()
        assert (here.wants, here.table.ranks) == (Ended(), it.table.ranks)


def test_of_people_at_another_keyboard_no_hand_is_seen():
    with closing(begun("rikiki", people=2)) as it:
        Sitting(it).to(PersonToChoose)
        here = Run(sessions.look(it.path))
        assert (here.people, here.wants) == ((), Elsewhere(0))
        assert not any(view.hand or view.legal for view in here.views.values())


def test_who_only_looks_on_at_her_own_session_gives_her_password_first(locked):
    with closing(begun("rikiki")) as it:
        Sitting(it).to(ToKeyboard)
        here = Run(sessions.look(it.path))
        assert here.wants == ToKeyboard(0, "Anna")
        here.give(locked)
        here.sit_down()
        assert here.wants == Elsewhere(0)


def test_nothing_is_told_of_what_cannot_be_kept():
    run = Sitting(begun("gurka")).to(PersonToChoose)
    run.session.close()
    told = list(run.news.notes)
    for change in (lambda: run.say("hello", 0), lambda: run.play(run.views[0].legal[0])):
        with pytest.raises(CardtableError):
            change()
    assert (run.news.notes, run.wants) == (told, PersonToChoose(0))


def test_a_session_gone_on_with_recalls_what_happened_in_its_round():
    it = begun("gurka")
    first = Sitting(it).on(lambda run: run.table.decisions == 5)
    it.close()
    with closing(sessions.resume(it.path)) as again:
        run = Run(again)
        assert (run.wants, run.views, run.news.notes) == (first.wants, first.views, [])
        run.recall()
        assert run.news.notes == first.news.notes
