"""Environment variables of a program, the effect of a change on them, and the texts that list them."""

from __future__ import annotations

import posixpath
import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import msgspec

from wardround.checks.base import ChangeCheck
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane, Span
from wardround.semantics.semdiff.line_diff import added_lines, removal_site, removed_lines

if TYPE_CHECKING:
    from wardround.semantics.docdrift.doc_files import WordFile
    from wardround.semantics.docdrift.references import Document, Reference

_TOLD_AT_MOST = 8
_SWEEP = 40
"""If a change removes or adds more variables, one program replaced another."""
_LISTED_AT_LEAST = 3
_CUSTOM = 0.75
"""The share of the variables read in a file that must be listed for listing to be the convention."""
_SHAPE = LazyPattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_FOREIGN = LazyPattern(
    r"(?:PATH|HOME|USER|SHELL|LANG|TZ|CI|DEBUG|PORT|HOST|HOSTNAME|NODE_\w+|NPM_\w+|PYTHON\w*|PYTEST_\w+|PIP_\w+|UV_\w+|POETRY_\w+"
    r"|VIRTUAL_ENV|CONDA_\w+|XDG_\w+|LC_\w+|SSH_\w+|GIT_\w+|GITHUB_\w+|GITLAB_\w+|RUNNER_\w+|ACTIONS_\w+|CI_\w+|BUILDKITE_\w+"
    r"|JENKINS_\w+|TRAVIS_\w+|CIRCLE_\w+|VERCEL_\w+|NETLIFY_\w+|RAILWAY_\w+|HEROKU_\w+|RENDER_\w+|FLY_\w+|KUBERNETES_\w+|DOCKER_\w+"
    r"|COMPOSE_\w+|AWS_\w+|GOOGLE_\w+|GCLOUD_\w+|GCP_\w+|AZURE_\w+|POSTGRES_\w+|PG[A-Z]+\w*|MYSQL_\w+|MARIADB_\w+|MONGO_\w+|REDIS_\w+"
    r"|RABBITMQ_\w+|MINIO_\w+|CLICKHOUSE_\w+|ELASTIC\w*|OTEL_\w+|DD_\w+|SENTRY_\w+|OPENAI_\w+|ANTHROPIC_\w+|HF_\w+|HUGGING\w*"
    r"|TRANSFORMERS_\w+|TORCH_\w+|CUDA_\w+|NCCL_\w+|NVIDIA_\w+|OMP_\w+|MKL_\w+|DJANGO_\w+|FLASK_\w+|CELERY_\w+|GUNICORN_\w+|UVICORN_\w+"
    r"|JAVA_\w+|GO[A-Z]+|RUST\w*|CARGO_\w+|LD_\w+|DYLD_\w+|\w+_PROXY|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|TERM\w*|EDITOR|WERKZEUG_\w+)"
)
"""Variables that other programs read too: their removal from this one proves nothing."""
_ENTRY = LazyPattern(r"(?m)^[ \t]*(?:#[ \t]*)?(?:export[ \t]+)?([A-Z][A-Z0-9_]*)[ \t]*=")


_README = LazyPattern(r"(^|/)readme(?:\.(?:md|mdx|rst|txt))?$", re.IGNORECASE)
_ROW = LazyPattern(r"(?m)^[ \t]*\|[ \t]*`?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`?[ \t]*\|")


class Variable(msgspec.Struct, frozen=True):
    """The use of a variable in a file.

    Attributes:
        span: its position.
        required: the program does not run without it.
        also: other names in the code that use it, such as that of a settings field.
    """

    name: str
    span: Span
    required: bool = False
    also: tuple[str, ...] = ()


def is_own(name: str) -> bool:
    """Return True if no other program is known to read a variable of this name."""
    return _SHAPE.fullmatch(name) is not None and _FOREIGN.fullmatch(name) is None


class VariableCheck(ChangeCheck):
    """A check of the environment variables that a change touches; each language implements the detection."""

    PLANE: ClassVar[Plane] = Plane.CONTRACT

    def may_read(self, text: str) -> bool:
        """Return True if a text can read a variable; a prefilter."""
        return any(word in text for word in self.WORDS)

    @abstractmethod
    def variables(self, path: str, text: str) -> Mapping[str, Variable] | None:
        """Return the variables that a file reads, by name; None if the file cannot be parsed."""

    @abstractmethod
    def is_test(self, path: str) -> bool:
        """Return True if a file is a test by its path."""

    def touched(self) -> Iterator[ChangedFileView]:
        """Return the files with possibly different variables."""
        for file in self.change.files:
            if file.path.endswith(self.PATHS) and not self.is_test(file.path) and file.text != file.base_text:
                yield file

    def before(self, file: ChangedFileView) -> Mapping[str, Variable]:
        text = file.base_text
        if text is None or not self.may_read(text):
            return {}
        return self.variables(file.base_path or file.path, text) or {}

    def after(self, file: ChangedFileView) -> Mapping[str, Variable] | None:
        text = file.text or ""
        return self.variables(file.path, text) if self.may_read(text) else {}

    def code_with(self, words: Sequence[str], naming: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Return path and text of code files that may contain one of some words, changed files first."""
        from wardround.semantics.docdrift.doc_files import is_documentation

        changed = {file.path: file for file in self.change.files}
        for path in [*sorted(changed), *(path for path in naming if path not in changed)]:
            if not is_documentation(path):
                text = changed[path].text if path in changed else self.change.project.read(path)
                if text and any(word in text for word in words):
                    yield path, text


class RemovedVariableCheck(VariableCheck):
    """A check of variables that a change stopped reading while texts still name them."""

    def run(self) -> None:
        from wardround.semantics.docdrift.references import reference_sites

        for file, variable, mentions in self.withdrawn()[:_TOLD_AT_MOST]:
            told = reference_sites(mentions)
            message = f'this change removes the last read of "{variable.name}", but {told}'
            self.report(file.path, removal_site(file, variable.span.line), message)

    def withdrawn(self) -> list[tuple[ChangedFileView, Variable, list[Reference]]]:
        """Return the variables that nothing reads any more and texts still name."""
        gone = [(file, one) for file in self.touched() if file.text is not None for one in self._gone(file)]
        if not gone or len(gone) > _SWEEP:
            return []
        words = sorted({word for _, one in gone for word in (one.name, *one.also)})
        naming = self.change.project.files_with_word(words, ("*",))
        alive = self._alive(words, naming)
        left = [(file, one) for file, one in gone if alive.isdisjoint((one.name, *one.also))]
        return self._named(left, frozenset(naming)) if left else []

    def _gone(self, file: ChangedFileView) -> list[Variable]:
        if not self.may_read(file.base_text or "") or not _may_name(
            removed_lines(file), file.base_text or ""
        ):
            return []
        before = self.before(file)
        gone = [v for name, v in before.items() if is_own(name) and not _stands(name, file.text or "")]
        after = self.after(file) if gone else None
        return [] if after is None else [variable for variable in gone if variable.name not in after]

    def _alive(self, words: Sequence[str], naming: Sequence[str]) -> set[str]:
        found: set[str] = set()
        for _, text in self.code_with(words, naming):
            found |= {word for word in words if word not in found and _stands(word, text)}
        return found

    def _named(
        self, gone: Sequence[tuple[ChangedFileView, Variable]], naming: frozenset[str]
    ) -> list[tuple[ChangedFileView, Variable, list[Reference]]]:
        from wardround.semantics.docdrift.doc_files import word_files
        from wardround.semantics.docdrift.references import Document

        found: dict[str, list[Reference]] = {one.name: [] for _, one in gone}
        used: set[str] = set()
        for path, kind in word_files(self.change.project, naming):
            text = self.change.project.read(path)
            for name in found if text else ():
                if text and name in text:
                    used |= {name} if _is_expanded(name, text, kind) else set()
                    found[name] += _mentions(name, Document(path, text), kind)
        told: dict[str, tuple[ChangedFileView, Variable, list[Reference]]] = {}
        for file, one in gone:
            if found[one.name] and one.name not in used:
                told.setdefault(one.name, (file, one, found[one.name]))
        return list(told.values())


def _mentions(name: str, document: Document, kind: WordFile) -> Iterator[Reference]:
    from wardround.semantics.docdrift.doc_files import WordFile
    from wardround.semantics.docdrift.references import Reference

    if kind is WordFile.PROSE:
        pattern = re.compile(rf"(?<![\w-]){name}(?![\w-])")
    elif kind is WordFile.EXAMPLE:
        pattern = re.compile(rf"^\s*(?:#\s*)?(?:export\s+)?{name}\s*=")
    else:
        pattern = re.compile(rf"^\s*(?:-\s*|ENV\s+|ARG\s+)?[\"']?{name}[\"']?\s*(?:[:=]|$)")
    for line in document.lines_naming(name):
        if pattern.search(line.text):
            yield Reference(document.path, line.number, line.text)


def _is_expanded(name: str, text: str, kind: WordFile) -> bool:
    """Return True if the file uses the variable's value itself."""
    from wardround.semantics.docdrift.doc_files import WordFile

    return kind is not WordFile.PROSE and re.search(rf"\$\{{?{name}\b|\benv\.{name}\b", text) is not None


def _may_name(lines: Sequence[str], text: str) -> bool:
    """Return True if one of some lines can name a variable, or the text derives the names from fields."""
    return bool(lines) and ("BaseSettings" in text or any(_SHAPE.search(line) for line in lines))


def _stands(word: str, text: str) -> bool:
    return word in text and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


class UndocumentedVariableCheck(VariableCheck):
    """A check of variables that the program requires since the change and the example file does not list."""

    def run(self) -> None:
        come = [one for file in self.touched() if file.text is not None for one in self._come(file)]
        if not come or len(come) > _SWEEP:
            return
        examples = self._examples()
        for file, variable, others in come:
            near = _nearest(file.path, examples)
            listed = frozenset().union(*(examples[path] for path in near))
            known = [name for name in others if name in listed]
            is_custom = len(known) >= max(_LISTED_AT_LEAST, _CUSTOM * len(others))
            if near and variable.name not in listed and is_custom and self._is_new(variable.name, file):
                message = (
                    f'this change makes "{variable.name}" required, but {near[0]}, which lists '
                    f"{len(known)} of the {len(others)} others read here, does not list it"
                )
                self.report(file.path, variable.span, message)

    def _come(self, file: ChangedFileView) -> Iterator[tuple[ChangedFileView, Variable, list[str]]]:
        """Return the variables that a file requires now, with the other own ones it read before."""
        text = file.text or ""
        if file.base_text is None or not self.may_read(text) or not _may_name(added_lines(file), text):
            return
        after = self.after(file) or {}
        needed = [v for v in after.values() if v.required and is_own(v.name) and file.is_added(v.span.line)]
        before = self.before(file) if needed else {}
        for variable in needed:
            if not _stands(variable.name, file.base_text):
                yield file, variable, sorted(name for name in before if is_own(name))

    def _examples(self) -> dict[str, frozenset[str]]:
        """Return the example files, and the READMEs with a table of variables, with the names they list."""
        from wardround.semantics.docdrift.doc_files import WordFile, kind_of_words

        project = self.change.project
        found: dict[str, frozenset[str]] = {}
        for path in project.paths(("*",)):
            is_example = kind_of_words(path) is WordFile.EXAMPLE
            if is_example or _README.search(path):
                pattern = _ENTRY if is_example else _ROW
                listed = frozenset(pattern.findall(project.read(path) or ""))
                found |= {path: listed} if is_example or len(listed) >= _LISTED_AT_LEAST else {}
        return found

    def _is_new(self, name: str, file: ChangedFileView) -> bool:
        """Return True if no code except that of this change reads the variable."""
        naming = self.change.project.files_with_word([name], ("*",))
        changed = {one.path for one in self.change.files}
        return not any(
            path not in changed and _stands(name, text) for path, text in self.code_with([name], naming)
        )


def _nearest(path: str, examples: Mapping[str, object]) -> list[str]:
    """Return the example files in the nearest folder around a file that has any."""
    folder = posixpath.dirname(path)
    while True:
        near = sorted(one for one in examples if posixpath.dirname(one) == folder)
        if near or not folder:
            return near
        folder = posixpath.dirname(folder)
