"""Build hook that compiles the modules listed in ``pyproject.toml`` with mypyc, if ``CARDTABLE_COMPILE=1`` asks for it.

Without the variable the hook does nothing, and the wheel is pure Python. With it the wheel holds the same Python files
and, beside the listed ones, extension modules made from them, which Python prefers. It is for one platform and one
version of Python.
"""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GROUP = "cardtable"
"""Prefix of the name of the library that all compiled modules share."""


class CompileHook(BuildHookInterface[Any]):
    """Adds compiled modules to a wheel; its configuration has the lists ``modules`` and ``requires``."""

    def dependencies(self) -> list[str]:
        """Return what a build needs beside hatchling."""
        return list(self.config["requires"]) if _is_requested() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the modules into a temporary folder, and have them taken into the wheel."""
        if not _is_requested():
            return
        if version == "editable":
            self.app.abort("an editable installation is always plain Python: leave out --editable or CARDTABLE_COMPILE")
        self._folder = tempfile.mkdtemp()
        for file in compile_modules(self.config["modules"], Path(self._folder)):
            build_data["force_include"][str(file)] = file.relative_to(Path(self._folder, "lib")).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the temporary folder."""
        if _is_requested():
            shutil.rmtree(self._folder)


def _is_requested() -> bool:
    return os.environ.get("CARDTABLE_COMPILE", "") not in ("", "0")


def compile_modules(modules: list[str], folder: Path) -> list[Path]:
    """Compile modules, given as paths from the current folder, and return the extension modules in ``folder / "lib"``.

    Each module becomes a file of C of its own, since a compiler needs far longer for a single large file.
    """
    from mypyc.build import mypycify  # noqa: PLC0415 - installed only if it is needed
    from setuptools import Distribution  # noqa: PLC0415

    extensions = mypycify(
        ["--config-file=pyproject.toml", *modules],
        opt_level="2",
        debug_level="0",
        multi_file=True,
        group_name=GROUP,
        target_dir=str(folder / "c"),
    )
    command = Distribution({"name": GROUP, "ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "objects")
    command.parallel = os.cpu_count()
    command.ensure_finalized()
    command.run()
    return sorted(file for file in (folder / "lib").rglob("*") if file.is_file())
