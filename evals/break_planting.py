"""Breaks for ``planted_breaks.py``: a definition is changed, its uses in other files stay as they are.

Candidates are found by syntax trees of the standard library and by text, independently of the code graph that the
checks use: a definition counts if its name is defined once in the repository and another file uses it.
"""

from __future__ import annotations

import ast
import json
import posixpath
import random
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

_SOURCES = (".py", ".ts", ".tsx", ".js", ".jsx", ".mjs")
_SKIPPED = re.compile(
    r"(^|/)(node_modules|vendor|dist|build|fixtures|migrations|docs?|examples?|locale|__snapshots__|integrations|codemods)/"
    r"|\.min\.|\.d\.ts$|(^|/)tests?/|test_|\.test\.|\.spec\.|conftest"
)
_LONGEST = 200_000


@dataclass(frozen=True)
class Break:
    """A planted break.

    Attributes:
        edits: path -> the new text; None deletes the file.
        name: the removed or changed name, as a message has to contain it.
        uses: the files that are broken.
    """

    kind: str
    language: str
    name: str
    edits: dict[str, str | None]
    uses: tuple[str, ...]


@dataclass
class Checkout:
    """The texts of a work tree."""

    root: Path
    texts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Path) -> Checkout:
        out = subprocess.run(
            ["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=True
        )
        texts = {}
        for name in out.stdout.split("\0"):
            path = root / name
            try:
                if name and path.is_file() and not path.is_symlink() and path.stat().st_size < _LONGEST:
                    texts[name] = path.read_text("utf-8")
            except UnicodeDecodeError:
                continue
        return cls(root, texts)

    def sources(self, *endings: str) -> dict[str, str]:
        return {p: t for p, t in self.texts.items() if p.endswith(endings) and not _SKIPPED.search(p)}

    def users(self, pattern: str, endings: tuple[str, ...], without: str, word: str = "") -> tuple[str, ...]:
        """Return the other files that match a pattern; those without a word are not searched."""
        found = re.compile(pattern)
        words = [one for one in re.findall(r"\w+", word) if one]
        paths = self._by_word.get(max(words, key=len), set()) if words else self.texts
        return tuple(
            sorted(p for p in paths if p != without and p.endswith(endings) and found.search(self.texts[p]))
        )

    @cached_property
    def _by_word(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path, text in self.texts.items():
            for word in set(re.findall(r"\w+", text)):
                found[word].add(path)
        return found


Planter = Callable[[Checkout], Iterator[Break]]


def _replaced(text: str, line: int, old: str, new: str) -> str | None:
    lines = text.split("\n")
    changed = re.sub(rf"\b{re.escape(old)}\b", new, lines[line - 1], count=1)
    if changed == lines[line - 1]:
        return None
    lines[line - 1] = changed
    return "\n".join(lines)


def _without(text: str, first: int, last: int) -> str:
    lines = text.split("\n")
    return "\n".join(lines[: first - 1] + lines[last:])


# Python


def _trees(checkout: Checkout) -> dict[str, ast.Module]:
    found = {}
    for path, text in checkout.sources(".py").items():
        try:
            found[path] = ast.parse(text)
        except SyntaxError:
            continue
    return found


def _defined(checkout: Checkout) -> Counter[str]:
    """Count the definitions, assignments and attributes of each name in all Python files."""
    found: Counter[str] = Counter()
    for path, text in checkout.texts.items():
        if path.endswith(".py"):
            found.update(
                re.findall(r"(?m)\b(?:def|class)\s+(\w+)|^\s*(?:self\.)?(\w+)\s*(?::[^=\n]+)?=(?!=)", text)
                and [
                    a or b
                    for a, b in re.findall(
                        r"(?m)\b(?:def|class)\s+(\w+)|^\s*(?:self\.)?(\w+)\s*(?::[^=\n]+)?=(?!=)", text
                    )
                ]
            )
    return found


def python_definitions(checkout: Checkout) -> Iterator[Break]:
    """Rename or delete functions, classes and methods; narrow signatures; return another number of values."""
    defined = _defined(checkout)
    for path, tree in _trees(checkout).items():
        text = checkout.texts[path]
        for owner, node in _nodes(tree):
            name = node.name
            if (
                len(name) < 5
                or name.startswith("__")
                or defined[name] != 1
                or f'"{name}"' in text
                or f"'{name}'" in text
            ):
                continue
            if owner is None:
                yield from _python_top(checkout, path, text, node)
            elif not isinstance(node, ast.ClassDef):
                yield from _python_member(checkout, path, text, owner, node)


def _nodes(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | None, ast.FunctionDef | ast.ClassDef]]:
    for one in tree.body:
        if isinstance(one, ast.FunctionDef | ast.ClassDef):
            yield None, one
        if isinstance(one, ast.ClassDef):
            for inner in one.body:
                if isinstance(inner, ast.FunctionDef):
                    yield one, inner


def _first_line(node: ast.FunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _python_top(
    checkout: Checkout, path: str, text: str, node: ast.FunctionDef | ast.ClassDef
) -> Iterator[Break]:
    name = node.name
    uses = checkout.users(
        rf"(?m)^\s*from\s+[\w.]+\s+import\s+(?:\([^)]*|[^\n(]*)\b{name}\b", (".py",), path, name
    )
    if not uses:
        return
    kind = "class" if isinstance(node, ast.ClassDef) else "function"
    renamed = _replaced(text, node.lineno, name, f"{name}_v2" if kind == "function" else f"{name}V2")
    if renamed is not None and len(re.findall(rf"\b{name}\b", text)) == 1:
        yield Break(f"rename {kind}", "python", name, {path: renamed}, uses)
        yield Break(
            f"delete {kind}",
            "python",
            name,
            {path: _without(text, _first_line(node), node.end_lineno or 0)},
            uses,
        )
    if isinstance(node, ast.FunctionDef):
        yield from _narrowed(checkout, path, text, node, rf"(?<![\w.]){name}\(", uses)


def _python_member(
    checkout: Checkout, path: str, text: str, owner: ast.ClassDef, node: ast.FunctionDef
) -> Iterator[Break]:
    name = node.name
    uses = checkout.users(rf"\.{name}\b", (".py",), path, name)
    if not uses:
        return
    is_property = any("property" in ast.unparse(one) for one in node.decorator_list)
    if not [one for one in node.decorator_list if not is_property]:
        renamed = _replaced(text, node.lineno, name, f"{name}_v2")
        if renamed is not None:
            yield Break("rename method", "python", name, {path: renamed}, uses)
            yield Break(
                "delete method",
                "python",
                name,
                {path: _without(text, _first_line(node), node.end_lineno or 0)},
                uses,
            )
    if not node.decorator_list:
        yield from _narrowed(checkout, path, text, node, rf"\.{name}\(", uses)


def _narrowed(
    checkout: Checkout, path: str, text: str, node: ast.FunctionDef, called: str, uses: tuple[str, ...]
) -> Iterator[Break]:
    """New required parameter, and removal or renaming of one that is passed by keyword."""
    args = node.args
    if (
        node.decorator_list
        or args.vararg
        or args.kwarg
        or args.posonlyargs
        or node.body[0].lineno == node.lineno
    ):
        return
    callers = tuple(one for one in uses if re.search(called + r"(?![^()\n]*\*)", checkout.texts[one]))
    header_end = node.body[0].lineno - 1
    header = "\n".join(text.split("\n")[node.lineno - 1 : header_end])
    if callers and not args.kwonlyargs and header.count("(") == header.count(")") == 1 and not args.defaults:
        changed = re.sub(r",?\s*\)", lambda m: ", region)" if args.args else "region)", header, count=1)
        yield Break(
            "new required parameter", "python", node.name, {path: text.replace(header, changed, 1)}, callers
        )
    for one in (*args.args, *args.kwonlyargs):
        by_keyword = tuple(
            u for u in callers
            if re.search(called + rf"[^()]*\b{one.arg}\s*=(?!=)", checkout.texts[u])
        )  # fmt: skip
        if by_keyword and len(one.arg) > 2:
            renamed = re.sub(rf"\b{one.arg}\b", f"{one.arg}_value", header, count=1)
            yield Break(
                "rename keyword parameter",
                "python",
                node.name,
                {path: text.replace(header, renamed, 1)},
                by_keyword,
            )
            break


def python_modules(checkout: Checkout) -> Iterator[Break]:
    """Move modules that others import."""
    for path, text in checkout.sources(".py").items():
        stem = posixpath.basename(path).removesuffix(".py")
        if stem.startswith("__") or len(stem) < 5 or stem in ("settings", "manage", "setup"):
            continue
        parent = posixpath.basename(posixpath.dirname(path))
        uses = checkout.users(rf"(?m)^\s*from\s+[\w.]*\b{parent}\.{stem}\s+import\b", (".py",), path, stem)
        if uses and parent:
            new = posixpath.join(posixpath.dirname(path), f"{stem}_core.py")
            yield Break("move module", "python", stem, {path: None, new: text}, uses)


def python_names(checkout: Checkout) -> Iterator[Break]:
    """Rename settings, URL names, environment variables and attributes of classes."""
    for path, text in checkout.texts.items():
        if not path.endswith(".py") or _SKIPPED.search(path):
            continue
        if re.search(r"(^|/)settings(/\w+)?\.py$", path):
            for match in re.finditer(r"(?m)^([A-Z][A-Z_]{5,})\s*=", text):
                name = match[1]
                uses = checkout.users(rf"\bsettings\.{name}\b", (".py",), path, name)
                is_only = not checkout.users(rf"(?m)^\s*{name}\s*=|['\"]{name}['\"]", (".py",), path, name)
                if uses and is_only and text.count(name) == 1:
                    yield Break(
                        "rename setting", "python", name, {path: text.replace(name, f"{name}_V2")}, uses
                    )
        for match in re.finditer(r"\bname=\"([\w-]+)\"", text) if "urls" in path else ():
            name = match[1]
            uses = checkout.users(
                rf"(?:\burl\s+|reverse\(|redirect\()['\"](?:\w+:)?{name}['\"]", (".py", ".html"), path, name
            )
            if uses and text.count(f'name="{name}"') == 1 and len(name) > 4:
                changed = text.replace(f'name="{name}"', f'name="{name}-v2"')
                yield Break("rename route", "python", name, {path: changed}, uses)
        for match in re.finditer(
            r"(?:os\.environ\.get\(|os\.getenv\(|os\.environ\[)[\"']([A-Z][A-Z_]{5,})[\"']", text
        ):
            name = match[1]
            uses = checkout.users(
                rf"\b{name}\s*[:=]", (".yml", ".yaml", ".env", ".sh", "Dockerfile"), path, name
            )
            if uses and text.count(name) == 1 and not checkout.users(rf"\b{name}\b", _SOURCES, path, name):
                yield Break(
                    "rename environment variable",
                    "python",
                    name,
                    {path: text.replace(name, f"{name}_V2")},
                    uses,
                )
    yield from _enum_members(checkout)


def _enum_members(checkout: Checkout) -> Iterator[Break]:
    defined = _defined(checkout)
    for path, tree in _trees(checkout).items():
        text = checkout.texts[path]
        for node in tree.body:
            if not isinstance(node, ast.ClassDef):
                continue
            for one in node.body:
                if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                    name = one.targets[0].id
                    if len(name) < 5 or defined[name] != 1 or text.count(name) != 1:
                        continue
                    uses = checkout.users(rf"\b{node.name}\.{name}\b", (".py",), path, name)
                    changed = _replaced(text, one.lineno, name, f"{name}_V2")
                    if uses and changed is not None:
                        yield Break("rename attribute", "python", name, {path: changed}, uses)


def python_fields(checkout: Checkout) -> Iterator[Break]:
    """Rename fields of Django's models that queries in other files name."""
    defined = _defined(checkout)
    for path, text in checkout.sources(".py").items():
        if not path.endswith("models.py") and "/models/" not in path:
            continue
        for match in re.finditer(r"(?m)^    ([a-z]\w{4,}) = models\.\w+\(", text):
            name = match[1]
            if defined[name] == 1 and len(re.findall(rf"\b{name}\b", text)) == 1:
                called = rf"\b(?:filter|exclude|order_by|values_list|values|only|update|F)\([^)\n]*\b{name}(?:__\w+)?\b"
                uses = checkout.users(called, (".py",), path, name)
                changed = text[: match.start(1)] + f"{name}_v2" + text[match.end(1) :]
                if uses:
                    yield Break("rename field", "python", name, {path: changed}, uses)


# TypeScript


_EXPORT = re.compile(
    r"(?m)^export\s+(?:default\s+)?(?:async\s+)?(function|const|class|type|interface|enum)\s+(\w+)"
)


def script_exports(checkout: Checkout) -> Iterator[Break]:
    """Rename or delete exports, narrow signatures and change props."""
    everything = "\n".join(checkout.sources(".ts", ".tsx", ".js", ".jsx").values())
    counts = Counter(name for _, name in _EXPORT.findall(everything))
    for path, text in checkout.sources(".ts", ".tsx", ".js", ".jsx").items():
        for match in _EXPORT.finditer(text):
            kind, name = match[1], match[2]
            if counts[name] != 1 or len(name) < 5 or "default" in match[0]:
                continue
            uses = checkout.users(
                rf"import\s+(?:type\s+)?\{{[^}}]*\b{name}\b[^}}]*\}}\s*from",
                (".ts", ".tsx", ".js", ".jsx"),
                path,
                name,
            )
            if not uses:
                continue
            if text.count(name) == 1:
                changed = text[: match.start(2)] + f"{name}V2" + text[match.end(2) :]
                yield Break(f"rename {kind}", "typescript", name, {path: changed}, uses)
            yield from _script_narrowed(checkout, path, text, match, uses)


def _script_narrowed(
    checkout: Checkout, path: str, text: str, match: re.Match[str], uses: tuple[str, ...]
) -> Iterator[Break]:
    name = match[2]
    if not path.endswith((".ts", ".tsx")) or match[1] not in ("function", "const"):
        return
    header = re.compile(rf"(?:function\s+{name}\s*|const\s+{name}\s*=\s*(?:async\s*)?)\(([^()]*)\)").search(
        text, match.start()
    )
    if header is not None and header.start() - match.start() < 80:
        inner = header[1].strip()
        called = tuple(u for u in uses if re.search(rf"(?<![\w.]){name}\(", checkout.texts[u]))
        if called and "?" not in inner and "=" not in inner and "{" not in inner and "..." not in inner:
            new = f"{inner.rstrip(',')}, region: string" if inner else "region: string"
            changed = text[: header.start(1)] + new + text[header.end(1) :]
            yield Break("new required parameter", "typescript", name, {path: changed}, called)
    yield from _props(checkout, path, text, name, uses)


def _props(checkout: Checkout, path: str, text: str, name: str, uses: tuple[str, ...]) -> Iterator[Break]:
    if not name[:1].isupper() or not path.endswith(".tsx"):
        return
    declared = re.search(
        r"(?m)^(?:export\s+)?(?:type|interface)\s+(\w*Props)\b\s*=?\s*\{\n((?:  .*\n)+)\}", text
    )
    if declared is None or not re.search(rf"\b{name}\b[^\n]*\n?[^;]{{0,400}}:\s*{declared[1]}\b", text):
        return
    for prop in re.finditer(r"(?m)^  (\w+)\??:\s*[\w\[\]|. ]+;?\n", declared[2]):
        passed = tuple(
            u for u in uses if re.search(rf"<{name}\b(?:[^<>]|=>)*?\b{prop[1]}=", checkout.texts[u])
        )
        if passed and len(prop[1]) > 2:
            body = re.sub(rf"\b{prop[1]}\b", f"{prop[1]}Value", text)
            yield Break("rename prop", "typescript", name, {path: body}, passed)
            break
    rendered = tuple(u for u in uses if re.search(rf"<{name}\b", checkout.texts[u]))
    if rendered:
        at = declared.start(2)
        yield Break(
            "new required prop",
            "typescript",
            name,
            {path: f"{text[:at]}  region: string;\n{text[at:]}"},
            rendered,
        )


def script_modules(checkout: Checkout) -> Iterator[Break]:
    """Move modules that others import by a relative path."""
    for path, text in checkout.sources(".ts", ".tsx").items():
        stem, ending = posixpath.splitext(posixpath.basename(path))
        if len(stem) < 5 or "." in stem or stem in ("index", "types", "utils"):
            continue
        uses = tuple(
            u for u in checkout.users(rf"from\s+['\"]\./{re.escape(stem)}['\"]", (".ts", ".tsx"), path, stem)
            if posixpath.dirname(u) == posixpath.dirname(path)
        )  # fmt: skip
        if uses:
            new = posixpath.join(posixpath.dirname(path), f"{stem}-core{ending}")
            yield Break("move module", "typescript", stem, {path: None, new: text}, uses)


def script_members(checkout: Checkout) -> Iterator[Break]:
    """Rename methods of classes and members of enums."""
    texts = checkout.sources(".ts", ".tsx")
    everything = "\n".join(texts.values())
    for path, text in texts.items():
        for match in re.finditer(r"(?m)^  (?:async )?([a-z]\w{5,})\([^)]*\)(?::[^{\n]+)? \{$", text):
            name = match[1]
            if (
                len(
                    re.findall(
                        rf"(?m)^\s*(?:async |public |private |get |set )*{name}[(:?<]|\b(?:function|const) {name}\b|['\"]{name}['\"]",
                        everything,
                    )
                )
                != 1
            ):
                continue
            uses = checkout.users(rf"\.{name}\(", (".ts", ".tsx"), path, name)
            if uses and "class " in text:
                changed = text[: match.start(1)] + f"{name}V2" + text[match.end(1) :]
                yield Break("rename method", "typescript", name, {path: changed}, uses)
        for match in re.finditer(r"(?m)^export (?:const )?enum (\w+) \{\n((?:[^}]*\n))\}", text):
            for member in re.finditer(r"(?m)^  (\w{3,}) = ", match[2]):
                uses = checkout.users(rf"\b{match[1]}\.{member[1]}\b", (".ts", ".tsx"), path, match[1])
                if uses:
                    at = match.start(2) + member.start(1)
                    changed = text[:at] + f"{member[1]}V2" + text[at + len(member[1]) :]
                    yield Break("rename attribute", "typescript", member[1], {path: changed}, uses)


def script_keys(checkout: Checkout) -> Iterator[Break]:
    """Remove routes, messages, style classes and environment variables."""
    for path, text in checkout.texts.items():
        match = re.search(r"(?:^|/)(?:app|pages)/(.*)/(?:route|page)\.tsx?$|(?:^|/)pages/(.*)\.tsx?$", path)
        if match is not None:
            route = "/" + "/".join(p for p in (match[1] or match[2]).split("/") if not p.startswith("("))
            uses = checkout.users(rf"['\"`]{re.escape(route)}['\"`?]", (".ts", ".tsx", ".js"), path, route)
            if uses and "[" not in route and route.count("/") > 1:
                yield Break(
                    "rename route",
                    "typescript",
                    route,
                    {path: None, re.sub(r"/([^/]+/[^/]+)$", r"/v2-\1", path): text},
                    uses,
                )
        if re.search(r"(?:messages|locales?|lang|intl)/.*en[-_\w]*\.json$", path):
            for key in re.findall(r'(?m)^ {2,4}"([\w.-]+)": "', text)[:400]:
                uses = checkout.users(rf"['\"]{re.escape(key)}['\"]", (".ts", ".tsx"), path, key)
                if uses and "." in key and text.count(f'"{key}"') == 1:
                    yield Break(
                        "rename message",
                        "typescript",
                        key,
                        {path: text.replace(f'"{key}"', f'"{key}V2"')},
                        uses,
                    )
        if path.endswith(".module.css"):
            for name in sorted(set(re.findall(r"(?m)^\.([a-zA-Z]{3,})\s*\{", text))):
                sheet = posixpath.basename(path)
                uses = tuple(
                    u
                    for u in checkout.users(rf"styles\.{name}\b", (".tsx", ".jsx", ".js"), path, name)
                    if sheet in checkout.texts[u]
                )
                if uses:
                    changed = re.sub(rf"\.{name}\b", f".{name}V2", text)
                    yield Break("rename style class", "typescript", name, {path: changed}, uses)


# SQL


def dbt_models(checkout: Checkout) -> Iterator[Break]:
    """Rename models, and drop columns of models that others select."""
    models = {posixpath.basename(p)[:-4]: p for p in checkout.texts if p.endswith(".sql") and "models/" in p}
    for name, path in models.items():
        text = checkout.texts[path]
        uses = checkout.users(rf"ref\(['\"]{name}['\"]\)", (".sql",), path, name)
        if uses:
            new = posixpath.join(posixpath.dirname(path), f"{name}_v2.sql")
            yield Break("rename model", "sql", name, {path: None, new: text}, uses)
        for match in re.finditer(r"(?m)\bas (\w{5,}),?$", text):
            named = tuple(u for u in uses if re.search(rf"\b{match[1]}\b", checkout.texts[u]))
            own = any(re.search(rf"\bas {match[1]}\b", checkout.texts[u]) for u in named)
            if named and not own and text.count(match[1]) == 1:
                changed = text[: match.start(1)] + f"{match[1]}_v2" + text[match.end(1) :]
                yield Break("rename column", "sql", match[1], {path: changed}, named)


def sql_columns(checkout: Checkout) -> Iterator[Break]:
    """Drop tables and columns by a migration, of tables that statements in code name."""
    folders = Counter(
        posixpath.dirname(p) for p in checkout.texts if p.endswith(".sql") and "migration" in p.lower()
    )
    created: dict[str, set[str]] = defaultdict(set)
    for path, text in checkout.texts.items():
        if path.endswith(".sql"):
            for match in re.finditer(
                r"(?is)create table (?:if not exists )?[\"`]?(?:\w+[\"`]?\.[\"`]?)?(\w+)[\"`]?\s*\((.*?)\n\s*\)",
                text,
            ):
                created[match[1]] |= set(re.findall(r"(?m)^\s*[\"`]?(\w{4,})[\"`]? [A-Za-z]", match[2]))
    if not folders:
        return
    folder = folders.most_common(1)[0][0]
    if folder and posixpath.basename(folder)[:1].isdigit():
        folder = f"{posixpath.dirname(folder)}/99_v2"
    code = {
        p: t
        for p, t in checkout.texts.items()
        if p.endswith((".py", ".ts", ".tsx", ".js", ".go", ".sql")) and "migration" not in p.lower()
    }
    for table, columns in sorted(created.items()):
        named = {
            p: t
            for p, t in code.items()
            if re.search(rf"(?i)\b(?:from|join|into|update)\s+[\"`]?(?:\w+\.)?{table}\b", t)
        }
        if not named:
            continue
        yield Break(
            "drop table",
            "sql",
            table,
            {f"{folder}/v2_drop.sql": f"DROP TABLE {table};\n"},
            tuple(sorted(named)),
        )
        for column in sorted(columns):
            uses = tuple(
                sorted(p for p, t in named.items()
                       if re.search(rf"(?i)\b(?:from|join|into|update)\s+[\"`]?(?:\w+\.)?{table}\b[^;\"'`]{{0,300}}\b{column}\b|select[^;\"'`]{{0,300}}\b{column}\b[^;\"'`]{{0,300}}from\s+[\"`]?{table}\b", t))
            )  # fmt: skip
            if uses:
                edit = {f"{folder}/v2_drop.sql": f"ALTER TABLE {table} DROP COLUMN {column};\n"}
                yield Break("drop column", "sql", column, edit, uses)


# CI


def ci_files(checkout: Checkout) -> Iterator[Break]:
    """Move files that workflows, images and scripts name; rename targets, scripts, services and inputs."""
    automation = (
        ".yml",
        ".yaml",
        ".sh",
        "Dockerfile",
        "Makefile",
        "package.json",
        ".toml",
        ".cfg",
        "tox.ini",
    )
    for path, text in checkout.texts.items():
        is_file = path.endswith(
            (".sh", ".py", ".txt", ".toml", ".cfg", ".json", ".js", ".conf", ".yml", ".ini")
        )
        if not is_file or posixpath.basename(path) in (
            "package.json",
            "pyproject.toml",
            "setup.py",
            "tsconfig.json",
            "__init__.py",
        ):
            continue
        written = re.escape(path) if "/" in path else rf"(?<![\w./-]){re.escape(path)}"
        uses = checkout.users(
            rf"(?m)^[^#\n]*[\s\"'=]\.?/?{written}(?![\w/])", automation, path, posixpath.basename(path)
        )
        if uses and text:
            ending = posixpath.splitext(path)
            yield Break("move file", "ci", path, {path: None, f"{ending[0]}-v2{ending[1]}": text}, uses)
    yield from _ci_names(checkout)


def _ci_names(checkout: Checkout) -> Iterator[Break]:
    for path, text in checkout.texts.items():
        name = posixpath.basename(path)
        if name == "Makefile":
            for match in re.finditer(r"(?m)^([a-z][\w-]{3,}):", text):
                uses = checkout.users(
                    rf"(?m)^[^#\n]*\bmake {match[1]}\b", (".yml", ".yaml", ".sh"), path, match[1]
                )
                if uses:
                    changed = text[: match.start(1)] + f"{match[1]}-v2" + text[match.end(1) :]
                    yield Break("rename target", "ci", match[1], {path: changed}, uses)
        if path == "package.json":
            for script in json.loads(text).get("scripts", {}):
                uses = checkout.users(
                    rf"\b(?:npm|pnpm|yarn)(?: run)? {re.escape(script)}(?![\w:-])",
                    (".yml", ".yaml", ".sh", "Dockerfile"),
                    path,
                    script,
                )
                others = checkout.users(rf'"{re.escape(script)}":', ("package.json",), path, script)
                if uses and not others and text.count(f'"{script}":') == 1:
                    yield Break(
                        "remove script",
                        "ci",
                        script,
                        {path: text.replace(f'"{script}":', f'"{script}-v2":')},
                        uses,
                    )
        if re.search(r"compose[\w.-]*\.ya?ml$", path):
            services = re.search(r"(?m)^services:\n((?: .*\n|\n|#.*\n)+)", text)
            for match in re.finditer(
                r"(?m)^  ([a-z][\w-]{3,}):$", text[: services.end()] if services else ""
            ):
                uses = checkout.users(
                    rf"(?:compose|\$dcr?|\$\{{?\w*COMPOSE\w*)[^\n|;&]* (?:run|exec|up|restart)[^\n|;&]* {match[1]}\b",
                    (".sh", ".yml", ".yaml"),
                    path,
                    match[1],
                )
                if uses:
                    changed = text[: match.start(1)] + f"{match[1]}-v2" + text[match.end(1) :]
                    yield Break("rename service", "ci", match[1], {path: changed}, uses)
        if name in ("action.yml", "action.yaml") or "workflow_call" in text:
            yield from _inputs(checkout, path, text)
        if name.startswith(".env"):
            for match in re.finditer(r"(?m)^([A-Z][A-Z_]{4,})=", text):
                uses = checkout.users(
                    rf"\$\{{?{match[1]}\}}?(?![\w:-])", (".yml", ".yaml", ".sh"), path, match[1]
                )
                if uses:
                    changed = text[: match.start(1)] + f"{match[1]}_V2" + text[match.end(1) :]
                    yield Break("rename environment variable", "ci", match[1], {path: changed}, uses)


def _inputs(checkout: Checkout, path: str, text: str) -> Iterator[Break]:
    block = re.search(r"(?m)^( *)inputs:\n((?:\1 +.*\n)+)", text)
    target = path if ".github/workflows" in path else posixpath.dirname(path)
    for match in re.finditer(rf"(?m)^{block[1]}  ([\w-]+):$", block[2]) if block is not None else ():
        uses = checkout.users(
            rf"uses: \.?/?{re.escape(target)}\n(?:[^\n]*\n){{0,12}}?\s+{match[1]}:",
            (".yml", ".yaml"),
            path,
            match[1],
        )
        if uses:
            changed = re.sub(rf"\b{match[1]}\b", f"{match[1]}-v2", text)
            yield Break("rename input", "ci", match[1], {path: changed}, uses)


PLANTERS: tuple[Planter, ...] = (
    python_definitions, python_modules, python_names, python_fields, script_exports, script_modules, script_members, script_keys,
    dbt_models, sql_columns, ci_files,
)  # fmt: skip


def planted(checkout: Checkout, count: int, seed: int) -> list[Break]:
    """Return up to a number of breaks of a repository, in turn over the kinds, in a fixed order."""
    by_kind: dict[tuple[str, str], list[Break]] = defaultdict(list)
    for planter in PLANTERS:
        for one in planter(checkout):
            by_kind[one.language, one.kind].append(one)
    shuffled = random.Random(seed)
    queues = []
    for key in sorted(by_kind):
        breaks = sorted(by_kind[key], key=lambda one: (one.name, sorted(one.edits)))
        shuffled.shuffle(breaks)
        queues.append(breaks)
    found: list[Break] = []
    while any(queues) and len(found) < count:
        for queue in queues:
            if queue and len(found) < count:
                found.append(queue.pop())
    return found
