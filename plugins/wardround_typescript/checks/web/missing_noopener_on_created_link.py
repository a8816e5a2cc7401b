"""TS067: missing noopener on created link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_CUT = LazyPattern(r"(?i)\b(noopener|noreferrer)\b")
_MAKERS = LazyPattern(r"^(React\.)?createElement$|^(h|jsx|jsxs|_jsx|createVNode|_createVNode)$")
_SETTERS = LazyPattern(r"(^|\.)(setAttribute|attrSet|setAttributeNS|attr|prop)$")
_ANCHOR = LazyPattern(r"createElement\(\s*['\"`]a['\"`]")
_FILLED = LazyPattern(r"href=\\?['\"]?\$\{[^{}]*\}\\?['\"\s>]")
_REL = LazyPattern(r"\brel\s*=")
_REL_SET = LazyPattern(r"\.rel\s*=|['\"`]rel['\"`]|\brel\s*:|\.relList\b|rel=")


class MissingNoopenerOnCreatedLink(TreeCheck):
    """A link opens a page that can navigate this one.

    Without ``rel="noopener"`` older browsers set ``window.opener`` in the opened page, with ``rel="opener"``
    all browsers do, and the page can navigate this tab to a copy of your login. Add ``rel="noopener
    noreferrer"`` to links to other sites.
    """

    ID = "TS067"
    NAME = "missing-noopener-on-created-link"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "target-blank"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("_blank",)
    CASE_PATH = "a.js"
    VALID = [
        code(
            """
            const a = <a href={url} target="_blank" rel={relation}>x</a>;
            """,
            path="a.tsx",
        ),
        code(
            """
            const a = <a href={url} target="_blank" rel="nofollow noopener">x</a>;
            """,
            path="a.tsx",
        ),
    ]
    INVALID = [
        code(
            """
            const a = «<a href={url} target="_blank" rel="nofollow">»x</a>;
            """,
            path="a.tsx",
        ),
        code(
            """
            const a = «<a href={url} target="_blank" rel="opener">»x</a>;
            """,
            path="a.tsx",
        ),
    ]

    def check(self) -> None:
        for node in [*self._in_jsx(), *self._made(), *self._set(), *self._written()]:
            self.report_node(node, 'opened page can navigate this one; add rel="noopener"')

    def _in_jsx(self) -> Iterator[Node]:
        """Yield links with another ``rel``. oxlint reports those without any."""
        code = self.code
        for element in code.kinds("jsx_opening_element", "jsx_self_closing_element"):
            if code.field(element, "name") not in ("a", "area", "form"):
                continue
            given = {
                code.text(one.named_children[0]): code.text(one.named_children[-1]).strip("'\"")
                for one in element.named_children
                if one.type == "jsx_attribute"
            }
            rel = given.get("rel", "noopener")
            if (
                given.get("target", "").strip("{}'\"`") == "_blank"
                and re.fullmatch(r"[a-z ]*", rel)
                and not _CUT.search(rel)
                and not given.get("href", "").startswith(("/", "#"))
            ):
                yield element

    def _made(self) -> Iterator[Node]:
        from wardround.languages.script.code import argument

        code = self.code
        for called, call in code.calls:
            value = argument(call, 1) if _MAKERS.search(called) else None
            if value is None or value.type != "object" or code.text(argument(call, 0))[1:-1] != "a":
                continue
            pairs = {
                code.field(one, "key").strip("'\""): code.field(one, "value") for one in value.named_children
            }
            if (
                pairs.get("target", "")[1:-1] == "_blank"
                and not _CUT.search(pairs.get("rel", ""))
                and "..." not in code.text(value)
                and "rel" not in code.text(value)
            ):
                yield call

    def _set(self) -> Iterator[Node]:
        """Yield links that are created by statements, in a function that sets no ``rel``."""
        from wardround.languages.script.code import argument

        code = self.code
        for node in code.kinds("assignment_expression"):
            is_target = code.field(node.child_by_field_name("left"), "property") == "target"
            if is_target and code.field(node, "right")[1:-1] == "_blank":
                around = self._text_around(node)
                if _ANCHOR.search(around) and _is_without_rel(around):
                    yield node
        for called, call in code.calls:
            if not _SETTERS.search(called) or code.text(argument(call, 0))[1:-1] != "target":
                continue
            around = self._text_around(call)
            is_blank = code.text(argument(call, 1))[1:-1] == "_blank"
            if is_blank and _is_without_rel(around) and "form" not in around.lower():
                yield call

    def _text_around(self, node: Node) -> str:
        from wardround.languages.script.code import function_around

        return self.code.text(function_around(node) or self.code.module.root)

    def _written(self) -> Iterator[Node]:
        """Yield links in HTML text with an interpolated address."""
        code = self.code
        for node in code.kinds("template_string"):
            text = code.text(node)
            if "_blank" not in text:
                continue
            for found in re.finditer(r"<a\s[^<>]*>", text):
                link = found[0]
                if "_blank" in link and not _REL.search(link) and _FILLED.search(link):
                    yield node
                    break


def _is_without_rel(text: str) -> bool:
    return not _REL_SET.search(text) and "download" not in text
