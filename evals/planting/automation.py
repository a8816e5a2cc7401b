"""Moved files that automation names; renamed targets, scripts, services, inputs and variables."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator

from evals.planting.checkout import Break, Checkout


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
