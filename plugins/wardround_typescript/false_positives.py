"""False positives of tools and other rules on scripts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from wardround.checks.lazy import LazyPattern
from wardround.findings import Span

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
    """Return True for a constant text, a declared global, or the framework or version that makes it right."""
    if defect_class == HANDLERS:
        return not _is_left_alone(path, read)
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
    declared = re.compile(_DECLARES.format(name=re.escape(name[0])))
    set_global = re.compile(_SETS.format(name=re.escape(name[0])))
    folder = posixpath.dirname(path)
    while True:
        for file in _DECLARATIONS:
            if declared.search(read(posixpath.join(folder, file)) or ""):
                return True
        for file in _ESLINT:
            if set_global.search(read(posixpath.join(folder, file)) or ""):
                return True
        if not folder:
            return False
        folder = posixpath.dirname(folder)


def _is_left_alone(path: str, read: Read) -> bool:
    """Return True if the project uses a version of Express that does not await its handlers."""
    folder = posixpath.dirname(path)
    while True:
        found = _EXPRESS.search(read(posixpath.join(folder, _PACKAGE)) or "")
        if found is not None:
            return int(found[1]) < 5
        if not folder:
            return False
        folder = posixpath.dirname(folder)


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
    folder = posixpath.dirname(path)
    while True:
        package = read(posixpath.join(folder, name)) or ""
        if pattern.search(package) is not None:
            return package
        if not folder:
            return ""
        folder = posixpath.dirname(folder)


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
    call = _call_at(scope, span)
    argument_list = call.child_by_field_name("arguments") if call is not None else None
    if argument_list is None or argument_list.type != "arguments":
        return False
    arguments = [one for one in argument_list.named_children if one.type != "comment"]
    return bool(arguments) and all(_is_text(scope, one) for one in arguments)


def _is_escaped(path: str, text: str, span: Span) -> bool:
    """Return True if each value in HTML is escaped, perhaps by a function of the file."""
    from wardround.languages.script.code import code_of  # loads the parser
    from wardround_typescript.analysis.escaped_values import EscapedValues

    code = code_of(path, text)
    values = EscapedValues(code, trusts_names=False)
    for node in code.kinds("assignment_expression", "augmented_assignment_expression", "call_expression"):
        place = code.module.span(node)
        if (place.start, place.end) == (span.start, span.end):
            given = node.child_by_field_name("right") or node.child_by_field_name("arguments")
            return given is not None and values.are_escaped(given)
    return False


def _is_in_guarded_effect(path: str, text: str, span: Span) -> bool:
    """Return True for the request of an effect that a flag lets run once."""
    from wardround.languages.script.code import code_of  # loads the parser
    from wardround_typescript.analysis.one_shot_guards import runs_once
    from wardround_typescript.analysis.react_components import effects

    code = code_of(path, text)
    around = (
        effect.function
        for effect in effects(code)
        if code.module.span(effect.function).start <= span.start <= code.module.span(effect.function).end
    )
    return any(runs_once(code, function) for function in around)


def _has_only_numbers(path: str, text: str, span: Span) -> bool:
    """Return True if a query contains no other values than numbers and sanitized names."""
    from wardround_typescript.dataflow.scope import scope_of  # loads the parser

    scope = scope_of(path, text)
    call = _call_at(scope, span)
    argument_list = call.child_by_field_name("arguments") if call is not None else None
    query = (
        argument_list.named_children[0]
        if argument_list is not None and argument_list.named_children
        else None
    )
    if query is None or query.type != "template_string":
        return False
    values = [one.named_children[0] for one in query.named_children if one.type == "template_substitution"]
    return all(_is_number(scope, one) for one in values)


def _is_number(scope: ModuleScope, value: Node) -> bool:
    """Return True for a parameter typed as a number, a calculation, or the call of a sanitizer."""
    module = scope.module
    if value.type == "binary_expression":
        operator = value.child_by_field_name("operator")
        return operator is not None and module.of(operator) in _ARITHMETIC
    if value.type == "call_expression":
        callee = value.child_by_field_name("function")
        return callee is not None and _SANITIZES.search(module.of(callee)) is not None
    if value.type != "identifier":
        return False
    name = module.of(value)
    if _PART_OF_NAME.search(name):
        return True
    typed = re.compile(rf"(?<![\w$]){re.escape(name)}\??\s*:\s*number\b")
    holder = value.parent
    while holder is not None:
        parameters = holder.child_by_field_name("parameters")
        if parameters is not None:
            return typed.search(module.of(parameters)) is not None
        holder = holder.parent
    return False


def _is_text(scope: ModuleScope, node: Node) -> bool:
    from wardround_typescript.dataflow.constant_folding import fold

    return isinstance(fold(scope, node), (str, int, float))


def _call_at(scope: ModuleScope, span: Span) -> Node | None:
    """Return the call at a position, or the call whose callee is there."""
    module = scope.module
    line = module.text.split("\n")[span.line - 1]
    column = len(line[: span.column - 1].encode("utf-8", "surrogatepass"))
    node = module.root.descendant_for_point_range((span.line - 1, column), (span.line - 1, column + 1))
    for _ in range(_NEAR):
        if node is None:
            return None
        callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        places = [module.span(one) for one in (node, callee) if one is not None]
        if node.type in _CALLS and any((one.start, one.end) == (span.start, span.end) for one in places):
            return node
        node = node.parent
    return None


_NEAR = 6
"""Number of parents from a name to its call."""
