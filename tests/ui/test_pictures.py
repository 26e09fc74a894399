"""Pictures in the README: up to date with the program."""

from docs import pictures


async def test_readme_pictures_are_up_to_date():
    kept = {file.stem: file.read_text(encoding="utf-8") for file in pictures.FOLDER.glob("*.svg")}
    made = await pictures.drawn()
    assert {name: pictures.text(svg) for name, svg in kept.items()} == {
        name: pictures.text(svg) for name, svg in made.items()
    }
    assert not [name for name, svg in kept.items() if "url" in svg or "https" in svg]
