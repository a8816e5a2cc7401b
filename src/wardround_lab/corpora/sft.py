"""Build files for instruction tuning from reviewed records, split by repository and by time."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from wardround import __version__
from wardround.errors import UsageError
from wardround_lab.corpora.audit_items import Chat, ItemOrigin, Message, Plain
from wardround_lab.corpora.mined_pairs import curated_rows
from wardround_lab.corpora.near_duplicates import NearIndex
from wardround_lab.corpora.records import Curated, digest_of, write_json, write_whole

TRAIN, EVALUATION, RECORD = "train.jsonl", "eval.jsonl", "sft.record.json"


class SftResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The origin of the two files.

    Attributes:
        inputs: file name -> SHA-256.
        cut: seconds since 1970; the training is older, the evaluation is not.
        unused: records on the wrong side of the cut for their repository.
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


def build(inputs: Sequence[Path], folder: Path, wish: SftOptions) -> SftResult:
    """Write the training and the evaluation file and their record into a directory.

    Raises:
        UsageError: a record is malformed, has no repository or time, or the records cannot be split.
    """
    records = [record for path in inputs for record in _read(path)]
    distinct = list({_core(one): one for one in reversed(records)}.values())[::-1]
    held = _held_out(distinct, wish)
    cut = _best_cut(distinct, held, wish.share) if wish.cut is None else wish.cut
    evaluation = [one for one in distinct if one.repository in held and one.time >= cut]
    older = [one for one in distinct if one.repository not in held and one.time < cut]
    if not evaluation or not older:
        raise UsageError(
            f"the records leave {len(older)} to train on and {len(evaluation)} to evaluate with; "
            "add repositories, or change --since, --eval-share or --seed"
        )
    train = _unlike(older, evaluation)
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
        inputs={path.name: digest_of(path) for path in inputs},
        evaluation_repositories=tuple(sorted(held)),
        train=len(train),
        evaluation=len(evaluation),
        unused=len(distinct) - len(older) - len(evaluation),
        duplicates=len(records) - len(distinct),
        near=len(older) - len(train),
        train_sha256=write_whole(folder / TRAIN, _rendered(train, render, wish.seed)),
        evaluation_sha256=write_whole(folder / EVALUATION, _rendered(evaluation, render, wish.seed)),
    )
    write_json(folder / RECORD, built)
    return built


def _read(path: Path) -> list[Curated]:
    found = []
    for number, one in curated_rows(path):
        if not one.instruction.strip() or not one.output.strip():
            raise UsageError(f"{path}:{number}: the instruction and the output must not be empty")
        if not one.repository or not one.time:
            raise UsageError(
                f"{path}:{number}: the record has no origin; "
                "add repository and time (seconds since 1970), which determine the split"
            )
        found.append(one)
    return found


def _core(one: Curated) -> tuple[str, ...]:
    return tuple(" ".join(text.split()) for text in (one.instruction, one.input, one.output))


def _drawn(seed: int, text: str) -> str:
    """Return a pseudo-random number that depends only on the seed and the text."""
    return hashlib.sha256(f"{seed}\0{text}".encode()).hexdigest()


def _held_out(records: Sequence[Curated], wish: SftOptions) -> frozenset[str]:
    """Draw repositories until they have the requested share, at least one and not all."""
    sizes = Counter(one.repository for one in records)
    if not sizes:
        raise UsageError("the files have no records; mine more commits, tasks or kinds")
    if len(sizes) < 2:
        raise UsageError("all records are of one repository; add others, since the split is by repository")
    order = sorted(sizes, key=lambda name: _drawn(wish.seed, name))
    held: list[str] = []
    for name in order[:-1]:
        if held and sum(sizes[one] for one in held) >= wish.share * len(records):
            break
        held.append(name)
    return frozenset(held)


def _best_cut(records: Sequence[Curated], held: frozenset[str], share: float) -> int:
    """Return the time that loses the fewest records and leaves both sides useful, as far as possible.

    The evaluation then has its share of the records, and the training at least half of it. Of equal cuts the
    one with the most training records is chosen.
    """
    inside = sorted(one.time for one in records if one.repository in held)
    outside = sorted(one.time for one in records if one.repository not in held)
    least = min(0.5, 1 - share)

    def good(cut: int) -> tuple[bool, float, int, int, int]:
        train, evaluation = bisect_left(outside, cut), len(inside) - bisect_left(inside, cut)
        kept = train + evaluation
        lacking = max(0.0, share - evaluation / kept, least - train / kept) if kept else 1.0
        return min(train, evaluation) > 0, -lacking, kept, train, -cut

    return max({*inside, *(time + 1 for time in outside)}, key=good)


def _unlike(older: Sequence[Curated], evaluation: Sequence[Curated]) -> list[Curated]:
    """Return the records that do not resemble any in the evaluation."""
    index = NearIndex()
    for one in evaluation:
        index.add("\n".join(_core(one)), one.repository)
    return [one for one in older if index.like("\n".join(_core(one))) is None]


def _rendered(
    records: Iterable[Curated], render: Callable[[Curated], msgspec.Struct], seed: int
) -> Iterable[bytes]:
    """Return the lines, in an order that depends only on the seed."""
    shuffled = sorted(records, key=lambda one: _drawn(seed, "\0".join((one.repository, *_core(one)))))
    return (msgspec.json.encode(render(one)) + b"\n" for one in shuffled)


def _asked(one: Curated) -> str:
    return f"{one.instruction}\n\n{one.input}" if one.input else one.instruction


def _origin(one: Curated) -> ItemOrigin:
    return ItemOrigin(one.repository, one.time, one.licence, one.path)


def _chat(system: str) -> Callable[[Curated], msgspec.Struct]:
    first = (Message("system", system),) if system else ()
    return lambda one: Chat(
        (*first, Message("user", _asked(one)), Message("assistant", one.output)), _origin(one)
    )


def _plain(system: str) -> Callable[[Curated], msgspec.Struct]:
    head = f"{system}\n\n" if system else ""

    def render(one: Curated) -> Plain:
        given = f"### Input\n{one.input}\n\n" if one.input else ""
        prompt = f"{head}### Instruction\n{one.instruction}\n\n{given}### Response\n"
        return Plain(prompt, one.output, _origin(one))

    return render
