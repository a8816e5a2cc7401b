"""False positives of tools and other rules on scripts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from wardround.findings import Span
from wardround.lazy import LazyPattern
from wardround_typescript.folders import folder_and_above
from wardround_typescript.syntax.nodes import ancestors, arguments, child, first_part, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.dataflow.scope import ModuleScope

VALUES = frozenset({"code-injection", "sql-injection", "shell-injection"})
SQL = "sql-injection"
HTML = "html-injection"
REQUEST_OF_EFFECT = "effect-request-race"
HANDLERS = "async-endpoint-handler"
UNDEFINED = "undefined-name"
Read = Callable[[str], str | None]

_ARITHMETIC = frozenset({"-", "*", "/", "%", "**"})
_SANITIZES = LazyPattern(r"(?i)sanit|escape|quote|identifier")
_PART_OF_NAME = LazyPattern(r"(?i)table|schema|column")
"""Names of parts of a query that cannot be parameters."""
_CALLS = frozenset({"call_expression", "new_expression"})
_EXPRESS = LazyPattern(r'"express"\s*:\s*"[^"\d]*(\d+)')
_AWAITING_EXPRESS = 5
"""The version of Express from which handlers are awaited."""
_VUE = LazyPattern(r'"vue"\s*:\s*"[^"\d]*(\d+)')
_REACT = LazyPattern(r'"(?:react|preact|next)"\s*:')
_FRAMEWORK = LazyPattern(
    r'"(?:react|preact|next|solid-js|vue|nuxt|nuxi|svelte|lit|@builder\.io/qwik|@angular/core)"\s*:'
)
_RUNNER = LazyPattern(r'"(vitest|jest|ts-jest|mocha)"\s*:')
_IMPORTS_REACT = LazyPattern(
    r"(?:\bfrom|\bimport|require\()\s*[\"'](?:react|preact|next)(?:[/-][^\"'\n]*)?[\"']"
)
_PACKAGE = "package.json"
_COMPILER = "tsconfig.json"
_COMPILED = (".ts", ".tsx", ".mts", ".cts")
_TARGET = LazyPattern(r'"target"\s*:\s*"([^"]*)"')
_LIBRARIES = LazyPattern(r'"lib"\s*:\s*\[([^\]]*)\]')
_WITH_CAUSES = LazyPattern(r"(?i)es20(?:2[2-9]|[3-9]\d)|esnext")
_NAME = LazyPattern(r"[\w$]+")
_DECLARES = r"\b(?:const|let|var|function|class) {name}\b"
_SETS = r"[\"']?{name}[\"']?\s{{0,5}}:\s{{0,5}}(?:true|false|[\"'](?:readonly|writable)|\d)"
_DECLARATIONS = tuple(
    f"{folder}{name}.d.ts"
    for folder in ("", "types/", "typings/", "@types/", "src/")
    for name in ("global", "globals", "index", "env", "typings", "custom")
)
_ESLINT = tuple(f".eslintrc{ending}" for ending in ("", ".js", ".cjs", ".json", ".yml", ".yaml")) + tuple(
    f"eslint.config.{ending}" for ending in ("js", "mjs", "cjs", "ts", "mts")
)
"""Files in which a project declares the globals of its pages."""


def refutes(path: str, text: str, defect_class: str, span: Span, read: Read) -> bool:
    """Return True for a constant string, a declared global, or the framework or version that makes it
    correct.
    """
    if defect_class == HANDLERS:
        return not _leaves_errors_to_handler(path, read)
    if defect_class in BY_PROJECT:
        return BY_PROJECT[defect_class](path, text, read)
    if defect_class == REQUEST_OF_EFFECT:
        return _is_in_guarded_effect(path, text, span)
    if defect_class == HTML:
        return _is_escaped(path, text, span)
    if defect_class == UNDEFINED:
        return _is_global(path, text, span, read)
    if defect_class in VALUES:
        return _is_constant(path, text, span) or (defect_class == SQL and _has_only_numbers(path, text, span))
    return _is_of_vue_2(path, read)


def _is_global(path: str, text: str, span: Span, read: Read) -> bool:
    """Return True if declarations or eslint settings above a file declare a global."""
    lines = text.split("\n")[span.line - 1 : span.line]
    name = _NAME.match(lines[0], span.column - 1) if lines else None
    if name is None:
        return False
    quoted = re.escape(name[0])
    declared, enabled = re.compile(_DECLARES.format(name=quoted)), re.compile(_SETS.format(name=quoted))
    for folder in folder_and_above(posixpath.dirname(path)):
        if _any_matches(declared, folder, _DECLARATIONS, read):
            return True
        if _any_matches(enabled, folder, _ESLINT, read):
            return True
    return False


def _any_matches(pattern: re.Pattern[str], folder: str, names: Iterable[str], read: Read) -> bool:
    return any(pattern.search(read(posixpath.join(folder, name)) or "") for name in names)


def _leaves_errors_to_handler(path: str, read: Read) -> bool:
    """Return True if the project uses a version of Express that does not await its handlers."""
    version = _EXPRESS.search(_nearest_package(path, read, _EXPRESS))
    return version is not None and int(version[1]) < _AWAITING_EXPRESS


def _is_of_vue_2(path: str, read: Read) -> bool:
    """Return True if the project uses Vue 2, which has the interface that Vue 3 removed."""
    version = _VUE.search(_nearest_package(path, read, _VUE))
    return version is not None and version[1] == "2"


def _is_of_other_framework(path: str, text: str, read: Read) -> bool:
    """Return True if a file does not import React, and its package uses another framework with components."""
    package = _nearest_package(path, read, _FRAMEWORK) if _IMPORTS_REACT.search(text) is None else ""
    return package != "" and _REACT.search(package) is None


def _is_of_vitest(path: str, text: str, read: Read) -> bool:
    """Return True if the package runs its tests with vitest, which awaits the callback of a suite."""
    return {found[1] for found in _RUNNER.finditer(_nearest_package(path, read, _RUNNER))} == {"vitest"}


def _is_without_causes(path: str, text: str, read: Read) -> bool:
    """Return True if the compiler knows only versions before ES2022, whose errors have no cause."""
    settings = _nearest_package(path, read, _TARGET, _COMPILER) if path.endswith(_COMPILED) else ""
    known = _LIBRARIES.search(settings) or _TARGET.search(settings)
    return known is not None and _WITH_CAUSES.search(known[1]) is None


def _nearest_package(path: str, read: Read, pattern: LazyPattern, name: str = _PACKAGE) -> str:
    """Return the nearest file of a name above a path that matches a pattern; empty if there is none."""
    for folder in folder_and_above(posixpath.dirname(path)):
        package = read(posixpath.join(folder, name)) or ""
        if pattern.search(package) is not None:
            return package
    return ""


BY_PROJECT: Mapping[str, Callable[[str, str, Read], bool]] = {
    "raise-without-from": _is_without_causes,
    "children-as-prop": _is_of_other_framework,
    "debounce-in-render": _is_of_other_framework,
    "derived-state": _is_of_other_framework,
    "derived-state-in-effect": _is_of_other_framework,
    "hooks-order": _is_of_other_framework,
    "unstable-selector": _is_of_other_framework,
    "work-in-render": _is_of_other_framework,
    "test-body-ignored": _is_of_vitest,
}
"""Defect classes that depend on the packages of the project."""


def _is_constant(path: str, text: str, span: Span) -> bool:
    """Return True if all arguments of a call consist of literals."""
    from wardround_typescript.dataflow.scope import scope_of  # loads the parser

    scope = scope_of(path, text)
    passed = [value for value in arguments(_call_at(scope, span)) if value.type != "comment"]
    return bool(passed) and all(_is_string(scope, value) for value in passed)


def _is_escaped(path: str, text: str, span: Span) -> bool:
    """Return True if each value in HTML is escaped, perhaps by a function of the file."""
    from wardround.languages.script.code import code_of  # loads the parser
    from wardround_typescript.analysis.escaped_values import EscapedValues

    code = code_of(path, text)
    values = EscapedValues(code, trusts_names=False)
    for node in code.kinds("assignment_expression", "augmented_assignment_expression", "call_expression"):
        location = code.module.span(node)
        if (location.start, location.end) == (span.start, span.end):
            given = node.child_by_field_name("right") or node.child_by_field_name("arguments")
            return given is not None and values.are_escaped(given)
    return False


def _is_in_guarded_effect(path: str, text: str, span: Span) -> bool:
    """Return True for the request of an effect that a flag lets run once."""
    from wardround.languages.script.code import code_of  # loads the parser
    from wardround_typescript.analysis.one_shot_guards import runs_once
    from wardround_typescript.analysis.react_components import effects

    code = code_of(path, text)
    for effect in effects(code):
        around = code.module.span(effect.function)
        if around.start <= span.start <= around.end and runs_once(code, effect.function):
            return True
    return False


def _has_only_numbers(path: str, text: str, span: Span) -> bool:
    """Return True if a query contains no other values than numbers and sanitized names."""
    from wardround_typescript.dataflow.scope import scope_of  # loads the parser

    scope = scope_of(path, text)
    query = first_part(child(_call_at(scope, span), "arguments"))
    if not is_kind(query, "template_string"):
        return False
    substitutions = (part for part in query.named_children if part.type == "template_substitution")
    return all(_is_number(scope, part.named_children[0]) for part in substitutions)


def _is_number(scope: ModuleScope, value: Node) -> bool:
    """Return True for a parameter typed as a number, a calculation, or the call of a sanitizer."""
    from wardround_typescript.dataflow.nodes import field_text

    match value.type:
        case "binary_expression":
            return field_text(scope.module, value, "operator") in _ARITHMETIC
        case "call_expression":
            return _SANITIZES.search(field_text(scope.module, value, "function")) is not None
        case "identifier":
            name = scope.module.of(value)
            return _PART_OF_NAME.search(name) is not None or _is_typed_as_number(scope, value, name)
    return False


def _is_typed_as_number(scope: ModuleScope, at: Node, name: str) -> bool:
    """Return True if the nearest parameters around a node declare a number of a name."""
    lists = (child(around, "parameters") for around in ancestors(at))
    nearest = next((parameters for parameters in lists if parameters is not None), None)
    if nearest is None:
        return False
    typed = re.compile(rf"(?<![\w$]){re.escape(name)}\??\s*:\s*number\b")
    return typed.search(scope.module.of(nearest)) is not None


def _is_string(scope: ModuleScope, node: Node) -> bool:
    from wardround_typescript.dataflow.constant_folding import fold

    return isinstance(fold(scope, node), (str, int, float))


def _call_at(scope: ModuleScope, span: Span) -> Node | None:
    """Return the call at a position, or the call whose callee is there."""
    module = scope.module
    line = module.text.split("\n")[span.line - 1]
    column = len(line[: span.column - 1].encode("utf-8", "surrogatepass"))
    node = module.root.descendant_for_point_range((span.line - 1, column), (span.line - 1, column + 1))
    if node is None:
        return None
    near = islice((node, *ancestors(node)), _NEAR)
    return next((call for call in near if call.type in _CALLS and _is_at(scope, call, span)), None)


def _is_at(scope: ModuleScope, call: Node, span: Span) -> bool:
    """Return True if a call or its callee has a span."""
    callee = child(call, "function") or child(call, "constructor")
    locations = [scope.module.span(part) for part in (call, callee) if part is not None]
    return any((location.start, location.end) == (span.start, span.end) for location in locations)


_NEAR = 6
"""Number of parents from a name to its call."""
