"""Build files for instruction tuning from reviewed records, split by repository and by time."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from wardround import __version__
from wardround.errors import UsageError
from wardround_lab.corpora.audit_items import Chat, ItemOrigin, Message, Plain
from wardround_lab.corpora.mined_pairs import curated_rows
from wardround_lab.corpora.near_duplicates import NearIndex
from wardround_lab.corpora.records import Curated, digest_of, write_atomically, write_json

NOTHING: Mapping[str, Sequence[Curated]] = {}
TRAIN, EVALUATION, RECORD = "train.jsonl", "eval.jsonl", "sft.record.json"


class SftResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The origin of the two files.

    Attributes:
        inputs: file name -> SHA-256.
        cut: seconds since 1970; the training is older, the evaluation is not.
        unused: records in the wrong part for their repository.
        duplicates: duplicates of an earlier record; ``near`` ones resemble the evaluation.
    """

    schema: Literal["wardround.sft/1"]
    version: str
    template: str
    seed: int
    share: float
    cut: int
    inputs: dict[str, str]
    evaluation_repositories: tuple[str, ...]
    train: int
    evaluation: int
    unused: int
    duplicates: int
    near: int
    train_sha256: str
    evaluation_sha256: str


@dataclass(frozen=True, slots=True)
class SftOptions:
    """Options of the build.

    Attributes:
        share: share of the records for evaluation, above 0 and below 1.
        cut: as ``SftResult.cut``; None for the one that loses the fewest records and results in that share.
    """

    template: str = "chat"
    system: str = ""
    share: float = 0.1
    cut: int | None = None
    seed: int = 1


def build(
    inputs: Sequence[Path], folder: Path, wish: SftOptions, further: Mapping[str, Sequence[Curated]] = NOTHING
) -> SftResult:
    """Write the training and the evaluation file and their record into a directory.

    Args:
        further: name of their origin -> records that are in no file.

    Raises:
        UsageError: a record is malformed, has no repository or time, or the records cannot be split.
    """
    records = [record for path in inputs for record in _read(path)]
    records += [record for found in further.values() for record in found]
    distinct = list({_core(record): record for record in reversed(records)}.values())[::-1]
    held = _draw_held_out(distinct, wish)
    cut = _best_cut(distinct, held, wish.share) if wish.cut is None else wish.cut
    evaluation = _shuffle(
        [record for record in distinct if record.repository in held and record.time >= cut], wish.seed
    )
    older = [record for record in distinct if record.repository not in held and record.time < cut]
    if not evaluation or not older:
        raise UsageError(
            f"the records leave {len(older)} to train on and {len(evaluation)} to evaluate with; "
            "add repositories, or change --since, --eval-share or --seed"
        )
    train = _shuffle(_unlike(older, evaluation), wish.seed)
    render = _chat(wish.system) if wish.template == "chat" else _plain(wish.system)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise UsageError(f"--out {folder}: {cause.strerror}; choose another directory") from cause
    built = SftResult(
        schema="wardround.sft/1",
        version=__version__,
        template=wish.template,
        seed=wish.seed,
        share=wish.share,
        cut=cut,
        inputs={path.name: digest_of(path) for path in inputs} | _digests(further),
        evaluation_repositories=tuple(sorted(held)),
        train=len(train),
        evaluation=len(evaluation),
        unused=len(distinct) - len(older) - len(evaluation),
        duplicates=len(records) - len(distinct),
        near=len(older) - len(train),
        train_sha256=write_atomically(folder / TRAIN, _render_lines(train, render)),
        evaluation_sha256=write_atomically(folder / EVALUATION, _render_lines(evaluation, render)),
    )
    write_json(folder / RECORD, built)
    return built


def _digests(further: Mapping[str, Sequence[Curated]]) -> dict[str, str]:
    return {name: hashlib.sha256(msgspec.json.encode(found)).hexdigest() for name, found in further.items()}


def _read(path: Path) -> list[Curated]:
    found = []
    for number, record in curated_rows(path):
        if not record.instruction.strip() or not record.output.strip():
            raise UsageError(f"{path}:{number}: the instruction and the output must not be empty")
        if not record.repository or not record.time:
            raise UsageError(
                f"{path}:{number}: the record has no origin; "
                "add repository and time (seconds since 1970), which determine the split"
            )
        found.append(record)
    return found


def _core(item: Curated) -> tuple[str, ...]:
    return tuple(" ".join(text.split()) for text in (item.instruction, item.input, item.output))


def _draw(seed: int, text: str) -> str:
    """Return a pseudo-random number that depends only on the seed and the text."""
    return hashlib.sha256(f"{seed}\0{text}".encode()).hexdigest()


def _draw_held_out(records: Sequence[Curated], wish: SftOptions) -> frozenset[str]:
    """Draw repositories until they have the requested share, at least one and not all."""
    sizes = Counter(record.repository for record in records)
    if not sizes:
        raise UsageError("the files have no records; mine more commits, tasks or kinds")
    if len(sizes) < 2:
        raise UsageError("all records are of one repository; add others, since the split is by repository")
    order = sorted(sizes, key=lambda name: _draw(wish.seed, name))
    held: list[str] = []
    for name in order[:-1]:
        if held and sum(sizes[repository] for repository in held) >= wish.share * len(records):
            break
        held.append(name)
    return frozenset(held)


def _best_cut(records: Sequence[Curated], held: frozenset[str], share: float) -> int:
    """Return the time that loses the fewest records and leaves both parts large enough, if possible.

    The evaluation then has its share of the records, and the training at least half of it. Of equal cuts the
    one with the most training records is chosen.
    """
    inside = sorted(record.time for record in records if record.repository in held)
    outside = sorted(record.time for record in records if record.repository not in held)
    least = min(0.5, 1 - share)

    def good(cut: int) -> tuple[bool, float, int, int, int]:
        train, evaluation = bisect_left(outside, cut), len(inside) - bisect_left(inside, cut)
        retained = train + evaluation
        lacking = max(0.0, share - evaluation / retained, least - train / retained) if retained else 1.0
        return min(train, evaluation) > 0, -lacking, retained, train, -cut

    return max({*inside, *(time + 1 for time in outside)}, key=good)


def _unlike(older: Sequence[Curated], evaluation: Sequence[Curated]) -> list[Curated]:
    """Return the records that do not resemble any in the evaluation.

    The texts and their order are those of the audit, whose index remembers a limited number of texts with the
    same words, such as an instruction that all share.
    """
    index = NearIndex()
    for record in evaluation:
        index.add(_compared_text(record), record.repository)
    return [record for record in older if index.like(_compared_text(record)) is None]


def _compared_text(record: Curated) -> str:
    return f"{_request_text(record)}\n{record.output}"


def _shuffle(records: Iterable[Curated], seed: int) -> list[Curated]:
    """Return the records in an order that depends only on the seed."""
    return sorted(records, key=lambda record: _draw(seed, "\0".join((record.repository, *_core(record)))))


def _render_lines(records: Iterable[Curated], render: Callable[[Curated], msgspec.Struct]) -> Iterable[bytes]:
    return (msgspec.json.encode(render(record)) + b"\n" for record in records)


def _request_text(item: Curated) -> str:
    return f"{item.instruction}\n\n{item.input}" if item.input else item.instruction


def _origin(item: Curated) -> ItemOrigin:
    return ItemOrigin(item.repository, item.time, item.licence, item.path)


def _chat(system: str) -> Callable[[Curated], msgspec.Struct]:
    first = (Message("system", system),) if system else ()
    return lambda record: Chat(
        (*first, Message("user", _request_text(record)), Message("assistant", record.output)), _origin(record)
    )


def _plain(system: str) -> Callable[[Curated], msgspec.Struct]:
    head = f"{system}\n\n" if system else ""

    def render(item: Curated) -> Plain:
        given = f"### Input\n{item.input}\n\n" if item.input else ""
        prompt = f"{head}### Instruction\n{item.instruction}\n\n{given}### Response\n"
        return Plain(prompt, item.output, _origin(item))

    return render
