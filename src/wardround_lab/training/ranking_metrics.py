"""Ranking metrics of scores over the candidates of questions; ties count as a random order of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from wardround.training_tasks import Choice
from wardround_lab.corpora.within_repository_split import file_of, week_of
from wardround_lab.training.bootstrap import Flags, Floats, Places

REPOSITORIES, WEEKS, FILES = "repositories", "weeks", "files"
"""Kinds of units."""
ALIKE = 0.25
"""Maximum relative difference of the lengths of candidates of similar size."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedQuestions:
    """Questions as concatenated rows: a row is one candidate.

    Attributes:
        units: kind of unit -> that of each question, such as its repository; questions of one unit resemble
            each other, so units are resampled.
        starts: the first row of each question, ascending.
        question: shape (rows,), the question of each row.
        right: shape (rows,).
        lengths: shape (rows,), in characters.
    """

    units: Mapping[str, tuple[str, ...]]
    starts: Places
    question: Places
    right: Flags
    lengths: Floats

    @classmethod
    def of(cls, choices: Sequence[Choice], *, own: bool = False) -> RankedQuestions:
        """Concatenate the questions in order.

        Args:
            own: all are of one repository, so that its weeks and files are the units.
        """
        sizes = np.array([len(choice.candidates) for choice in choices], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        right = np.zeros(int(sizes.sum()), dtype=np.bool_)
        for start, choice in zip(starts, choices, strict=True):
            right[start + np.array(choice.right)] = True
        return cls(
            units=_units(choices, own),
            starts=starts,
            question=np.repeat(np.arange(len(choices)), sizes),
            right=right,
            lengths=np.array(
                [len(text) for choice in choices for text in choice.candidates], dtype=np.float64
            ),
        )

    @property
    def sizes(self) -> Places:
        """Return the number of candidates of each question."""
        return np.diff(np.append(self.starts, len(self.right)))

    def places(self) -> Floats:
        """Return the relative position of each row in its question, from 0 (first) to 1 (last)."""
        at = np.arange(len(self.right)) - self.starts[self.question]
        answer: Floats = at / np.maximum(self.sizes[self.question] - 1, 1)
        return answer

    def standardise(self, scores: Floats) -> Floats:
        """Return scores in standard deviations from the mean of their question; 0 if all are equal."""
        sizes = self.sizes
        apart = scores - np.repeat(np.add.reduceat(scores, self.starts) / sizes, sizes)
        spread = np.repeat(np.sqrt(np.add.reduceat(apart**2, self.starts) / sizes), sizes)
        answer: Floats = np.divide(apart, spread, out=np.zeros_like(apart), where=spread > 1e-9)
        return answer

    def of_like_size(self) -> tuple[RankedQuestions, Flags]:
        """Return the questions of similar size, and the remaining rows.

        The correct rows and wrong ones of similar length remain, as many longer as shorter, since within any
        width the correct ones could still be the longer ones. Surplus rows furthest from the right length are
        dropped first, and so are questions without a wrong row.
        """
        gaps = self._gaps()
        near = ~self.right & (np.abs(gaps) <= ALIKE)
        sides = [np.flatnonzero(near & (gaps < 0)), np.flatnonzero(near & (gaps > 0))]
        few = min(map(len, sides))
        for side in sides:
            near[side[np.argsort(np.abs(gaps[side]), kind="stable")][few:]] = False
        usable = np.bincount(self.question, near, len(self.starts)) > 0
        retained = (near | self.right) & usable[self.question]
        return self._only(retained, usable), retained

    def _gaps(self) -> Floats:
        """Return the relative difference of each row's length from the nearest correct one of its
        question.
        """
        gaps = np.empty(len(self.right))
        for start, size in zip(self.starts, self.sizes, strict=True):
            rows = slice(int(start), int(start + size))
            targets = np.maximum(self.lengths[rows][self.right[rows]], 1.0)
            apart = (self.lengths[rows][:, None] - targets[None, :]) / targets[None, :]
            gaps[rows] = np.take_along_axis(apart, np.abs(apart).argmin(axis=1)[:, None], axis=1)[:, 0]
        return gaps

    def _only(self, rows: Flags, questions: Flags) -> RankedQuestions:
        number = np.cumsum(questions) - 1
        question = number[self.question[rows]]
        return RankedQuestions(
            units={
                kind: tuple(name for name, retained in zip(names, questions, strict=True) if retained)
                for kind, names in self.units.items()
            },
            starts=np.flatnonzero(np.diff(question, prepend=-1)),
            question=question,
            right=self.right[rows],
            lengths=self.lengths[rows],
        )

    def shuffle(self, generator: np.random.Generator) -> Flags:
        """Return as many correct rows in each question as there are, but at random."""
        order = np.lexsort((generator.random(len(self.right)), self.question))
        expected = np.add.reduceat(self.right, self.starts, dtype=np.int64)
        location = np.arange(len(self.right)) - self.starts[self.question]
        answer = np.zeros(len(self.right), dtype=np.bool_)
        answer[order] = location < expected[self.question]
        return answer


def _units(choices: Sequence[Choice], own: bool) -> dict[str, tuple[str, ...]]:
    if not own:
        return {REPOSITORIES: tuple(choice.repository for choice in choices)}
    files = tuple(file_of(choice.group) for choice in choices)
    weeks = {WEEKS: tuple(week_of(choice.time) for choice in choices)}
    return weeks | ({FILES: files} if all(files) else {})


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The ranking of the rows of each question by scores.

    Attributes:
        better: shape (rows,), number of rows of the question with a higher score.
        tied: shape (rows,), number of rows with the same score, itself included.
    """

    questions: RankedQuestions
    better: Places
    tied: Places

    @classmethod
    def by(cls, scores: Floats, questions: RankedQuestions) -> Ranking:
        order = np.lexsort((-scores, questions.question))
        new = np.diff(questions.question[order], prepend=-1) != 0
        new[1:] |= np.diff(scores[order]) != 0
        starts = np.flatnonzero(new)
        block = np.cumsum(new) - 1
        better, tied = np.empty(len(scores), dtype=np.int64), np.empty(len(scores), dtype=np.int64)
        better[order] = starts[block] - questions.starts[questions.question[order]]
        tied[order] = np.diff(np.append(starts, len(scores)))[block]
        return cls(questions, better, tied)

    def reciprocal_ranks(self, right: Flags | None = None) -> Floats:
        """Return one over the rank of the first correct row, expected over ties; shape (questions,)."""
        first, tied, hits = self._first(self.questions.right if right is None else right)
        answer: Floats = 1 / (first + 1.0)
        for at in np.flatnonzero(tied > 1):
            answer[at] = _expected_reciprocal_rank(int(first[at]), int(tied[at]), int(hits[at]))
        return answer

    def top1(self, right: Flags | None = None) -> Floats:
        """Return the probability that a correct row comes first; shape (questions,)."""
        first, tied, hits = self._first(self.questions.right if right is None else right)
        return np.where(first == 0, hits / tied, 0.0)

    def ordered_pairs(self) -> Floats:
        """Return the share of pairs of a correct and a wrong row in the correct order, ties count half; shape
        (questions,).
        """
        questions, right = self.questions, self.questions.right
        worse = questions.sizes[questions.question] - self.better - self.tied
        above = np.add.reduceat(np.where(right, worse + (self.tied - 1) / 2, 0.0), questions.starts)
        rights = np.add.reduceat(right, questions.starts, dtype=np.int64)
        among_right = rights * (rights - 1) / 2
        answer: Floats = (above - among_right) / (rights * (questions.sizes - rights))
        return answer

    def _first(self, right: Flags) -> tuple[Places, Places, Places]:
        """Return for each question: rows above its first correct one, rows tied with it, correct ones among
        these.
        """
        starts, question = self.questions.starts, self.questions.question
        first = np.minimum.reduceat(np.where(right, self.better, len(right)), starts)
        there = right & (self.better == first[question])
        tied = np.maximum.reduceat(np.where(there, self.tied, 0), starts)
        return first, tied, np.add.reduceat(there, starts, dtype=np.int64)


@lru_cache(maxsize=1 << 14)
def _expected_reciprocal_rank(above: int, tied: int, hits: int) -> float:
    """Return the mean of one over the rank of the first of ``hits`` rows among ``tied`` in a random order."""
    ways = math.comb(tied, hits)
    return sum(
        math.comb(tied - location, hits - 1) / ways / (above + location)
        for location in range(1, tied - hits + 2)
    )
