from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import partial

from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import change
from wardround.rules.maturity import Maturity
from wardround_contract.analysis.text_search import TextSearch
from wardround_contract.analysis.uses import NOT_MAINTAINED, RemainingUse
from wardround_contract.check import BrokenUseCheck

_STYLES = (".css", ".scss", ".less")
_SELECTOR = LazyPattern(r"\.(-?[A-Za-z_][\w-]*)(?=[^;{}]*\{)")
_COMMENT = LazyPattern(r"(?s)/\*.*?\*/|//[^\n]*|url\([^)]*\)|['\"][^'\"\n]*['\"]")
_MARKUP = ("*.tsx", "*.jsx", "*.ts", "*.js", "*.html", "*.vue", "*.svelte")
_SHEETS = ("*.css", "*.scss", "*.less", "*.vue", "*.svelte")
_SCRIPTS = ("*.js", "*.ts", "*.mjs", "*.html")
"""Files whose selectors make a class the name of an element for a program."""
_FOREIGN = re.compile(
    r"(?i)^(btn|col|row|nav|modal|dropdown|form|table|text|bg|ant|mui|fa|glyphicon|input|panel|alert|badge|card"
    r"|container|tooltip|popover|label|icon|active|open|show|hide|in|fade|page|sidebar)(-|$)"
)
_LEAST_LENGTH = 5
_MOST_CLASSES = 40


class RemovedStyleClassInUse(BrokenUseCheck):
    """A class is removed from the stylesheets of the repository, and markup still uses it.

    The element loses its style without an error. Change the class in the same commit.

    A class counts if no stylesheet of the repository defines it any more; a class of a CSS module, if a file
    that imports the module reads it. Names that common libraries have, and names that scripts select, are
    skipped.
    """

    ID = "CT008"
    NAME = "removed-style-class-in-use"
    DEFECT_CLASS = "removed-style-class-in-use"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    PATHS = _STYLES
    VALID = [
        change(
            {"src/menu.css": (".menu-entry { color: red }\n", ".menu-item { color: red }\n")},
            others={
                "src/other.css": ".menu-entry { margin: 0 }\n",
                "src/Menu.tsx": """
                export const Menu = () => <p className="menu-entry">a</p>
                """,
            },
        ),
        change(
            {"src/Menu.module.css": (".entry { color: red }\n", ".item { color: red }\n")},
            others={
                "src/Menu.tsx": """
                import styles from "./Menu.module.css"

                export const Menu = () => <p className={styles.item}>a</p>
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {"src/menu.css": (".menu-entry { color: red }\n", "«.menu-item { color: red }»\n")},
            others={
                "src/Menu.tsx": """
                export const Menu = () => <p className="menu-entry">a</p>
                """,
            },
        ),
        change(
            {"src/Menu.module.css": (".entry { color: red }\n", "«.item { color: red }»\n")},
            others={
                "src/Menu.tsx": """
                import styles from "./Menu.module.css"

                export const Menu = () => <p className={styles.entry}>a</p>
                """,
            },
        ),
    ]

    def run(self) -> None:
        self._search = TextSearch(self.change)
        for file in self.change.files:
            if file.path.endswith(_STYLES) and file.base_text is not None and file.text is not None:
                self._inspect(file, file.base_text, file.text)

    def _inspect(self, file: ChangedFileView, base: str, head: str) -> None:
        if NOT_MAINTAINED.search(file.path) or "&-" in head or "&_" in head:
            return
        remaining = _classes(head)
        removed = [(line, name) for name, line in _classes(base).items() if name not in remaining]
        if len(removed) > _MOST_CLASSES:
            return
        uses_of, severity = self._plain_uses, Severity.INFO
        if ".module." in file.path:
            uses_of, severity = partial(self._module_uses, file.path), Severity.WARN
        for line, name in sorted(removed, key=lambda entry: entry[0]):
            uses = list(uses_of(name))
            if uses:
                self.report_removed_definition(file, line, f"class `.{name}` is removed", uses, severity)

    def _module_uses(self, path: str, name: str) -> Iterator[RemainingUse]:
        sheet = posixpath.basename(path)
        for user in self._search.files([sheet], _MARKUP):
            text = self._search.text(user)
            found = re.search(
                rf"import\s+(?:\*\s+as\s+)?(\w+)\s+from\s+['\"]([^'\"]*{re.escape(sheet)})['\"]", text
            )
            if found is None or not _leads_to(user, found[2], path):
                continue
            read = re.compile(
                rf"\b{found[1]}(?:\.{re.escape(name)}(?![\w-])|\[['\"]{re.escape(name)}['\"]\])"
            )
            for line in self._search.lines_of(user, read):
                yield RemainingUse(line.path, line.number)

    def _plain_uses(self, name: str) -> Iterator[RemainingUse]:
        is_own = len(name) >= _LEAST_LENGTH and ("-" in name or "_" in name) and not _FOREIGN.match(name)
        if not is_own or self._search.has(re.compile(rf"\.{re.escape(name)}(?![\w-])"), [name], _SHEETS):
            return
        hook = re.compile(
            rf"['\"`][^'\"`\n]*\.{re.escape(name)}(?![\w-])|\w*[cC]lass\w*(?:\.\w+)?\(['\"]{re.escape(name)}['\"]"
        )
        if self._search.has(hook, [name], _SCRIPTS):
            return
        used = re.compile(
            rf"class(?:Name)?\s*=\s*(?:\"[^\"]*|'[^']*|\{{[^}}\n]*['\"`][^'\"`\n]*)(?<![\w-]){re.escape(name)}(?![\w-])"
        )
        for path in self._search.files([name], _MARKUP):
            for line in self._search.lines_of(path, used):
                yield RemainingUse(line.path, line.number)


def _classes(text: str) -> dict[str, int]:
    """Return the classes of the selectors of a stylesheet with their lines."""
    plain = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    found: dict[str, int] = {}
    for match in _SELECTOR.finditer(plain):
        found.setdefault(match[1], plain.count("\n", 0, match.start()) + 1)
    return found


def _leads_to(user: str, module: str, path: str) -> bool:
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(user), module))
    return joined == path if module.startswith(".") else path.endswith(module.lstrip("@~/"))
