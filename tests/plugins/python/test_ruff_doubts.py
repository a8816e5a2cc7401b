"""Findings of ruff about texts without values from outside."""

from __future__ import annotations

import pytest
from wardround_python.tools.false_positives.ruff import is_harmless

from wardround.findings import Span

_CONSTANT = [
    ("S602", "import subprocess\nLINE = 'df | tail'\nsubprocess.run(LINE, shell=True)\n", 3, 1),
    (
        "S602",
        "import shlex, subprocess\ndef f(n):\n    subprocess.run(f'wc {shlex.quote(n)}', shell=True)\n",
        3,
        5,
    ),
    (
        "S608",
        "def f(db, n):\n    db.execute('select * from t where n in (' + ','.join(['?'] * len(n)) + ')')\n",
        2,
        16,
    ),
    ("S608", "T = {'a': 'x'}\ndef f(db, k):\n    db.execute(f'select * from {T[k]}')\n", 3, 16),
    (
        "S307",
        "def f(k):\n    if k not in ('mean', 'sum'):\n        raise ValueError\n    return eval('s.' + k)\n",
        4,
        12,
    ),
    (
        "S202",
        "import tarfile\ndef f(p):\n    o = {'filter': 'data'}\n    tarfile.open(p).extractall(**o)\n",
        4,
        5,
    ),
    ("S113", "import requests\nO = {'timeout': 5}\nrequests.get('u', **O)\n", 3, 1),
    (
        "S608",
        "def f(db, p):\n    n = 86\n    b = 'x' if 7 * 42 - n > 200 else p\n    db.execute('select ' + b)\n",
        4,
        16,
    ),
    (
        "S605",
        "import os\ndef f(p):\n    v = ['a']\n    v.append(p)\n    b = v[0]\n    os.system('ls ' + b)\n",
        6,
        5,
    ),
    (
        "S317",
        "import xml.sax\nfrom xml.sax import handler\nr = xml.sax.make_parser()\n"
        "for one in (handler.feature_external_ges,):\n    r.setFeature(one, False)\n",
        3,
        5,
    ),
]
_OPEN = [
    (
        "S605",
        "import os\ndef f(p):\n    v = ['a']\n    v.append(p)\n    os.system('ls ' + v[1])\n",
        5,
        5,
    ),
    ("S202", "import tarfile\ndef f(p, o):\n    tarfile.open(p).extractall(**o)\n", 3, 5),
    ("S602", "import subprocess\ndef f(n):\n    subprocess.run(f'wc {n}', shell=True)\n", 3, 5),
    ("S608", "def f(db, k):\n    db.execute(f'select * from {k}')\n", 2, 16),
    ("S307", "def f(k):\n    return eval('s.' + k)\n", 2, 12),
    ("S113", "import requests\nO = {'verify': True}\nrequests.get('u', **O)\n", 3, 1),
    (
        "S608",
        "def f(db, p):\n    n = 86\n    b = 'x' if 7 * 42 - n > 250 else p\n    db.execute('select ' + b)\n",
        4,
        16,
    ),
    ("S317", "import xml.sax\nreader = xml.sax.make_parser()\n", 2, 10),
]


@pytest.mark.parametrize(("code", "source", "line", "column"), _CONSTANT)
def test_a_text_of_constants_is_harmless(code: str, source: str, line: int, column: int) -> None:
    assert is_harmless("a.py", source, code, Span(line, column, line, column + 1))


@pytest.mark.parametrize(("code", "source", "line", "column"), _OPEN)
def test_a_text_with_a_value_in_it_is_not(code: str, source: str, line: int, column: int) -> None:
    assert not is_harmless("a.py", source, code, Span(line, column, line, column + 1))


def test_a_module_that_cannot_be_read_is_not_harmless() -> None:
    assert not is_harmless("a.py", "def (:\n", "S608", Span(1, 1, 1, 2))
