"""An app with one page of ratings or statistics, computed in this process."""

from textual.app import App

from cardtable.records.aggregation import aggregate
from cardtable.ui.toolkit.context import StatisticsWorker
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.painting.svg import build_filters
from cardtable.ui.toolkit.preferences import Preferences
from tests.records.archive_sessions import archive_random_session
from tests.ui.recording_context import RecordingContext

DAY = 86_400
START = 1_790_000_000
"""A day in September 2026, at about noon."""


class InProcessStatistics(StatisticsWorker):
    """Statistics client that computes in this process."""

    async def compute_records(self, tell):
        for progress in aggregate():
            self.records = progress.records or self.records
            tell(progress)


class PageApp(App):
    """An app that shows one page, created from the context, and records requests for other pages."""

    def __init__(self, page, *about, me="Anna", statistics_client=None, **settings):
        super().__init__()
        self.preferences = Preferences.load()
        if settings:
            self.preferences.change(**settings)
        self.context = RecordingContext(
            self, self.preferences, statistics_client=statistics_client or InProcessStatistics(), me=me
        )
        self.requests = self.context.requests
        self.page = PageScreen(page(self.context, *about))

    def on_mount(self):
        self.push_screen(self.page)

    def get_line_filters(self):
        return build_filters(self.preferences.render_options)


def write_sample_sessions():
    """Write sessions of half a year: Ten Down at changing tables, King and Rikiki, Rummy with a guest."""
    people = ("Anna", "Tom", "Lea", "Ida", "Pit")
    for number in range(24):
        occupants = [people[(number + seat * seat) % 5] for seat in range(2)]
        levels = ["expert", "novice"] if number % 3 else ["steady", "steady"]
        seats = " ".join([*dict.fromkeys(occupants), *levels])
        archive_random_session("ten_down", seats, id_=f"t{number}", seed=number, ended=START + 7 * DAY * number, room=5)
    for number in range(3):
        archive_random_session(
            "king", "Anna Tom random random", id_=f"k{number}", seed=number, ended=START + DAY * number
        )
        archive_random_session(
            "rikiki", "Anna steady Guest Lea", id_=f"r{number}", seed=number, ended=START + DAY * number, length="short"
        )
        archive_random_session("rummy", "Guest novice", id_=f"u{number}", seed=number, ended=START + DAY * number)
    archive_random_session("rikiki", "Anna steady steady steady", id_="given", ended=START + 9 * DAY, rounds=3)
