"""The view state of the table, which is replaced by calls that name its fields."""

import ast
import re
from pathlib import Path

from cardtable import ui
from cardtable.ui.table.model.view_model import TableFrame

CHANGE = re.compile(r"(view_model|^model|^self)\.(update|show)$")


def iter_changed_fields(path):
    """Yield the fields that a module changes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and CHANGE.search(ast.unparse(node.func)):
            yield from (keyword.arg for keyword in node.keywords if keyword.arg)


def test_changes_name_fields_of_the_view_state():
    changed = {field for path in Path(ui.__file__).parent.rglob("*.py") for field in iter_changed_fields(path)}
    assert changed <= {*TableFrame.__struct_fields__}
    assert len(changed) > 20
