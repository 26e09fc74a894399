"""Desktop entry, icon and AppStream file: they agree with each other and with the program."""

import configparser
import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from cardtable.games import GAMES, KEYS

ROOT = Path(__file__).parent.parent
SHARE = ROOT / "packaging/share"
ID = "io.github.cardtable.cardtable"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAIN_CATEGORIES = {"AudioVideo", "Development", "Education", "Game", "Graphics", "Network", "Office", "Utility"}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def entry():
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # the keys of desktop entries are case-sensitive
    parser.read_string((SHARE / f"applications/{ID}.desktop").read_text(encoding="utf-8"))
    assert parser.sections() == ["Desktop Entry"]
    return parser["Desktop Entry"]


@pytest.fixture
def component():
    return ET.parse(SHARE / f"metainfo/{ID}.metainfo.xml").getroot()


def test_files_are_where_desktops_look_for_them():
    assert sorted(path.relative_to(SHARE).as_posix() for path in SHARE.rglob("*") if path.is_file()) == [
        f"applications/{ID}.desktop",
        f"icons/hicolor/scalable/apps/{ID}.svg",
        "man/man1/cardtable.1",
        f"metainfo/{ID}.metainfo.xml",
    ]
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"] == {"packaging/share": "share"}


def test_desktop_entry_starts_the_program_in_a_terminal(entry):
    assert set(entry) == {
        "Type", "Name", "GenericName", "Comment", "Exec", "TryExec", "Terminal", "Icon", "Categories", "Keywords",
    }  # fmt: skip
    assert (entry["Type"], entry["Terminal"], entry["Icon"]) == ("Application", "true", ID)
    assert entry["Exec"] == entry["TryExec"]
    assert entry["Exec"] in PROJECT["project"]["scripts"]
    for key in ("Categories", "Keywords"):
        assert re.fullmatch(r"([\w -]+;)+", entry[key])
    # menus show an entry with two main categories twice
    assert [name for name in entry["Categories"].split(";") if name in MAIN_CATEGORIES] == ["Game"]


def test_metainfo_has_the_required_parts(component):
    assert (component.tag, component.attrib) == ("component", {"type": "desktop-application"})
    for tag in ("id", "metadata_license", "project_license", "name", "summary", "description", "launchable"):
        assert component.find(tag) is not None, tag
    assert len({child.tag for child in component}) == len(component)
    summary = component.findtext("summary")
    assert len(summary) <= 80
    assert not summary.endswith(".")
    paragraphs = component.find("description")
    assert {part.tag for part in paragraphs} <= {"p", "ul", "ol"}
    assert all("".join(part.itertext()).strip() for part in paragraphs)


def test_metainfo_agrees_with_the_desktop_entry(component, entry):
    launchable = component.find("launchable")
    assert (launchable.get("type"), launchable.text) == ("desktop-id", f"{ID}.desktop")
    assert component.findtext("id") == component.findtext("icon") == ID
    assert component.findtext("name") == entry["Name"]
    assert component.findtext("provides/binary") == entry["Exec"]
    assert [each.text for each in component.findall("categories/category")] == [
        name for name in entry["Categories"].split(";") if name not in ("", "ConsoleOnly")
    ]


def test_metainfo_agrees_with_the_package(component):
    project = PROJECT["project"]
    assert component.findtext("project_license") == project["license"]
    assert component.findtext("developer/name") == project["authors"][0]["name"]
    text = " ".join(component.find("description").itertext())
    assert [key for key in KEYS if GAMES[key].about.title not in text] == []


def test_icon_is_square_and_draws_by_itself():
    icon = ET.parse(SHARE / f"icons/hicolor/scalable/apps/{ID}.svg").getroot()
    assert icon.tag == f"{SVG}svg"
    assert icon.get("viewBox") == f"0 0 {icon.get('width')} {icon.get('height')}"
    assert icon.get("width") == icon.get("height")
    assert icon.findtext(f"{SVG}title") == "cardtable"
    # nothing that a renderer would have to load, and no letters that need a font
    assert {each.tag.removeprefix(SVG) for each in icon.iter()} == {"svg", "title", "g", "rect", "path"}
