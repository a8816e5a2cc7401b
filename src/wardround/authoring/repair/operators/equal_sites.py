"""The same edit of all equal expressions of a function: a defect that was copied is fixed everywhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.authoring.repair.operators.site import Edit, Site


def edits_everywhere(site: Site, edit: Edit) -> Iterator[Edit]:
    """Yield one edit of all expressions that equal the edited one, if there are several.

    Equal expressions have the same text and the same kind of parent.
    """
    function, module = site.function, site.function.module
    if not isinstance(site.node, ast.expr) or module.span(site.node) != (edit.start, edit.end):
        return
    spans = [module.span(other) for other in function.equal_expressions[function.role(site.node)]]
    if len(spans) < 2:
        return
    text, end = "", spans[0][0]
    for span in spans:
        text += module.text[end : span[0]] + edit.replacement
        end = span[1]
    yield Edit(spans[0][0], end, text)
