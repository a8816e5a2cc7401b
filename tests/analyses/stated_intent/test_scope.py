"""A hunk outside of the stated intent gets a note; one that belongs to the change by any evidence gets
none.
"""

from __future__ import annotations

from wardround.analyses.stated_intent.scope import MOST_HUNKS, HunkScope, stray_hunks
from wardround.retrieval.hunk_search import ChangedCode

MESSAGE = "Retry failed uploads of invoices\n\nThe storage drops connections at night."
UPLOAD = ChangedCode(
    "billing/upload.py", 10, 20, "def upload_invoice(invoice):",
    "for attempt in range(RETRIES):\n    storage.store_invoice(invoice)\nexcept ConnectionDropped:",
)  # fmt: skip
RETRIES = ChangedCode("billing/limits.py", 3, 3, "", "RETRIES = 3  # uploads of invoices before giving up")
TEST = ChangedCode(
    "tests/billing/test_upload.py", 5, 9, "def test_upload():",
    "storage = DroppingStorage(times=2)\nupload_invoice(INVOICE)\nassert storage.attempts == 3",
)  # fmt: skip
FOREIGN = ChangedCode(
    "frontend/palette.css", 40, 44, "",
    ".sidebar-badge { background: crimson; border-radius: 4px; letter-spacing: 2px; font-weight: bold }",
)  # fmt: skip
CHANGE = (UPLOAD, RETRIES, TEST, FOREIGN)


def noted(*hunks: ChangedCode, texts: tuple[str, ...] = (MESSAGE,)) -> list[str]:
    return [note.file for note in stray_hunks(texts, hunks)]


def test_a_hunk_that_is_related_to_nothing_gets_a_note_with_its_lines() -> None:
    (note,) = stray_hunks((MESSAGE,), CHANGE)

    assert (note.file, note.line, note.end_line) == ("frontend/palette.css", 40, 44)
    assert "no distinctive word" in note.reason


def test_a_hunk_that_a_criterion_of_the_ticket_names_gets_none() -> None:
    assert noted(*CHANGE, texts=(MESSAGE, "The badge in the sidebar turns crimson")) == []


def test_a_hunk_that_resembles_another_one_gets_none() -> None:
    other = ChangedCode(
        "frontend/card.tsx", 1, 2, "", '<Badge className="sidebar-badge crimson letter-spacing" />'
    )

    assert noted(*CHANGE, other) == []


def test_a_hunk_in_a_file_with_another_hunk_gets_none() -> None:
    other = ChangedCode(FOREIGN.path, 90, 90, "", "/* used by the invoice uploads */")

    assert noted(*CHANGE, other) == []


def test_a_hunk_that_has_a_composite_name_of_another_one_gets_none() -> None:
    helper = ChangedCode(
        "core/pacing.py",
        1,
        9,
        "",
        "def jittered_pause(seed, ceiling, floor):\n    clamp(exponent, ceiling, floor)",
    )
    user = ChangedCode(
        UPLOAD.path, UPLOAD.line, UPLOAD.end_line, "", f"{UPLOAD.text}\n    jittered_pause(7, 3, 1)"
    )

    assert noted(UPLOAD, RETRIES, TEST, helper) == ["core/pacing.py"]
    assert noted(user, RETRIES, TEST, helper) == []


def test_a_vague_message_states_no_intent() -> None:
    assert noted(*CHANGE, texts=("bug fixes and improvements",)) == []


def test_a_message_about_formatting_has_no_scope() -> None:
    assert noted(*CHANGE, texts=("Format the billing package with black",)) == []


def test_generated_files_and_small_hunks_get_none() -> None:
    lock = ChangedCode("pnpm-lock.yaml", 1, 9, "", FOREIGN.text)
    small = ChangedCode("frontend/palette.css", 1, 1, "", "color: crimson")

    assert noted(UPLOAD, RETRIES, TEST, lock) == []
    assert noted(UPLOAD, RETRIES, TEST, small) == []


def test_small_and_very_large_changes_are_not_judged() -> None:
    many = [
        ChangedCode(f"billing/part{number}.py", 1, 1, "", "invoice upload") for number in range(MOST_HUNKS)
    ]

    assert noted(UPLOAD, FOREIGN) == []
    assert noted(*many, FOREIGN) == []


def test_many_such_hunks_show_that_the_message_is_too_short_to_judge_by() -> None:
    other = ChangedCode(
        "infra/alerts.tf", 1, 9, "", "pager oncall { escalation = primary, quiet = holiday, snooze = weekly }"
    )  # fmt: skip

    assert noted(UPLOAD, RETRIES, FOREIGN, other) == []


def test_a_foreign_hunk_has_the_lowest_score() -> None:
    scores = HunkScope(
        (MESSAGE,), (*CHANGE, ChangedCode("billing/retry.py", 1, 2, "", "retry upload"))
    ).scores()

    assert min(scores) == scores[CHANGE.index(FOREIGN)]


def test_the_order_of_the_hunks_has_no_effect() -> None:
    assert stray_hunks((MESSAGE,), CHANGE) == stray_hunks((MESSAGE,), CHANGE[::-1])
