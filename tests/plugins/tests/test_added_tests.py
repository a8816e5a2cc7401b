"""Tests that a change adds: they run, assert something that is not constant, and use what changed."""

from __future__ import annotations

import textwrap

import pytest
from wardround_tests.analysis.added_tests import adds_test

WORDS = frozenset({"prices", "mean", "price-list"})
TEST = """
    from shop.prices import mean

    def test_mean():
        assert mean([1, 3]) == 2
"""
SCRIPT = """
    import { mean } from './prices'

    test('mean', () => {
      expect(mean([1, 3])).toBe(2)
    })
"""


def adds(path: str, text: str, added: range | None = None) -> bool:
    shown = textwrap.dedent(text)
    return adds_test(path, shown, added or range(1, shown.count("\n") + 2), WORDS)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_mean.py", TEST),
        ("tests/unit/mean_test.py", TEST),
        ("tests/test_mean.py", TEST.replace("assert mean([1, 3]) == 2", "check_mean([1, 3], 2)")),
        ("tests/test_mean.py", TEST.replace("assert mean([1, 3]) == 2", "self.assertEqual(mean([1, 3]), 2)")),
        ("tests/test_api.py", "def test_api(client):\n    assert client.get('/prices').status_code == 200\n"),
        ("tests/test_mean.py", f"class TestMean:\n{textwrap.indent(textwrap.dedent(TEST), '    ')}"),
        (
            "tests/test_mean.py",
            "def test_mean():\n    with raises(ValueError, match='no prices'):\n        prices.mean([])\n",
        ),
        (
            "tests/test_mean.py",
            "def test_mean():\n    try:\n        assert prices.mean([1]) == 7\n    finally:\n        pass\n",
        ),
        ("web/prices.test.ts", SCRIPT),
        ("web/__tests__/prices.js", SCRIPT),
        ("web/list.test.ts", SCRIPT.replace("mean", "sum").replace("./prices", "./price-list")),
    ],
)
def test_a_test_of_the_change_counts(path: str, text: str) -> None:
    assert adds(path, text)


@pytest.mark.parametrize(
    "text",
    [
        TEST.replace("assert mean([1, 3]) == 2", "mean([1, 3])"),
        TEST.replace("assert mean([1, 3]) == 2", "assert True"),
        TEST.replace("assert mean([1, 3]) == 2", '"""Assert the mean."""'),
        TEST.replace("mean([1, 3])", "other([1])").replace("shop.prices import mean", "other import other"),
        TEST.replace("def test_mean", "def mean_test"),
        TEST.replace("    def test_mean", "    @pytest.mark.skip(reason='slow')\n    def test_mean"),
        TEST.replace("    def test_mean", "    @unittest.skipIf(True, '')\n    def test_mean"),
        TEST.replace("    def test_mean", "    pytestmark = pytest.mark.skip\n\n    def test_mean"),
        TEST.replace(
            "    def test_mean", "    pytest.skip('slow', allow_module_level=True)\n\n    def test_mean"
        ),
        TEST.replace("        assert", "        pytest.skip('slow')\n        assert"),
        TEST.replace("assert mean([1, 3]) == 2", "assert mean"),
        TEST.replace("assert mean([1, 3]) == 2", "assert mean is not None"),
        TEST.replace("assert mean([1, 3]) == 2", "assert callable(mean)"),
        TEST.replace("assert mean([1, 3]) == 2", "assert mean([1]) == mean([1])"),
        TEST.replace("assert mean([1, 3]) == 2", "assert all(mean(p) == 7 for p in [])"),
        TEST.replace("        assert", "        if False:\n            assert"),
        TEST.replace("        assert", "        for prices in []:\n            assert"),
        TEST.replace("        assert", "        def check():\n            assert"),
        TEST.replace("        assert", "        return\n        assert"),
        TEST.replace("    def test_mean", "    __test__ = False\n\n    def test_mean"),
        TEST.replace("    def test_mean", "    pytest.importorskip('none')\n\n    def test_mean"),
        TEST.replace("    def test_mean", "    raise SkipTest('slow')\n\n    def test_mean"),
        f"{TEST}    del test_mean\n",
        f"{TEST}    test_mean = None\n",
        "def test_mean():\n    try:\n        assert prices.mean()\n    except Exception:\n        pass\n",
        "class TestMean:\n    __test__ = False\n    def test_mean(self):\n        assert prices.mean()\n",
        f"@{'-' * 5000}mark\ndef test_mean():\n    assert prices.mean([1]) == 1\n",
        "class Mean:\n    def test_mean(self):\n        assert prices.mean([1]) == 1\n",
        "def test_mean(:\n",
        "",
    ],
)
def test_a_python_test_without_evidence_does_not_count(text: str) -> None:
    assert not adds("tests/test_mean.py", text)


@pytest.mark.parametrize(
    "path",
    ["examples/test_mean.py", "docs/test_mean.py", ".cache/test_mean.py", "tests/mean.py", "conftest.py"],
)
def test_a_file_that_no_runner_collects_does_not_count(path: str) -> None:
    assert not adds(path, TEST)


@pytest.mark.parametrize("added", [range(1, 2), range(3, 4), range(9, 10)])
def test_lines_outside_the_test_do_not_count(added: range) -> None:
    assert not adds("tests/test_mean.py", TEST, added)


@pytest.mark.parametrize(
    "text",
    [
        SCRIPT.replace("expect(mean([1, 3])).toBe(2)", "mean([1, 3])"),
        SCRIPT.replace("expect", "// expect"),
        SCRIPT.replace("test('mean'", "test.skip('mean'"),
        SCRIPT.replace("test('mean'", "xit('mean'"),
        SCRIPT.replace("mean", "other").replace("prices", "others"),
        "expect(mean([1])).toBe(1)\n",
    ],
)
def test_a_script_test_without_evidence_does_not_count(text: str) -> None:
    assert not adds("web/prices.test.ts", text)


RULE_CASES = """
    import rule from '../src/prices'

    ruleTester.run('no-float', rule, {
      valid: ['a = 1'],
      invalid: [
        {
          code: 'a = 0.1',
          errors: [{ line: 1, messageId: 'float' }],
        },
      ],
    })
"""


def test_a_case_of_a_rule_tester_is_a_test() -> None:
    assert adds("tests/rules/no-float.test.ts", RULE_CASES, range(7, 11))
    assert not adds("tests/rules/no-float.test.ts", RULE_CASES, range(2, 3))
    assert not adds(
        "tests/rules/no-float.test.ts", RULE_CASES.replace("ruleTester.run", "describe"), range(7, 11)
    )
