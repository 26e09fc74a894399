"""Settings that a key of the table changes: each time to the next value."""

from cardtable.ui.draw.layout import fitting
from cardtable.ui.settings.catalogue import SETTINGS
from cardtable.ui.settings.preferences import Preferences


def turn(preferences: Preferences, name: str, size: tuple[int, int]) -> str:
    """Take the next value on a terminal of this size; what is in force now."""
    setting, now = SETTINGS[name], getattr(preferences.settings, name)
    largest = ""
    if name == "card_size":
        largest, *smaller = fitting(*size)
        setting = setting._replace(values=("auto", *smaller))
        now = now if now in smaller else "auto"
    value = setting.after(now, 1)
    preferences.change(**{name: value})
    said = f"{setting.label}: {setting.told(value)}"
    return f"{said}, here {setting.told(largest)}" if value == "auto" else said
