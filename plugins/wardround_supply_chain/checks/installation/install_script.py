from __future__ import annotations

from wardround.rules.cases import change
from wardround.rules.maturity import Maturity
from wardround_supply_chain.check import SupplyChainCheck

_SCRIPTS = frozenset({"preinstall", "install", "postinstall"})


class InstallScript(SupplyChainCheck):
    """A change adds or alters code that runs as soon as somebody installs the project.

    It runs on developer machines and in CI, with their credentials, before any review of the installed files.
    Do the work in a script that people call, or in the build.

    Reported are ``preinstall``, ``install`` and ``postinstall`` of package.json, binding.gyp, ``.pth`` files
    and ``sitecustomize.py``. ``prepare`` is not reported: packages from a registry do not run it.
    """

    ID = "SC003"
    NAME = "install-script"
    DEFECT_CLASS = "install-script"
    MATURITY = Maturity.PREVIEW
    PATHS = ("package.json", "binding.gyp", ".pth", "customize.py")
    VALID = [
        change(
            {"package.json": ('{"scripts": {}}\n', '{"scripts": {"build": "tsc", "prepare": "husky"}}\n')}
        ),
        change(
            {
                "package.json": (
                    '{"scripts": {"postinstall": "node a.js"}}\n',
                    '{"scripts": {"postinstall": "node a.js", "test": "b"}}\n',
                )
            }
        ),
    ]
    INVALID = [
        change({"package.json": ('{"scripts": {}}\n', '«{"scripts": {"postinstall": "node a.js"}}»\n')}),
        change({"src/a.pth": (None, "«import os»\n")}),
    ]

    def run(self) -> None:
        for note in self.notes().installs:
            is_file = note.kind in ("script", "setup") and not note.file.endswith(
                ("package.json", "setup.py")
            )
            if is_file or (note.kind == "script" and note.name in _SCRIPTS):
                self.report_line(
                    note.file, note.line, f"{note.name} runs at each installation: {note.reason}"
                )
