"""The order in which functions of libraries take their arguments, and the signs of another order."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.literals import is_text
from wardround.languages.python.tree import unparse
from wardround_python.checks.callers.swapped_arguments import named

TEXT = LazyPattern(
    r"(\w*_)?(text|string|line|value|content|contents|body|name|raw|html|source|title|word|words|s|data"
    r"|message|slug|phone|number)"
)
PATTERN = LazyPattern(r"(\w*_)?(PATTERN|REGEX|RE|RX|pattern|regex|re|rx)")
_FILE = LazyPattern(r"(f|fh|fp|fd|file|out|outfile|handle|stream|fobj|writer|sink)")
_TO = LazyPattern(r"(dst|dest|destination|target|backup|archive|new_path|new_name|final|final_path)(_\w+)?")
_FROM = LazyPattern(
    r"(src|source|original|tmp|temp|tmp_path|temp_path|old_path|old_name|upload|incoming)(_\w+)?"
)
_KEY = LazyPattern(r"(\w*_)?(key|secret|salt)(_\w+)?")
_MESSAGE = LazyPattern(r"(\w*_)?(body|message|msg|payload|data|content|raw)")
LATITUDE = LazyPattern(r"(\w*_)?(lat|latitude)")
LONGITUDE = LazyPattern(r"(\w*_)?(lon|lng|long|longitude)")
_FOLDER = LazyPattern(r"(\w*_)?(dir|folder|root|base|directory|base_path)")
_FILE_NAME = LazyPattern(r"(\w*_)?(filename|file_name|basename)")
_TYPES = frozenset({"str", "int", "float", "bool", "dict", "list", "tuple", "set", "bytes"})
_MODES = frozenset({"r", "w", "a", "rb", "wb", "ab", "rt", "wt", "x"})
_METACHARACTERS = ("\\", "[", "^", "$", ".*", "|", "+")
_DATE, _CLOCK = LazyPattern(r"(\w*_)?(day|date)"), LazyPattern(r"(\w*_)?(time|clock)")
_Judge = Callable[[Sequence[ast.expr]], str | None]


def clip(args: Sequence[ast.expr]) -> str | None:
    first, second = args[0], args[1]
    written = isinstance(first, ast.Constant) and isinstance(first.value, (int, float))
    if written and named(second) is not None:
        return f"{unparse(second)} is passed as the lower bound"
    return None


def is_named(node: ast.expr, pattern: LazyPattern) -> bool:
    item = named(node) if not isinstance(node, ast.Constant) else None
    return item is not None and pattern.fullmatch(item.name) is not None


def _sub(args: Sequence[ast.expr]) -> str | None:
    if len(args) > 2 and is_named(args[1], TEXT) and is_text(args[2]):
        return "re.sub() takes the pattern, the replacement, then the text"
    return None


def _search(args: Sequence[ast.expr]) -> str | None:
    looks = is_text(args[1]) and any(m in args[1].value for m in _METACHARACTERS)  # type: ignore[attr-defined]
    if is_named(args[0], TEXT) and not is_named(args[0], PATTERN) and (looks or is_named(args[1], PATTERN)):
        return "the pattern comes first, then the text"
    return None


def _strptime(args: Sequence[ast.expr]) -> str | None:
    first = args[0]
    if isinstance(first, ast.Constant) and "%" in str(first.value) and not is_text(args[1]):
        return "strptime() takes the text first, then its format"
    return None


def _dump(args: Sequence[ast.expr]) -> str | None:
    if is_named(args[0], _FILE) and not is_named(args[1], _FILE):
        return "dump() takes the data first, then the file"
    return None


def _isinstance(args: Sequence[ast.expr]) -> str | None:
    first, second = args[0], args[1]
    if (
        isinstance(first, ast.Name)
        and first.id in _TYPES
        and isinstance(second, ast.Name)
        and second.id.islower()
    ):
        return "isinstance() takes the value first, then the class" if second.id not in _TYPES else None
    return None


def _copy(args: Sequence[ast.expr]) -> str | None:
    if is_named(args[0], _TO) and is_named(args[1], _FROM) and not is_named(args[0], _FROM):
        return "the source comes first, then the target"
    return None


def _hmac(args: Sequence[ast.expr]) -> str | None:
    first, second = (
        a.func.value if isinstance(a, ast.Call) and isinstance(a.func, ast.Attribute) else a for a in args[:2]
    )
    if is_named(first, _MESSAGE) and is_named(second, _KEY):
        return "hmac.new() takes the key first, then the message"
    return None


def point(args: Sequence[ast.expr]) -> str | None:
    if is_named(args[0], LATITUDE) and is_named(args[1], LONGITUDE):
        return "a point takes x, the longitude, first, then y, the latitude"
    return None


def _atan2(args: Sequence[ast.expr]) -> str | None:
    first, second = named(args[0]), named(args[1])
    if first and second and first.name.endswith("x") and second.name == f"{first.name[:-1]}y":
        return "atan2() takes y first, then x"
    return None


def _path_join(args: Sequence[ast.expr]) -> str | None:
    if is_named(args[0], _FILE_NAME) and is_named(args[1], _FOLDER):
        return "the folder comes first, then the file"
    return None


def _combine(args: Sequence[ast.expr]) -> str | None:
    if is_named(args[0], _CLOCK) and is_named(args[1], _DATE):
        return "combine() takes the date first, then the time"
    return None


def _open(args: Sequence[ast.expr]) -> str | None:
    first = args[0]
    if isinstance(first, ast.Constant) and first.value in _MODES and not is_text(args[1]):
        return "open() takes the path first, then the mode"
    return None


def _function_first(args: Sequence[ast.expr]) -> str | None:
    if isinstance(args[1], ast.Lambda) and not isinstance(args[0], (ast.Lambda, ast.Call)):
        return "the function comes first, then what it is applied to"
    return None


def _enumerate(args: Sequence[ast.expr]) -> str | None:
    if isinstance(args[0], ast.Constant) and isinstance(args[0].value, int):
        return "enumerate() takes the values first, then the number to start from"
    return None


def _range(args: Sequence[ast.expr]) -> str | None:
    first, last = args[0], args[1]
    counts = isinstance(first, ast.Call) and getattr(first.func, "id", "") == "len"
    down = isinstance(last, ast.Constant) and last.value in (0, 1)
    if len(args) == 2 and counts and down:
        return "range() counts upwards: this is empty without a step of -1"
    return None


LIBRARY: Mapping[str, _Judge] = {
    "re.sub": _sub, "re.subn": _sub, "re.match": _search, "re.search": _search, "re.fullmatch": _search,
    "re.findall": _search, "re.finditer": _search, "re.split": _search,
    "datetime.datetime.strptime": _strptime,
    "time.strptime": _strptime, "json.dump": _dump, "pickle.dump": _dump, "yaml.dump": _dump,
    "yaml.safe_dump": _dump,
    "isinstance": _isinstance, "shutil.copy": _copy, "shutil.copyfile": _copy, "shutil.copy2": _copy,
    "shutil.move": _copy, "shutil.copytree": _copy, "os.rename": _copy, "os.replace": _copy,
    "hmac.new": _hmac,
    "math.atan2": _atan2, "os.path.join": _path_join, "datetime.datetime.combine": _combine, "open": _open,
    "map": _function_first, "filter": _function_first, "functools.reduce": _function_first,
    "enumerate": _enumerate,
    "range": _range, "numpy.clip": clip, "torch.clamp": clip, "torch.clip": clip,
}  # fmt: skip
