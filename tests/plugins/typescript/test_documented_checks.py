"""The checks of JSDoc comments within a review of a real repository."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from wardround_typescript.docdrift.jsdoc_check import JsDocCheck
from wardround_typescript.specialist import TypescriptSpecialist

from tests.conftest import GitRepository
from wardround.checks.source import SourceFile

BEFORE = """\
import { carry } from "post";

/**
 * Sends a text.
 *
 * @param to - who gets it
 * @param text - what is sent
 * @param tries - how often it is tried
 */
export function send(to: string, text: string, tries = 3): void {
  carry(to, text, tries);
}
"""
RULES = ("typescript/TS001", "typescript/TS002", "typescript/TS003")


def found_in(repo: GitRepository, after: str, path: str = "mail.ts") -> list[dict[str, Any]]:
    repo.commit({path: BEFORE})
    repo.stage({path: after})
    report = repo.report("--staged", "--only", "typescript", "--exit-zero")
    return [found for found in report["findings"] if found["rule"] in RULES]


def test_removed_parameter_is_reported_at_its_unchanged_comment(
    repo: GitRepository,
) -> None:
    (found,) = found_in(repo, BEFORE.replace(", tries = 3", "").replace(", tries)", ")"))
    assert (found["rule"], found["line"], found["column"]) == ("typescript/TS001", 8, 11)
    assert (found["status"], found["severity"]) == ("caused", "warn")
    assert (
        found["message"] == '"tries" is documented here, but this change removes it from the signature; '
        "update the comment"
    )


def test_new_parameter_is_reported_at_its_declaration(repo: GitRepository) -> None:
    (found,) = found_in(repo, BEFORE.replace("tries = 3", "tries = 3, wait = 1"))
    assert (found["rule"], found["line"], found["column"]) == ("typescript/TS002", 10, 59)
    assert (found["status"], found["severity"]) == ("new", "info")


def test_updated_comment_is_not_reported(repo: GitRepository) -> None:
    after = BEFORE.replace("tries = 3", "attempts = 3").replace(", tries)", ", attempts)")
    assert found_in(repo, after.replace("@param tries", "@param attempts")) == []


def test_sweeping_changes_are_not_reported() -> None:
    old = "".join(BEFORE.partition("/**")[2].join(("/**", "")).replace("send", f"send{n}") for n in range(20))
    assert said(old, old.replace(", tries = 3", "")) == []
    assert len(said(old, old.replace(", tries = 3", "", 3))) == 3


def said(old: str, new: str) -> Sequence[str]:
    source = SourceFile("mail.ts", new, lambda: old)
    checks = [check for check in TypescriptSpecialist().checks if issubclass(check, JsDocCheck)]
    return [result.code for result in TypescriptSpecialist().run_checks(checks, source)]


def test_file_without_jsdoc_comments_imports_no_scanner() -> None:
    program = (
        "import sys\n"
        "from wardround.checks.source import SourceFile\n"
        "from wardround_typescript.specialist import TypescriptSpecialist\n"
        "one = TypescriptSpecialist()\n"
        "for base in ('/** a */\\nf(1)', 'f(2)', None):\n"
        "    source = SourceFile('a.ts', '/** a */\\nf(2)', lambda: base)\n"
        "    assert [r for r in one.run_checks(one.checks, source) if r.code < 'TS010'] == []\n"
        "late = {'wardround_typescript.docdrift.doc_code_mismatch',"
        " 'wardround.semantics.docdrift.stale_phrases'}\n"
        "print(sorted(late & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
