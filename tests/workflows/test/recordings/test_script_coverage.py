"""Statements by the blocks of code that V8 counted; the code is the source itself, or has a map."""

from __future__ import annotations

from wardround.workflows.test.recordings.script_coverage import Block, FileLines, ScriptCoverage
from wardround.workflows.test.scripts.source_map import GeneratedCode

TEXT = """\
export function f(a) {
  if (a) {
    g();
  }
  if (a) return 1;
  return a ? 2 : 3;
}
const h = () => 4;
"""
ALL: Block = (-5, len(TEXT) + 5, 1)
F = TEXT.index("function"), TEXT.index("const h") - 1
BLOCK = TEXT.index("{\n    g"), TEXT.index("if (a) return") - 3
RETURN = TEXT.index("return 1"), TEXT.index("return a") - 3
H = TEXT.index("() =>"), TEXT.index("4;") + 1


def covered(*runs: list[Block]) -> FileLines:
    coverage = ScriptCoverage("a.js", TEXT)
    for number, blocks in enumerate(runs):
        coverage.add(f"{number}.test.js", "code", GeneratedCode(TEXT), blocks)
    found = coverage.result(is_loaded=True)
    assert found is not None
    return found


def test_statements_ran_if_their_innermost_block_did() -> None:
    found = covered([ALL, (*F, 2), (*BLOCK, 0), (*RETURN, 0), (*H, 0)])

    assert found.lines == {2: True, 3: False, 5: True, 6: True, 8: False}


def test_the_runs_of_several_tests_add_up() -> None:
    found = covered([ALL, (*F, 0), (*H, 1)], [ALL, (*F, 1), (*BLOCK, 1), (*RETURN, 0), (*H, 0)])

    assert found.lines == {2: True, 3: True, 5: True, 6: True, 8: True}
    assert found.tests[3] == {"1.test.js"}
    assert found.tests[8] == {"0.test.js"}


def test_a_condition_of_which_one_way_was_taken_is_partial() -> None:
    other = TEXT.index(": 3"), TEXT.index(": 3") + 3
    found = covered([ALL, (*F, 2), (*BLOCK, 2), (*RETURN, 0), (*other, 0), (*H, 1)])

    assert found.partial == {2, 5, 6}


def test_a_way_whose_own_line_did_not_run_makes_no_partial_line() -> None:
    assert 2 not in covered([ALL, (*F, 2), (*BLOCK, 0), (*RETURN, 1), (*H, 1)]).partial


def test_the_other_way_taken_by_another_test_completes_a_condition() -> None:
    item: list[Block] = [ALL, (*F, 1), (*BLOCK, 1), (*RETURN, 0)]
    other: list[Block] = [ALL, (*F, 1), (*BLOCK, 0), (*RETURN, 1)]

    assert {2, 5}.isdisjoint(covered(item, other).partial)


def test_code_that_cannot_be_traced_makes_the_lines_unknown() -> None:
    coverage = ScriptCoverage("a.js", TEXT)
    coverage.add("a.test.js", "code", GeneratedCode("other()"), [ALL])

    assert coverage.result(is_loaded=True) is None


def test_no_statement_of_a_file_ran_that_no_test_loaded() -> None:
    found = ScriptCoverage("a.js", TEXT).result(is_loaded=False)

    assert found is not None
    assert set(found.lines.values()) == {False}
