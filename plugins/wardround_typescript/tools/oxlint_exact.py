"""Codes of oxlint that report more than the defect they are named after, and tests for the defect."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from unicodedata import combining

from wardround.findings import RawFinding
from wardround.storage.regex_cache import bounded_pattern
from wardround_typescript.tools.linted_file import IN_TESTS, LintedFile, rest_of_line
from wardround_typescript.tools.oxlint_hooks import HOOK_CODES, is_hook_of_react
from wardround_typescript.tools.oxlint_markup import (
    is_bound,
    is_empty_element,
    is_of_page,
    opens_bare,
    precedes_control,
)

Exact = Callable[[RawFinding, LintedFile], bool]

_NEEDS_NEW = (
    r"^Use `new (?:\w+Array|ArrayBuffer|DataView|FinalizationRegistry|Map|Promise|Proxy|Set|SharedArrayBuffer"
    r"|Weak\w+)\(\)`|instead of `new (?:BigInt|Symbol)\(\)`"
)
_STRICT_AND_BARE = r"!\s*[^\s!(][^=&|?;]*?[!=]==(?!\s*!)"
_LITERALS_ONLY = r"Math\.(?:min|max)\(\s*-?[\d.]+\s*,\s*-?[\d.]+\s*\)"
_CONVERTING = r"[!=]=\s*(?:true|false|\[\]|(['\"])(?:-?\d+)?\1)\s*(?:[;,)\]}?:&|]|$)"
_WAITING_FRAMEWORK = (
    r"['\"](?:fastify|koa|@koa/router|koa-router|hono|@nestjs/common|elysia|express-async-errors"
    r"|express-promise-router)['\"]|\bfastify\.|\bFastify(?:Instance|Plugin)"
)
_ERROR_FIRST = r"(?:async\s*)?(?:function\s*\w*\s*)?\(?\s*(?:err|error)\b[^()]*,"
_FOR_ERRORS = (
    r"(?i)(?:error\w*|fail\w*|reject\w*|catch)['\"]?\s*[:=(]\s*(?:async\s*)?(?:function\s*\w*\s*)?\(?\s*err"
    r"|\breq\w*\s*[,:].*\bres\w*\s*[,:)]"
)
_SEQUENCE = r"\(*\s*[\w$.]+\s*=(?![=>])|\(*[\w$.]+\([^()]*\)\s*,|[!+~-][\s(]*function\b"
"""A comma expression whose parts assign or call, or a function that is called at once."""
_CHAI_LINK = r"\)\s{0,40}\.(?:not\.)?(?:to|is|has|does)\.[\w.]*\w\Z"
_UNION = 15
"""Number of lines of a union above and below one of its members."""
_UNION_OF_CLASSES = r"\|\s*(?:Date|RegExp|Function|Error|Promise<|Map<|Set<|WeakMap<|WeakSet<)"
_CODE_UNIT = r"\\u\{?([0-9a-fA-F]{4,5})\}?"
_RANGE = f"{_CODE_UNIT}-{_CODE_UNIT}"
_CHANGES_FLAGS = r"[\w$.]+ {0,2}[|&]=[\s~]*[A-Z]\w*\.[A-Za-z_]"
_NEAR = 4
_LONGEST_VALUE = 25
"""Number of lines of a thrown value."""
_NO_HANDLER = r"[\"'`\d{\[]|new\s+(?!Function\b)[A-Z]|(?:true|false)\b"
"""The beginning of a literal or of an object."""
_CALL = r"(?!async\b|function\b)[\w$.]+\("
_FROM_NEXT = r"['\"]next/"
_LONGEST_HANDLER = 120
_PRECISE = 15
"""Number of digits that a double always represents."""


def _throws_either_way(result: RawFinding, file: LintedFile) -> bool:
    """Return True for constructors that throw with or without ``new``; the rest is a preference."""
    return re.search(_NEEDS_NEW, result.message) is not None


def _is_slip(result: RawFinding, file: LintedFile) -> bool:
    """Return True for ``!a === b``; ``!a === !b`` and ``!!a === b`` compare booleans intentionally."""
    return re.match(_STRICT_AND_BARE, rest_of_line(result, file)) is not None


def _is_no_flag(result: RawFinding, file: LintedFile) -> bool:
    """Return False where ``|=`` or ``&=`` changes a set of flags by a member of an enumeration."""
    return re.match(_CHANGES_FLAGS, rest_of_line(result, file)) is None


def _loses_precision(result: RawFinding, file: LintedFile) -> bool:
    """Return True for more digits than a double represents; zeros at either end do not count."""
    number = re.match(r"[\d._]+(?![\w.])", rest_of_line(result, file))
    digits = re.sub(r"[._]", "", number[0]).strip("0") if number else ""
    return not digits or len(digits) > _PRECISE


def _is_clamp(result: RawFinding, file: LintedFile) -> bool:
    """Return True for bounds around a value that can change, with the global Math."""
    return not re.search(_LITERALS_ONLY, rest_of_line(result, file)) and not _is_declared_here("Math", file)


def _doubles_operand(result: RawFinding, file: LintedFile) -> bool:
    """Return True for ``a += a + b``; the other order surrounds a string, which is intentional."""
    return re.match(r"([\w.$]+)\s*\+=.*\+\s*\1\s*\)?;?\s*$", rest_of_line(result, file)) is None


def _converts_operand(result: RawFinding, file: LintedFile) -> bool:
    """Return True if the comparison converts its operand; ``== null`` tests two values intentionally."""
    return re.match(_CONVERTING, rest_of_line(result, file)) is not None


def _merges_code(result: RawFinding, file: LintedFile) -> bool:
    """Return False for ambient declarations, which only describe other code."""
    name = re.search(r"[\w$]+", rest_of_line(result, file))
    if name is None or file.contains(rf"\bdeclare\s+(?:abstract\s+)?class\s+{name[0]}\b"):
        return False
    is_nested = file.lines[result.span.line - 1][:1].isspace()
    return not (is_nested and file.contains(r"\bdeclare\s+(?:namespace|module|global)\b"))


def _is_global_eval(result: RawFinding, file: LintedFile) -> bool:
    return not _is_declared_here("eval", file)


def _is_declared_here(name: str, file: LintedFile) -> bool:
    """Return True if the file declares a variable, an import or a parameter of this name."""
    declared = rf"\b(?:const|let|var|class|function|import)\s+(?:\{{[^\n}}]{{0,200}})?\b{name}\b"
    used = rf"\bfunction\b[^(\n]{{0,100}}\([^)\n]{{0,200}}\b{name}\b[^)\n]{{0,200}}\)"
    return file.contains(f"{declared}|{used}")


def _may_throw(result: RawFinding, file: LintedFile) -> bool:
    """Return False if a try with a catch precedes any await, and in frameworks that await the handler."""
    if file.contains(_WAITING_FRAMEWORK):
        return False
    indent = len(file.lines[result.span.line - 1]) - len(file.lines[result.span.line - 1].lstrip())
    body = []
    for line in file.lines[result.span.line : result.span.line + _LONGEST_HANDLER]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        body.append(line)
    before, tried, inside = "\n".join(body).partition("try {")
    return not tried or re.search(r"\bawait\b", before) is not None or "catch" not in inside


def _is_array(result: RawFinding, file: LintedFile) -> bool:
    """Return False for a callback that uses ``this``, which arrays leave undefined and other types set."""
    body = "\n".join(file.lines[result.span.line - 1 : result.span.end_line])
    return re.search(r"\bfunction\b[^{]*\{", body) is None or re.search(r"\bthis\.", body) is None


def _is_of_promise(result: RawFinding, file: LintedFile) -> bool:
    """Return False for a method that may be missing and for a function of a module; neither is of a promise.

    Nor is the receiver a promise if the first argument is a value that no handler can be; of an imported
    receiver, the result of a call is such a value too, as in ``catch(text(), handler)``.
    """
    rest = "\n".join([rest_of_line(result, file), *file.lines[result.span.line : result.span.line + _NEAR]])
    if re.search(r"\.(?:then|catch|finally)\?\.\(", rest.partition("\n")[0]):
        return False
    call = re.match(r"([\w$]+)\s*\.(?:then|catch|finally)\(\s*", rest)
    if call is None:
        return True
    name, given = re.escape(call[1]), rest[call.end() :]
    if file.contains(rf"\bimport\s*(?:[\w$]+\s*,\s*)?\*\s*as\s+{name}\b") or re.match(_NO_HANDLER, given):
        return False
    return re.match(_CALL, given) is None or not file.contains(rf"\bimport\s[^;\"'`]{{0,500}}\b{name}\b")


def _is_written_out(result: RawFinding, file: LintedFile) -> bool:
    """Return False for a name of a type in a union with classes, where the wrapper objects are intended."""
    first = max(result.span.line - _UNION, 0)
    near = "\n".join(file.lines[first : result.span.line + _UNION])
    is_member = re.search(r"\|\s*$", file.lines[result.span.line - 1][: result.span.column - 1])
    return is_member is None or re.search(_UNION_OF_CLASSES, near) is None


def _is_in_pieces(result: RawFinding, file: LintedFile) -> bool:
    """Return False for a range of combining marks, whose purpose is to match each of them."""
    if "combining" not in result.message:
        return True
    ends = bounded_pattern(_RANGE).findall(file.lines[result.span.line - 1])
    return not any(all(combining(chr(int(end, 16))) for end in pair) for pair in ends)


def _is_accidental(result: RawFinding, file: LintedFile) -> bool:
    """Return False after a line that begins with a link of a chain, which continues here."""
    return re.match(r"\s*\??\.[\w#]", file.lines[max(result.span.line - 2, 0)]) is None


def _should_yield(result: RawFinding, file: LintedFile) -> bool:
    """Return False for a stub that only throws; the star gives it the type of the function that it
    replaces.
    """
    body = "\n".join(file.lines[result.span.line - 1 : result.span.line + _NEAR])
    return re.search(r"\{\s*throw\b[^{}]*\}", body) is None


def _is_outside_tests(result: RawFinding, file: LintedFile) -> bool:
    """Return False in tests, which verify that such an address is rejected."""
    return re.search(IN_TESTS, file.path) is None


def _handles_error(result: RawFinding, file: LintedFile) -> bool:
    """Return True for a callback with an error and a result; one for errors alone may ignore the error."""
    line = file.lines[result.span.line - 1]
    before, rest = line[: result.span.column - 1], rest_of_line(result, file)
    return (
        bounded_pattern(_ERROR_FIRST).match(rest) is not None
        and bounded_pattern(_FOR_ERRORS).search(before + rest) is None
    )


def _is_with_options(result: RawFinding, file: LintedFile) -> bool:
    """Return True for the options API, where both names are of the instance; in a setup they are related."""
    return file.contains(r"(?m)^export default (?:\{|define)") and "setup" not in file.text


def _is_no_protocol(result: RawFinding, file: LintedFile) -> bool:
    """Return False for errors in a form that a library expects: a response with a status or code, a message.

    Tests also throw values to be caught.
    """
    if re.search(IN_TESTS, file.path):
        return False
    first = result.span.line - 1
    thrown = "\n".join([rest_of_line(result, file), *file.lines[first + 1 : first + _LONGEST_VALUE]])
    return not thrown.startswith("{") or re.search(_PROTOCOL, thrown.partition("}")[0]) is None


_PROTOCOL = (
    r"[{,]\s*['\"]?(?:message|status|statusCode|statusText|code|response|redirect|digest)['\"]?\s*[:,}\n]"
)


def _is_of_next(result: RawFinding, file: LintedFile) -> bool:
    return file.contains(_FROM_NEXT)


_CURRENT_OF = r"([A-Za-z_$][\w$]*)\?\.current(?:\.[\w$]+)*"


def _may_stop(result: RawFinding, file: LintedFile) -> bool:
    """Return False for ``ref?.current`` of a ref that useRef made with a value: a ref is never missing."""
    chain = re.match(rf"{_CURRENT_OF}(?![\w$]|\s*[?.(\[])", rest_of_line(result, file))
    if chain is None:
        return True
    created = rf"\bconst\s+{re.escape(chain[1])}\s*=\s*(?:React\.)?useRef\b(?:<[^;\n(]*>)?"
    return not file.contains(rf"{created}\(\s*(?!null\b|undefined\b|[\s)])")


def _is_unused(result: RawFinding, file: LintedFile) -> bool:
    """Return False for an assertion by a property, which chai evaluates when it is read.

    Values are also used in a sequence with assignments, as minifiers write it, and of a property that is read
    so that a proxy or a signal tracks it.
    """
    lines = file.lines[result.span.line - 1 : result.span.end_line]
    statement = " ".join(lines)[result.span.column - 1 :]
    is_of_expect = statement.startswith("expect(") and (
        file.asserts_by_properties or re.search(_CHAI_LINK, statement.rstrip("; \t")) is not None
    )
    if re.match(_SEQUENCE, statement) or _is_tracked(result, file):
        return False
    return not is_of_expect and ".should." not in statement


def _is_tracked(result: RawFinding, file: LintedFile) -> bool:
    """Return True for a read that subscribes: of a ref in an effect of Vue, or with a comment on tracking."""
    line = rest_of_line(result, file)
    near = "\n".join(file.lines[max(result.span.line - _NEAR, 0) : result.span.line])
    is_of_vue = re.match(r"[\w.]+\.value;?\s*$", line) is not None and "watchEffect(" in near
    return is_of_vue or re.match(r"[\w.]+;?\s*//.*(?:track|subscri|touch|depend)", line) is not None


EXACT: Mapping[str, Exact] = {
    "no-unused-expressions": _is_unused,
    **dict.fromkeys(HOOK_CODES, is_hook_of_react),
    "array-callback-return": _is_array,
    "eqeqeq": _converts_operand,
    "no-eval": _is_global_eval,
    "no-throw-literal": _is_no_protocol,
    "no-unsafe-optional-chaining": _may_stop,
    "no-loss-of-precision": _loses_precision,
    "no-misleading-character-class": _is_in_pieces,
    "no-script-url": _is_outside_tests,
    "no-unexpected-multiline": _is_accidental,
    "jsx-a11y/anchor-has-content": is_empty_element,
    "jsx-a11y/heading-has-content": is_empty_element,
    "jsx-a11y/label-has-associated-control": precedes_control,
    "nextjs/no-html-link-for-pages": _is_of_next,
    "nextjs/no-sync-scripts": _is_of_next,
    "node/handle-callback-err": _handles_error,
    "oxc/no-async-endpoint-handlers": _may_throw,
    "oxc/bad-bitwise-operator": _is_no_flag,
    "oxc/bad-min-max-func": _is_clamp,
    "oxc/misrefactored-assign-op": _doubles_operand,
    "react/checked-requires-onchange-or-readonly": is_bound,
    "promise/valid-params": _is_of_promise,
    "react/jsx-no-target-blank": opens_bare,
    "react/style-prop-object": is_of_page,
    "require-yield": _should_yield,
    "typescript/no-unsafe-declaration-merging": _merges_code,
    "typescript/no-wrapper-object-types": _is_written_out,
    "unicorn/new-for-builtins": _throws_either_way,
    "unicorn/no-negation-in-equality-check": _is_slip,
    "vue/no-dupe-keys": _is_with_options,
}
