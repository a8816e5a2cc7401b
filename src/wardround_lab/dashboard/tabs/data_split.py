"""The part of the tab that splits examples into training and evaluation, and checks the split for leaks."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr
from markupsafe import Markup

from wardround.errors import WardroundError
from wardround_lab.corpora.audit import AuditCheck
from wardround_lab.corpora.sft import SftResult
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.actions.example_split import CheckedSplit, SplitRequest, split_examples
from wardround_lab.dashboard.actions.form_values import names_in, start_of_day
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.markup import Column, Table
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.outcome import REFUSED, SMALL, tell
from wardround_lab.dashboard.views.example_audits import LEAK_CHECKS, check_rows
from wardround_lab.dashboard.views.example_files import file_named

_LEAK_COLUMNS = (Column("Leak check"), Column("Result", "tag"), Column("What it found"))
_SHARE = 0.1


class SplitSection:
    """A form for a split.

    Attributes:
        fields: what ``choose`` fills; ``choices``: what ``names`` fills.
        ended: the event after which the page is stale.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        with gr.Accordion("Split into training and evaluation", open=False):
            inputs = gr.Dropdown(
                [], multiselect=True, label="Files to split",
                info="Reviewed records, or what data mine wrote. No repository is in both parts, and all of "
                "the training is older than the evaluation.",
            )  # fmt: skip
            with gr.Row(equal_height=True):
                name = gr.Textbox(label="New folder", value="sft", max_lines=1)
                share = gr.Number(
                    label="Share to evaluate with", value=_SHARE, minimum=0, maximum=1, step=0.05
                )
                since = gr.Textbox(
                    "", label="Evaluation since", placeholder="YYYY-MM-DD", max_lines=1,
                    info="empty: loses the fewest",
                )  # fmt: skip
            with gr.Row(equal_height=True):
                template = gr.Radio(["chat", "plain"], value="chat", label="Template")
                licences = gr.Textbox(
                    "", label="Further licences", info="unknown accepts missing ones", max_lines=1
                )
            with gr.Row():
                run = gr.Button("Split and check for leaks", variant="primary", **SMALL)
            outcome = html_output()
        self.fields = [inputs, outcome]
        self.choices = [inputs]
        self.ended = run.click(
            self._split, [inputs, name, share, since, template, licences], outcome,
            api_visibility="private", show_progress="minimal", concurrency_limit=1,
        )  # fmt: skip

    def choose(self, names: Sequence[str], chosen: Sequence[str]) -> list[object]:
        """Return the files to choose from, with those that are chosen."""
        return [gr.Dropdown(choices=list(names), value=list(chosen)), Markup("")]

    def names(self, names: Sequence[str]) -> list[object]:
        """Return the files to choose from; what is chosen stays."""
        return [gr.Dropdown(choices=list(names))]

    def _split(
        self, inputs: list[str], name: str, share: float | None, since: str, template: str, licences: str,
        progress: gr.Progress = gr.Progress(),  # noqa: B008  (Gradio recognises it by this default)
    ) -> Markup:  # fmt: skip
        data, repository = self._stores.data, self._stores.repository
        try:
            request = SplitRequest(
                inputs=tuple(file_named(data, file) for file in inputs or ()),
                name=name.strip(),
                share=share or 0.0,
                template="plain" if template == "plain" else "chat",
                since=start_of_day(since),
            )
            built = split_examples(
                repository, data, request, names_in(licences), lambda line: progress(None, desc=line)
            )
        except WardroundError as refusal:
            return tell(REFUSED, str(refusal))
        return markup.join(_outcome(built), markup.code(request.command(repository, data)))


def _outcome(built: CheckedSplit) -> Markup:
    checks = [check for check in built.audit.checks if check.name in LEAK_CHECKS]
    others = [check for check in built.audit.checks if check.name not in LEAK_CHECKS]
    word = "passed" if all(check.passed for check in checks) else "failed"
    rows = [(row.check, row.result.lower(), row.message) for row in check_rows(checks)]
    table = markup.table(Table("Leaks from the evaluation into the training", _LEAK_COLUMNS, rows))
    return markup.join(tell(word, _counts(built.result)), table, _further_failures(built, others))


def _counts(result: SftResult) -> str:
    return (
        f"{result.train:,} examples to train on, {result.evaluation:,} of "
        f"{len(result.evaluation_repositories)} other repositories to evaluate with; left out: "
        f"{result.duplicates:,} duplicates, {result.near:,} that resemble the evaluation, {result.unused:,} "
        "on the wrong side of the cut in time"
    )


def _further_failures(built: CheckedSplit, checks: Sequence[AuditCheck]) -> Markup:
    failures = [check.name for check in checks if not check.passed]
    if not failures:
        return Markup("")
    return markup.note(f"The audit of {built.folder.name} failed other checks too: {', '.join(failures)}.")
