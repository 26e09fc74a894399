"""The program on the screen from its first picture to its end, however that comes."""

import asyncio
import gc

from cardtable.pipes.threads import reuse_threads
from cardtable.store.errors import NotKept
from cardtable.store.sessions import Session
from cardtable.store.settings import Flags
from cardtable.ui.app import ROBOTS_START, CardtableApp
from cardtable.ui.settings.preferences import Preferences
from cardtable.ui.terminal import facts, signals


def run(
    session: Session | None = None, flags: Flags | None = None, page: tuple[str, *tuple[object, ...]] | None = None
) -> None:
    """Open the program: at the picker, at the table of ``session``, or at a page with what it is about.

    Raises ``SystemExit`` if it ended in any other way than by leaving it, ``NotKept``, and what was a fault of it.
    """
    flags = flags or Flags()
    flags = flags._replace(ascii=flags.ascii or facts.ascii_only())
    app = CardtableApp(Preferences.load(flags, few_colours=facts.few_colours()), session, page)
    fault = None
    try:
        asyncio.run(_run(app))
    except Exception as error:
        fault = error
    fault = app.fault or fault
    if not_kept := [line for line in (*app.room.leaving.end(), app.preferences.save_rest()) if line]:
        raise NotKept(not_kept) from fault
    if fault:
        raise fault
    if app.return_code:
        raise SystemExit(app.return_code)


async def _run(app: CardtableApp) -> None:
    signals.end_when_asked(lambda code: app.exit(return_code=code), app.room.leaving.keep_elsewhere)
    reuse_threads()
    asyncio.get_running_loop().call_later(ROBOTS_START, gc.enable)
    await app.run_async(mouse=app.preferences.mouse)
