"""Pictures in the README: up to date with the program."""

from docs import pictures


async def test_readme_pictures_are_up_to_date():
    saved_pictures = {file.stem: file.read_text(encoding="utf-8") for file in pictures.FOLDER.glob("*.svg")}
    drawn_pictures = await pictures.drawn()
    assert {name: pictures.text(svg) for name, svg in saved_pictures.items()} == {
        name: pictures.text(svg) for name, svg in drawn_pictures.items()
    }
    assert not [name for name, svg in saved_pictures.items() if "url" in svg or "https" in svg]
