"""Required, renamed and removed parameters and props."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from evals.planting.checkout import Break, Checkout


def narrowed(
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
    callers = tuple(path for path in uses if re.search(called + r"(?![^()\n]*\*)", checkout.texts[path]))
    header_end = node.body[0].lineno - 1
    header = "\n".join(text.split("\n")[node.lineno - 1 : header_end])
    if callers and not args.kwonlyargs and header.count("(") == header.count(")") == 1 and not args.defaults:
        changed = re.sub(r",?\s*\)", lambda m: ", region)" if args.args else "region)", header, count=1)
        yield Break(
            "new required parameter", "python", node.name, {path: text.replace(header, changed, 1)}, callers
        )
    for argument in (*args.args, *args.kwonlyargs):
        by_keyword = tuple(
            u for u in callers
            if re.search(called + rf"[^()]*\b{argument.arg}\s*=(?!=)", checkout.texts[u])
        )  # fmt: skip
        if by_keyword and len(argument.arg) > 2:
            renamed = re.sub(rf"\b{argument.arg}\b", f"{argument.arg}_value", header, count=1)
            yield Break(
                "rename keyword parameter",
                "python",
                node.name,
                {path: text.replace(header, renamed, 1)},
                by_keyword,
            )
            break


def script_narrowed(
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
