"""Feed every parser of untrusted text with mutated samples and noise; only documented errors may be raised.

``python benchmarks/fuzz.py --inputs 1000000 --seed 1`` prints the number of inputs of each target. An input
that breaks a target is printed with its traceback, and the status is 1. ``tests/fuzz`` runs the same targets.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec
from wardround_python import tools
from wardround_python.specialist import PythonSpecialist
from wardround_python.syntax import host_adapter
from wardround_text.semgrep import parse_semgrep

from wardround.change.diff import FilePatch, hunks_of, read_patch, unquote
from wardround.config import loader
from wardround.errors import ConfigError, DiffError, ToolOutputError
from wardround.findings import RawFinding
from wardround.processors import suppressions
from wardround.tools.ast_grep import parse_ast_grep
from wardround.tools.tool import Invocation

FILES = ("a.py", "pkg/ä b.py")
RUN = Invocation(Path("/bin/true"), Path("/snapshot"), FILES, None, Path("/scratch"))
PARSER_ERRORS = (ToolOutputError, msgspec.MsgspecError, UnicodeDecodeError, ValueError)
"""msgspec rejects unlimited nesting with the last; the host reports all of them as "not reviewed"."""


@dataclass(frozen=True)
class Target:
    """A parser of untrusted bytes.

    Attributes:
        run: parses the bytes and checks the invariants of the result.
        errors: the documented exceptions.
        samples: valid initial inputs.
        words: meaningful fragments.
    """

    name: str
    run: Callable[[bytes], None]
    errors: tuple[type[Exception], ...]
    samples: Sequence[bytes]
    words: Sequence[bytes] = ()


# What is run


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def run_read_patch(data: bytes) -> None:
    patches = read_patch(text_of(data))
    assert [p.path for p in patches] == sorted({p.path for p in patches})
    for patch in patches:
        check_patch(patch)


def check_patch(patch: FilePatch) -> None:
    for path in filter(None, (patch.path, patch.base_path)):
        assert not path.startswith("/"), path
        assert ".." not in path.split("/"), path
    hunks = patch.hunks()
    assert sum(h.head_length for h in hunks) == sum(line.kind == "+" for line in patch.lines)
    assert sum(h.base_length for h in hunks) == sum(line.kind == "-" for line in patch.lines)


def run_hunks_of(data: bytes) -> None:
    lines = text_of(data).split("\n")
    start = next((i for i, line in enumerate(lines) if line.startswith("@@ ")), 0)
    of_the_file = takewhile(lambda line: not line.startswith("diff --git "), lines[start:])
    for hunk in hunks_of(line + "\n" for line in of_the_file):
        assert hunk.base_length >= 0
        assert hunk.head_length >= 0


def run_unquote(data: bytes) -> None:
    name = text_of(data)
    assert isinstance(unquote(name), str)
    assert unquote(quoted(name)) == name


def quoted(name: str) -> str:
    """A path as git quotes it."""
    data = name.encode("utf-8", "surrogateescape")
    letters = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
    body = [f"\\{letters[b]}" if b in letters else chr(b) if 32 <= b < 127 else f"\\{b:03o}" for b in data]
    return f'"{"".join(body)}"'


def run_suppressions(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    found, unreadable = suppressions.read(host_adapter.comments(text))
    lines = text.count("\n") + 1
    assert all(1 <= s.line <= lines and s.rules and all(s.rules) for s in found)
    assert all("wardround:" in u.text for u in unreadable)


def run_statements(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    statement_of = host_adapter.statements(text)
    for line in range(1, min(text.count("\n") + 2, 50)):
        first, last = statement_of(line)
        assert first <= line <= last, (first, line, last)


SPECIALISTS = (PythonSpecialist(),)


def config_as(name: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        read = loader.read(lambda path: data if path == name else None, FILES, SPECIALISTS)
        assert read.root.jobs is None or read.root.jobs > 0
        assert read.root.tool_timeout is None or 0 < read.root.tool_timeout < math.inf
        for path in FILES:
            read.for_file(path)

    return run


def parser(parse: Callable[[bytes, Invocation], Sequence[RawFinding]]) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        for result in parse(data, RUN):
            assert result.file in FILES
            assert result.span.line >= 1
            assert "\n" not in result.message

    return run


# Samples

PATCH = b"""\
diff --git a/src/a.py b/src/a.py
index 1111111..2222222 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,4 @@ def f():
 one
-two
+zwei
+zweieinhalb
 three
\\ No newline at end of file
@@ -10 +11,0 @@
-gone
diff --git "a/with\\tquote.py" "b/with\\tquote.py"
new file mode 100755
index 0000000..3333333
--- /dev/null
+++ "b/with\\tquote.py"
@@ -0,0 +1,2 @@
+a
+b
diff --git a/old.py b/new.py
similarity index 90%
rename from old.py
rename to new.py
--- a/old.py
+++ b/new.py
@@ -3 +3 @@
-x
+y
diff --git a/pic.png b/pic.png
Binary files a/pic.png and b/pic.png differ
diff --git a/dead.py b/dead.py
deleted file mode 100644
--- a/dead.py
+++ /dev/null
@@ -1 +0,0 @@
-x
"""
PLAIN_PATCH = b"--- a.py\t2026-01-01\n+++ a.py\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n"
SOURCE = b'''\
import os  # wardround: ignore[ruff/F401] kept for plugins
def f(x=[]):  # wardround: ignore[B006, PY001] - shared on purpose
    """wardround: ignore[nothing] in a string"""
    # wardround: ignore[ruff/E722]
    # wardround: ignore
    try:
        return x
    except:  # wardround:ignore[ruff/E722] legacy
        pass
@decorated
class C(Base, metaclass=M):
    async def g(self):
        async with a as b, c: yield f"{x!r:>{w}}"
match x:
    case {"a": [1, *_]} if y: ...
'''
SHARED_CONFIG = b"""\
[project]
name = "x"
[tool.wardround]
fail-level = "warn"
filter-mode = "file"
jobs = 2
tool-timeout = 1.5
skip = ["sql"]
exclude = ["gen/*", "a.py"]
baseline = "b.json"
[tool.wardround.inconclusive]
ci = "block"
[tool.wardround.rules]
"ruff/B006" = "off"
"ruff/S*" = "error"
[tool.wardround.python]
environment = ".venv"
settings-modules = ["*conf.py"]
"""
OWN_CONFIG = (
    SHARED_CONFIG.replace(b"[tool.wardround]\n", b"")
    .replace(b"tool.wardround.", b"")
    .replace(b'[project]\nname = "x"\n', b"")
)
ODD_CONFIG = b"# wardround\ntool = 1\n"
FOLDER_CONFIG = b'exclude = ["x"]\n[rules]\nPY001 = "info"\n[python]\nenvironment = ".venv"\n'


def encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


RUFF = encoded([
    {"cell": None, "code": "B006", "filename": "/snapshot/a.py", "message": "Do not use\nmutable",
     "location": {"row": 1, "column": 9}, "end_location": {"row": 1, "column": 11}, "noqa_row": 1,
     "fix": {"applicability": "unsafe", "message": "Replace", "edits": [
         {"content": "None", "location": {"row": 1, "column": 9}, "end_location": {"row": 1, "column": 11}}]},
     "url": "https://docs.astral.sh/ruff/rules/B006"},
    {"code": None, "filename": "pkg/ä b.py", "message": "SyntaxError", "url": None, "fix": None,
     "location": {"row": 3, "column": 1}, "end_location": {"row": 2, "column": 1}},
])  # fmt: skip
TY = encoded([
    {"check_name": "unresolved-import", "description": "unresolved-import: no module", "severity": "major",
     "fingerprint": "aa", "location": {"path": "a.py", "positions": {
         "begin": {"line": 1, "column": 8}, "end": {"line": 1, "column": 10}}}},
    {"check_name": "x", "description": "settings", "severity": "minor", "location": {
        "path": "", "positions": {"begin": {"line": 1, "column": 1}, "end": {"line": 1, "column": 1}}}},
])  # fmt: skip
PYRIGHT = encoded({
    "version": "1.1", "time": "1", "generalDiagnostics": [
        {"file": "/snapshot/a.py", "severity": "error", "message": "bad\n  worse", "rule": "reportCallIssue",
         "range": {"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 5}}},
        {"file": "/snapshot/a.py", "severity": "information", "message": "m"}],
    "summary": {"filesAnalyzed": 2, "errorCount": 1},
})  # fmt: skip
AST_GREP = encoded([
    {"text": "x", "file": name, "ruleId": "PY107", "message": "m", "severity": "warning", "range": {
        "byteOffset": {"start": 0, "end": 1}, "start": {"line": 0, "column": 0},
        "end": {"line": 0, "column": 1}}}
    for name in FILES
])  # fmt: skip
SEMGREP = encoded({
    "version": "1.182.0", "errors": [], "paths": {"scanned": list(FILES)}, "results": [
        {"check_id": "semgrep-0.acme.eval", "path": "a.py", "start": {"line": 1, "col": 1, "offset": 0},
         "end": {"line": 1, "col": 5, "offset": 4}, "extra": {"message": "tainted", "severity": "ERROR"}}],
})  # fmt: skip

DIFF_WORDS = (
    b"@@ -1,2 +3,4 @@", b"@@ -0,0 +1 @@", b"--- ", b"+++ ", b"diff --git ", b"\\ No newline at end of file",
    b"/dev/null", b"rename from ", b"rename to ", b"Binary files ", b"GIT binary patch",
    b"new file mode 100644", b"../", b"a/", b'"', b"\\303\\244", b"\\777", b"+", b"-", b" ", b"\r\n", b"\n",
    b"\x0c", b"\xe2\x80\xa8", b"@@ -1 +1,99999999999999999999 @@", b"@@ -18446744073709551616 +1 @@", b"@@",
    b".git/", b"\x85",
)  # fmt: skip
PYTHON_WORDS = (
    b"# wardround: ", b"ignore[", b"]", b"[", b"wardround:", b"ignore[a,,b]", b"ignore[]", b'"""', b"'",
    b"#", b"\n", b"\\\n", b"\t", b" ", b"\x0c", b"\0", b"\r", b"(", b")", b"{", b'f"{', b"lambda", b":",
    b"\xef\xbb\xbf", b"def f():", b"if x:", b"else:", b"async ", b"0o8", b"1__0", b"\xe2\x80\xa8", b"$",
    b"?", b"match x:\n case _:",
)  # fmt: skip
TOML_WORDS = (
    b"[tool]", b"tool = 1", b"tool.wardround = 1", b"[tool.wardround]", b"[[tool]]", b"[[tool.wardround]]",
    b"=", b"wardround", b"[rules]", b"rules = 1", b"exclude = 1", b"python = 1", b'python = ["x"]',
    b"jobs = 0", b"[", b"jobs = true", b"tool-timeout = nan", b"tool-timeout = inf", b"tool-timeout = -1",
    b"1979-05-27", b"{", b"}", b"''", b'""', b'"\\u0000"', b"[python.x]", b"\n", b"fail-level", b"'''",
    b"0x", b"1e999", b"baseline = ''", b"only = ['']", b"[inconclusive]", b"x.y.z = 1", b"environment = 1",
    b"settings-modules = {a = 1}",
)  # fmt: skip
JSON_WORDS = (
    b"null", b"true", b"[]", b"{}", b'""', b"-1", b"0", b"1e999", b"NaN", b"1.5", b"18446744073709551616",
    b"[" * 3, b'"\\ud800"', b'"\\u0000"', b"\n", b",", b":", b"}", b"]", b'"../a.py"',
    b'"/snapshot/../a.py"', b'"E902"', b'"io"', b"-9223372036854775808", b"\xff", b"1" * 400,
    b'"a.py\\u0000"',
)  # fmt: skip

TARGETS = (
    Target("diff", run_read_patch, (DiffError,), (PATCH, PLAIN_PATCH), DIFF_WORDS),
    Target("hunks", run_hunks_of, (DiffError,), (PATCH, PLAIN_PATCH), DIFF_WORDS),
    Target("unquote", run_unquote, (), (b'"with\\tquote\\303\\244.py"', b"plain.py"), DIFF_WORDS),
    Target("suppressions", run_suppressions, (), (SOURCE,), PYTHON_WORDS),
    Target("statements", run_statements, (), (SOURCE,), PYTHON_WORDS),
    Target("pyproject", config_as("pyproject.toml"), (ConfigError,), (SHARED_CONFIG, ODD_CONFIG), TOML_WORDS),
    Target("root-config", config_as(".wardround.toml"), (ConfigError,), (OWN_CONFIG,), TOML_WORDS),
    Target("pkg-config", config_as("pkg/.wardround.toml"), (ConfigError,), (FOLDER_CONFIG,), TOML_WORDS),
    Target("ruff", parser(tools.RUFF.parse), PARSER_ERRORS, (RUFF, b"[]"), JSON_WORDS),
    Target("ty", parser(tools.TY.parse), PARSER_ERRORS, (TY, b"[]"), JSON_WORDS),
    Target("pyright", parser(tools.PYRIGHT.parse), PARSER_ERRORS, (PYRIGHT,), JSON_WORDS),
    Target("ast-grep", parser(parse_ast_grep), PARSER_ERRORS, (AST_GREP, b"[]"), JSON_WORDS),
    Target(
        "semgrep", parser(partial(parse_semgrep, ids=["acme.eval"])), PARSER_ERRORS, (SEMGREP,), JSON_WORDS
    ),
)


# Mutation

NUMBER = re.compile(rb"-?\d+")
NUMBERS = (b"0", b"-1", b"1", b"2147483648", b"9223372036854775808", b"1" * 30, b"1e999", b"nan", b"[" * 3000)


def mutated(target: Target, random_: random.Random) -> bytes:
    """Return an input: noise, a sample with disturbed bytes, or JSON with exchanged values."""
    kind = random_.random()
    if kind < 0.05:
        return random_.randbytes(random_.randrange(200))
    sample = random_.choice(target.samples)
    if target.words is JSON_WORDS and kind < 0.6:
        return restructured(sample, random_)
    for _ in range(random_.choice((1, 1, 2, 3, 8))):
        sample = disturbed(sample, target, random_)
    return sample


def disturbed(data: bytes, target: Target, random_: random.Random) -> bytes:
    at = random_.randrange(len(data) + 1)
    to = min(len(data), at + random_.choice((1, 2, 5, 20, 100)))
    action = random_.randrange(8)
    if action == 0:
        return data[:at] + data[to:]
    if action == 1:
        return data[:to] + data[at:to] * random_.choice((1, 2, 50)) + data[to:]
    if action == 2:
        return data[:at] + random_.randbytes(random_.randrange(1, 4)) + data[to:]
    if action == 3:
        return data[:at]
    if action == 4:
        return swapped_lines(data, random_)
    if action == 5:
        numbers = list(NUMBER.finditer(data))
        match = random_.choice(numbers) if numbers else None
        return (
            data if match is None else data[: match.start()] + random_.choice(NUMBERS) + data[match.end() :]
        )
    if action == 6:
        depth = random_.choice((1, 3, 3000)) if random_.random() < 0.1 else 1
        return data[:at] + random_.choice(target.words) * depth + data[at:]
    return data[:at] + random_.choice(target.words) + data[to:]


def swapped_lines(data: bytes, random_: random.Random) -> bytes:
    lines = data.split(b"\n")
    item, other = random_.randrange(len(lines)), random_.randrange(len(lines))
    lines[item], lines[other] = lines[other], lines[item]
    return b"\n".join(lines)


ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1, 2**31, 2**63, 2**64, 10**40, 1.5, 1e308, "", "x", "a.py", "/snapshot/a.py",
    "../a.py", "/etc/passwd", "\0", "a\nb", "E902", "io", "\ud7ff", [], {}, [[]], {"": None},
)  # fmt: skip


def restructured(sample: bytes, random_: random.Random) -> bytes:
    """Return JSON with some of its values removed, duplicated or replaced."""
    lines = sample.split(b"\n") if b"\n" in sample else [sample]
    out = []
    for line in lines:
        if not line:
            continue
        value = [json.loads(line)]
        for _ in range(random_.choice((1, 1, 2, 4))):
            exchange(value, random_)
        out.append(encoded(value[0] if value else None))
    return b"\n".join(out)


def exchange(value: Any, random_: random.Random) -> None:
    locations = list(containers(value))
    container = random_.choice(locations)
    keys = list(container) if isinstance(container, dict) else list(range(len(container)))
    if not keys:
        return
    key = random_.choice(keys)
    action = random_.randrange(4)
    if action == 0 and container is not value:
        del container[key]
    elif action == 1 and isinstance(container, list) and container is not value:
        container.append(copy.deepcopy(container[key]))
    elif action == 2 and isinstance(container, dict):
        container[random_.choice(keys)] = copy.deepcopy(container[key])
    else:
        container[key] = copy.deepcopy(random_.choice(ODD))


def containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for below in value.values() if isinstance(value, dict) else value:
            yield from containers(below)


# The run


def attempt(target: Target, data: bytes) -> str:
    """Run one input and return its outcome.

    Raises:
        Exception: anything that the target does not document.
    """
    try:
        target.run(data)
    except target.errors as refusal:
        return type(refusal).__name__
    return "read"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--inputs", type=int, default=1_000_000, help="over all targets")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", choices=[t.name for t in TARGETS], action="append")
    options = arguments.parse_args()
    targets = [t for t in TARGETS if not options.only or t.name in options.only]
    broken = total = 0
    for number, target in enumerate(targets):
        share = options.inputs // len(targets) + (number < options.inputs % len(targets))
        random_ = random.Random(f"{options.seed} {target.name}")
        counts: Counter[str] = Counter()
        failures: Counter[str] = Counter()
        started = time.perf_counter()
        for _ in range(share):
            data = mutated(target, random_)
            try:
                counts[attempt(target, data)] += 1
            except Exception as crash:  # noqa: BLE001  (what may not come out is what is looked for)
                where = traceback.extract_tb(crash.__traceback__)[-1]
                name = f"{type(crash).__name__} at {Path(where.filename).name}:{where.lineno}"
                failures[name] += 1
                if failures[name] == 1:
                    print(f"{target.name}: {name}: {str(crash)[:200]}\n  {data[:600]!r}", flush=True)
        seconds = time.perf_counter() - started
        total += share
        broken += failures.total()
        outcome = ", ".join(f"{count} {name}" for name, count in counts.most_common())
        print(f"{target.name:<13}{share:>9} inputs {seconds:>7.1f} s  {outcome}; {failures.total()} broken",
              flush=True)  # fmt: skip
    print(f"{total} inputs, {broken} broken, seed {options.seed}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
