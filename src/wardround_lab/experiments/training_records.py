"""Conversations of experiments as records for instruction tuning, of those whose rewards reach a value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from wardround.authoring.stages import Patch
from wardround.errors import UsageError
from wardround.planes.language_model.answer_text import documents_in
from wardround_lab.corpora.records import Curated
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.recorded_sequence import SELECTED
from wardround_lab.experiments.storage.model import Entry, EntryKind, RewardCondition, SequenceQuery
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

_EDITS = "edits"
_QUESTION, _ANSWER = "user", "assistant"
_TASK = "task"
"""A key of every question to an author; the complaint about an answer is not a JSON document."""


def training_records(
    storage: SequenceStorage, conditions: Sequence[RewardCondition], instances: Sequence[MinedInstance]
) -> Iterator[Curated]:
    """Yield one record for each sequence with a patch: the question to its author, and the answer.

    The answer is the document with the edits of the selected patch, without the text around it.

    Args:
        conditions: rewards that a sequence must have.
        instances: give the records their time, by which they are divided.

    Raises:
        UsageError: an instance of a sequence is not among the instances.
        StorageError: the storage cannot be read.
    """
    times = {instance.id: instance.date for instance in instances}
    for summary in storage.find(SequenceQuery(rewards=tuple(conditions), is_complete=True)):
        header = summary.header
        exchange = _exchange(storage.entries(header.id))
        if exchange is None:
            continue
        if header.instance not in times:
            raise UsageError(
                f"instance {header.instance} of run {header.run} is in no file of instances; add the file"
            )
        question, answer = exchange
        yield Curated(question, answer, "", header.repository, _seconds(times[header.instance]))


def _seconds(date: str) -> int:
    return int(datetime.fromisoformat(date).timestamp())


def _exchange(entries: Sequence[Entry]) -> tuple[str, str] | None:
    """Return the question and the answer that led to the selected patch; None without a patch."""
    patch = _selected_patch(entries)
    if patch is None or not patch.files:
        return None
    texts = {file.path: file.text or "" for file in patch.files}
    exchanges = ((question, _answer(text, texts)) for question, text in _question_answers(entries))
    found = [(question, answer) for question, answer in exchanges if answer is not None]
    return found[-1] if found else None


def _question_answers(entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Yield each answer with its question; complaints about an answer are no question."""
    question = ""
    for entry in entries:
        if entry.kind is not EntryKind.MESSAGE:
            continue
        content = msgspec.json.decode(bytes(entry.content), type=str)
        if entry.name == _ANSWER:
            yield question, content
        elif entry.name == _QUESTION and _is_question(content):
            question = content


def _selected_patch(entries: Sequence[Entry]) -> Patch | None:
    patches = [entry for entry in entries if entry.kind is EntryKind.PATCH]
    selected = [entry for entry in patches if entry.name == SELECTED] or patches[:1]
    return msgspec.json.decode(bytes(selected[-1].content), type=Patch) if selected else None


def _is_question(content: str) -> bool:
    try:
        document = json.loads(content)
    except ValueError:
        return False
    return isinstance(document, dict) and _TASK in document


def _answer(content: str, texts: Mapping[str, str]) -> str | None:
    """Return the document of an answer if its edits are those of a patch.

    Args:
        texts: path -> the file with the patch.
    """
    documents = [document for document in documents_in(content) if _has_edits(document, texts)]
    return json.dumps(documents[-1], ensure_ascii=False) if documents else None


def _has_edits(document: Any, texts: Mapping[str, str]) -> bool:
    edits = document.get(_EDITS) if isinstance(document, dict) else None
    if not isinstance(edits, list) or not all(isinstance(edit, dict) for edit in edits):
        return False
    paths = {edit.get("file") for edit in edits}
    return paths == texts.keys() and all(str(edit.get("replace")) in texts[edit["file"]] for edit in edits)
