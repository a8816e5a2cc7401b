"""Renamed settings, routes, environment variables, messages and style classes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from evals.planting.checkout import SKIPPED, SOURCES, Break, Checkout


def python_names(checkout: Checkout) -> Iterator[Break]:
    """Rename settings, URL names, and environment variables."""
    for path, text in checkout.texts.items():
        if not path.endswith(".py") or SKIPPED.search(path):
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
            if uses and text.count(name) == 1 and not checkout.users(rf"\b{name}\b", SOURCES, path, name):
                yield Break(
                    "rename environment variable",
                    "python",
                    name,
                    {path: text.replace(name, f"{name}_V2")},
                    uses,
                )


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
