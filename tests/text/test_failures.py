"""A failure is named by the first line of its error."""

from __future__ import annotations

import pytest

from wardround.text.failures import error_line

PYTEST = """\
    def test_total():
>       assert total([1]) == 2
E       AssertionError: the total is wrong
E         for one item
E       assert 1 == 2

test_a.py:5: AssertionError
"""
CHAINED = """\
Traceback (most recent call last):
  File "/tree/a.py", line 1, in <module>
    import b
KeyError: 'b'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/tree/conftest.py", line 3, in <module>
    raise RuntimeError("no settings\\nset SETTINGS")
RuntimeError: no settings
set SETTINGS
to the file
"""
SCRIPT = """\
/tree/a.js:3
throw new TypeError("no list")
TypeError: no list
    at main (/tree/a.js:3:7)
  code: 'E1'

Node.js v22
"""
SYNTAX = """\
tests/test_m.py:2: in <module>
    from m import add
E     File "/tree/src/m.py", line 2
E       return a +
E                 ^
E   SyntaxError: invalid syntax
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (PYTEST, "AssertionError: the total is wrong"),
        (CHAINED, "RuntimeError: no settings"),
        (SCRIPT, "TypeError: no list"),
        (
            '  File "a.py", line 1\n    x =\n      ^\nSyntaxError: invalid syntax\n',
            "SyntaxError: invalid syntax (a.py, line 1)",
        ),
        (SYNTAX, "SyntaxError: invalid syntax (m.py, line 2)"),
        ("collecting\nno tests\n    at x (a.js:1:1)\n", "no tests"),
        ("", ""),
    ],
)
def test_it_is_found(text: str, line: str) -> None:
    assert error_line(text) == line
