"""Suggested fixes keep comments and formatting; there is none where the result is uncertain."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from wardround_python.checks.callers.ignored_return_value import IgnoredReturnValue
from wardround_python.checks.collections.mutation_during_iteration import MutationDuringIteration
from wardround_python.checks.concurrency.blocking_in_async import BlockingInAsync
from wardround_python.checks.control_flow.constant_condition import ConstantCondition
from wardround_python.checks.control_flow.late_binding import LateBinding
from wardround_python.checks.crypto.insecure_comparison import InsecureComparison
from wardround_python.checks.crypto.peer_verification_disabled import PeerVerificationDisabled
from wardround_python.checks.errors.exception_not_raised import ExceptionNotRaised
from wardround_python.checks.injection.unsafe_archive_extraction import UnsafeArchiveExtraction
from wardround_python.checks.numeric.timedelta_seconds_instead_of_total import TimedeltaSecondsInsteadOfTotal
from wardround_python.checks.resources.context_manager_without_finally import ContextManagerWithoutFinally
from wardround_python.checks.resources.unclosed_handle import UnclosedHandle
from wardround_python.checks.types.missing_f_prefix import MissingFPrefix
from wardround_python.fixes.added_import import import_edit

from wardround.checks.source import SourceFile
from wardround.findings import SuggestedFix
from wardround.fixes.edits import apply
from wardround.languages.python.module import PythonModule

if TYPE_CHECKING:
    from wardround_python.check import PythonCheck

    from tests.conftest import GitRepository


def fixes_of(check: type[PythonCheck], text: str) -> Sequence[SuggestedFix | None]:
    created = check(SourceFile("case.py", text))
    created.run()
    return [result.fix for result in created.results]


def fixed(check: type[PythonCheck], text: str) -> str:
    """Return the source after the fix of its only finding."""
    text = dedent(text)
    (fix,) = fixes_of(check, text)
    assert fix is not None
    return apply(text, fix.edits)


FIXED = [
    pytest.param(
        UnsafeArchiveExtraction,
        """
        import tarfile
        def unpack(path, folder):
            tar = tarfile.open(path)
            for member in tar:
                tar.extract(
                    member,  # the file
                    folder,  # the place
                )
        """,
        """
        import tarfile
        def unpack(path, folder):
            tar = tarfile.open(path)
            for member in tar:
                tar.extract(
                    member,  # the file
                    folder,  # the place
                    filter="data",
                )
        """,
        id="an argument is added on a line of its own",
    ),
    pytest.param(
        PeerVerificationDisabled,
        """
        import boto3
        s3 = boto3.client(
            's3',
            verify=False,
        )
        """,
        """
        import boto3
        s3 = boto3.client(
            's3',
        )
        """,
        id="an argument is removed with its line",
    ),
    pytest.param(
        InsecureComparison,
        """
        def check(request, api_secret):
            if request.headers['token'] != api_secret:  # wrong
                return 401
        """,
        """
        import hmac

        def check(request, api_secret):
            if not hmac.compare_digest(request.headers['token'], api_secret):  # wrong
                return 401
        """,
        id="a missing import is added",
    ),
    pytest.param(
        ContextManagerWithoutFinally,
        """
        from contextlib import asynccontextmanager
        @asynccontextmanager
        async def f(pool):
        \tc = await pool.get()

        \tyield c

        \t# back
        \tawait pool.release(c)  # now
        """,
        """
        from contextlib import asynccontextmanager
        @asynccontextmanager
        async def f(pool):
        \tc = await pool.get()

        \ttry:
        \t\tyield c
        \tfinally:
        \t\t# back
        \t\tawait pool.release(c)  # now
        """,
        id="indentation of the file is used",
    ),
    pytest.param(
        UnclosedHandle,
        '''
        def f(p):
            if p:
                # each
                for line in open(p):
                    g("""a
        b""", line)  # text
            return 1
        ''',
        '''
        def f(p):
            if p:
                # each
                with open(p) as file:
                    for line in file:
                        g("""a
        b""", line)  # text
            return 1
        ''',
        id="a text of several lines keeps its lines",
    ),
    pytest.param(
        TimedeltaSecondsInsteadOfTotal,
        """
        def f(a, now):
            if a:
                return 1
            elif ("ä", (now - a.made)  .seconds > 5):
                return 2
        """,
        """
        def f(a, now):
            if a:
                return 1
            elif ("ä", (now - a.made).total_seconds() > 5):
                return 2
        """,
        id="elif and letters beyond ASCII",
    ),
    pytest.param(
        ExceptionNotRaised,
        """
        def f(a):
            raise ValueError(
                "no %s",
                a,
            )
        """,
        """
        def f(a):
            raise ValueError(
                "no %s" % (a,),
            )
        """,
        id="values of an error text",
    ),
    pytest.param(
        MissingFPrefix,
        """
        def f(a, b):
            raise ValueError(
                "no {a}, "  # first
                'or ' r"no {b}"
            )
        """,
        """
        def f(a, b):
            raise ValueError(
                f"no {a}, "  # first
                'or ' fr"no {b}"
            )
        """,
        id="each piece with braces gets its f",
    ),
    pytest.param(
        ConstantCondition,
        """
        def f(x):
            return x != 1 or x != 2
        """,
        """
        def f(x):
            return x != 1 and x != 2
        """,
        id="another operator",
    ),
    pytest.param(
        LateBinding,
        """
        for n in names:
            buttons.append(lambda event: press(n, event))
        """,
        """
        for n in names:
            buttons.append(lambda event, n=n: press(n, event))
        """,
        id="a default after other parameters",
    ),
    pytest.param(
        BlockingInAsync,
        """
        import asyncio
        import time
        async def f():
            if True: time.sleep(1)
        """,
        """
        import asyncio
        import time
        async def f():
            if True: await asyncio.sleep(1)
        """,
        id="a statement on the line of another",
    ),
]


LAYOUTS = [
    ("tar.extract(m)", 'tar.extract(m, filter="data")'),
    ("tar.extract(m, p,)", 'tar.extract(m, p, filter="data",)'),
    ("tar.extract( (m) )", 'tar.extract( (m), filter="data" )'),
    ("tar.extract(m,\n        p)", 'tar.extract(m,\n        p,\n        filter="data")'),
    (
        "tar.extract(\n        m  # the file\n    )",
        'tar.extract(\n        m,  # the file\n        filter="data"\n    )',
    ),
    ("print(f'{tar.extract(m)} done')", "print(f'{tar.extract(m, filter=\"data\")} done')"),
    ("tar.extract(m for m in tar)", None),
    ("tar.extract(m  # the file\n    , p)", 'tar.extract(m  # the file\n    , p, filter="data")'),
    ("tar.extract(m  # the file\n    ,)", None),
]


@pytest.mark.parametrize(("before", "after"), LAYOUTS)
def test_an_argument_is_spaced_as_the_others(before: str, after: str | None) -> None:
    start = "import tarfile\ndef unpack(path, p):\n    tar = tarfile.open(path)\n    for m in tar:\n        "
    text = f"{start}{before}\n"
    (fix,) = fixes_of(UnsafeArchiveExtraction, text)
    assert (fix and apply(text, fix.edits)) == (after and f"{start}{after}\n")


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ('"""Doc."""\n\nimport os\nimport re\n\n\n', (5, "import hmac\n")),
        ("import os\nX = 1\n", (2, "import hmac\n\n")),
        ("#!/usr/bin/env python3\n# Licence.\n\nX = 1\n", (4, "import hmac\n\n")),
        ('"""Doc."""\n', (2, "import hmac\n")),
        ("import os; X = 1\n", None),
        ("import os\r\nX = 1\r\n", (2, "import hmac\r\n\r\n")),
    ],
)
def test_an_import_is_added_after_the_first_imports(text: str, added: tuple[int, str] | None) -> None:
    edit = import_edit(SourceFile("case.py", text), PythonModule("case.py", text), "hmac")
    assert (edit and (edit.span.line, edit.replacement)) == added


@pytest.mark.parametrize(("check", "before", "after"), FIXED)
def test_fix_keeps_what_it_does_not_change(check: type[PythonCheck], before: str, after: str) -> None:
    assert fixed(check, before) == dedent(after)


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (IgnoredReturnValue, "def f(name):\n    name.strip(); g()\n    return name\n"),
        (MissingFPrefix, "def f(row):\n    raise ValueError('no {row[name]}')\n"),
        (MissingFPrefix, "def f(row):\n    raise ValueError('no {row} in { }')\n"),
        (MutationDuringIteration, "for n, row in enumerate(rows):\n    rows.pop(n)\n"),
        (UnclosedHandle, "def f(ps):\n    return lambda p: json.load(open(p))\n"),
        (UnclosedHandle, "def f(p, file):\n    return open(p).read()\n"),
    ],
)
def test_no_fix_is_suggested_where_the_result_is_uncertain(check: type[PythonCheck], text: str) -> None:
    assert fixes_of(check, text) == [None]


@pytest.mark.parametrize(
    ("check", "text", "safe"),
    [
        (TimedeltaSecondsInsteadOfTotal, "def f(a, now):\n    return (now - a.made).seconds > 5\n", True),
        (TimedeltaSecondsInsteadOfTotal, "def f(a, now):\n    return (now - a.made).seconds\n", False),
        (MutationDuringIteration, "for row in rows:\n    rows.remove(row)\n", True),
        (MutationDuringIteration, "for row in rows:\n    rows.remove(row.parent)\n", False),
        (MissingFPrefix, "def f(name):\n    raise ValueError('no {name} here')\n", True),
        (MissingFPrefix, "def f(a):\n    name = a\n    raise ValueError('no {name} here')\n", False),
        (
            InsecureComparison,
            "import hmac\ndef check(request, api_key):\n    return request.headers['token'] == api_key\n",
            False,
        ),
    ],
)
def test_only_a_certain_repair_is_safe(check: type[PythonCheck], text: str, safe: bool) -> None:
    (fix,) = fixes_of(check, text)
    assert fix is not None
    assert fix.safe is safe


def test_rewrites_are_not_imported_without_a_fix() -> None:
    program = (
        "import sys\n"
        "from wardround.checks.source import SourceFile\n"
        "from wardround_python.checks.resources.unclosed_handle import UnclosedHandle\n"
        "UnclosedHandle(SourceFile('a.py', 'with open(p) as f: f.read()')).run()\n"
        "assert 'wardround_python.fixes.rewrite' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_safe_fixes_are_applied_by_a_review(repo: GitRepository) -> None:
    repo.commit({"jobs.py": "import json\n"})
    repo.write(
        "jobs.py",
        "import json\n\n\ndef load(path, jobs):\n    data = json.load(open(path))  # all\n"
        "    for job in jobs:\n        if job not in data:\n            jobs.remove(job)\n    return data\n",
    )
    repo.git("add", "jobs.py")
    repo.wardround("review", "--fix")
    assert (repo.root / "jobs.py").read_text() == (
        "import json\n\n\ndef load(path, jobs):\n    with open(path) as file:\n"
        "        data = json.load(file)  # all\n    for job in list(jobs):\n        if job not in data:\n"
        "            jobs.remove(job)\n    return data\n"
    )
