"""Split a repository into chunks: functions, classes, statements, stages, files.

It is read from a commit, so only tracked files count and nothing outside the repository is accessed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from wardround.retrieval.definitions import Definition, functions
from wardround.text.globs import matches
from wardround_lab.corpora.commit_classes import TESTS
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.corpora.python_chunks import python_pieces
from wardround_lab.corpora.quality_filters import is_generated, is_vendored

LANGUAGES = (
    ("python", ("*.py", "*.pyi")),
    ("typescript", ("*.ts", "*.tsx", "*.mts", "*.cts")),
    ("javascript", ("*.js", "*.jsx", "*.mjs", "*.cjs")),
    ("vue", ("*.vue",)),
    ("svelte", ("*.svelte",)),
    ("sql", ("*.sql",)),
    ("dockerfile", ("Dockerfile", "Dockerfile.*", "*.dockerfile", "Containerfile")),
    ("ci", (".github/workflows/*.yml", ".github/workflows/*.yaml", ".gitlab-ci.yml", "Jenkinsfile",
            "docker-compose*.yml", "docker-compose*.yaml", "compose.yml", "compose.yaml")),
    ("shell", ("*.sh", "*.bash")),
)  # fmt: skip
_SCRIPTS = {"typescript", "javascript", "vue", "svelte"}
_IMPORTED = re.compile(
    r"""^[ \t]*(?:import|export)\b[^'"\n;]*?(?:\bfrom[ \t]*)?['"]([^'"\n]+)['"]"""
    r"""|\brequire\([ \t]*['"]([^'"\n]+)['"]""",
    re.MULTILINE,
)
_TYPE = re.compile(r"\b(?:interface|type|enum|namespace)\s")
_CLASS = re.compile(r"\bclass\s")
_STAGE = re.compile(r"[ \t]*FROM[ \t]+(\S+)(?:[ \t]+AS[ \t]+(\S+))?", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z_$][\w$]{2,}")
_BLOCK_COMMENT = re.compile(r"/\*\*(.*?)\*/\s*$", re.DOTALL)
_TESTS_AT_MOST = 20


class Chunk(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="record", tag="chunk"):
    """One chunk of a file.

    Attributes:
        kind: ``function``, ``method``, ``class``, ``type``, ``component``, ``statement``, ``stage`` or
            ``file``.
        symbol: its qualified name, joined by dots; the path for a file.
        line, end_line: 1-based, inclusive.
        doc: its documentation, verbatim.
        imports: the imports of its file, sorted.
        tests: files that test it, by names and imports, sorted.
    """

    path: str
    language: str
    kind: str
    symbol: str
    line: int
    end_line: int
    doc: str
    imports: tuple[str, ...]
    tests: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """A chunk without its related tests."""

    kind: str
    symbol: str
    line: int
    end_line: int
    doc: str = ""


@dataclass(frozen=True, slots=True)
class ChunkedFile:
    """A file of a known language with its chunks and imports."""

    path: str
    language: str
    text: str
    pieces: tuple[ChunkSpan, ...]
    imports: tuple[str, ...]

    @property
    def is_test(self) -> bool:
        return matches(self.path, TESTS)


def language_of(path: str) -> str | None:
    return next((name for name, patterns in LANGUAGES if matches(path, patterns)), None)


def files_of(history: RepositoryHistory) -> Iterator[ChunkedFile]:
    """Return the readable files of known languages at the head, by path, without vendored and generated
    ones.
    """
    patterns = [pattern for _, some in LANGUAGES for pattern in some]
    for path, blob in sorted(history.tree(history.head, patterns)):
        language = language_of(path)
        text = None if is_vendored(path) or is_generated(path) else history.text(blob)
        if language is not None and text and not is_generated(path, text):
            yield cut(path, language, text)


def cut(path: str, language: str, text: str) -> ChunkedFile:
    """Split a file into chunks; a file that cannot be parsed is one chunk."""
    if language == "python":
        pieces, imports = python_pieces(text)
        found = [ChunkSpan(*piece) for piece in pieces]
    else:
        found, imports = list(_scan(path, language, text)), _imports(language, text)
    lines = text.count("\n") + (not text.endswith("\n"))
    return ChunkedFile(path, language, text, tuple(found or [ChunkSpan("file", path, 1, lines)]), imports)


def _scan(path: str, language: str, text: str) -> Iterator[ChunkSpan]:
    lines = text.split("\n")
    if language == "dockerfile":
        yield from _stages(lines)
    elif language in _SCRIPTS or language == "sql":
        for function in functions(path, text):
            kind = "statement" if language == "sql" else _script_kind(path, function)
            yield ChunkSpan(
                kind, function.name, function.line, function.end_line, _comment_above(lines, function.line)
            )


def _script_kind(path: str, definition: Definition) -> str:
    if _CLASS.search(definition.signature):
        return "class"
    if _TYPE.search(definition.signature):
        return "type"
    is_component = (
        path.endswith(("x", ".vue", ".svelte"))
        and definition.name[:1].isupper()
        and "." not in definition.name
    )
    return "component" if is_component else "function"


def _stages(lines: Sequence[str]) -> Iterator[ChunkSpan]:
    """Return the stages of a Dockerfile; text before the first stage belongs to it."""
    starts = [(at, match) for at, line in enumerate(lines) if (match := _STAGE.match(line))]
    ends = [at for at, _ in starts[1:]] + [len(lines)]
    for number, ((at, match), end) in enumerate(zip(starts, ends, strict=True)):
        last = max(line for line in range(at, end) if lines[line].strip()) + 1
        yield ChunkSpan("stage", match[2] or match[1], 1 if number == 0 else at + 1, last)


def _comment_above(lines: Sequence[str], line: int) -> str:
    """Return the block comment, or the line comments, directly above a line."""
    above = "\n".join(lines[max(0, line - 41) : line - 1])
    if match := _BLOCK_COMMENT.search(above[above.rfind("/**") :] if "/**" in above else ""):
        return "\n".join(part.strip().lstrip("*").strip() for part in match[1].strip().split("\n"))
    reported: list[str] = []
    for text in reversed(lines[: line - 1]):
        if not text.strip().startswith(("//", "--")):
            break
        reported.append(text.strip().lstrip("/-").strip())
    return "\n".join(reversed(reported))


def _imports(language: str, text: str) -> tuple[str, ...]:
    if language not in _SCRIPTS:
        return ()
    return tuple(sorted({match[1] or match[2] for match in _IMPORTED.finditer(text)}))


def chunks(files: Sequence[ChunkedFile]) -> Iterator[Chunk]:
    """Yield the chunks of all files with their tests, in the order of the files."""
    tests = _Tests(files)
    for file in files:
        lines = file.text.split("\n")
        for piece in file.pieces:
            yield Chunk(
                path=file.path,
                language=file.language,
                kind=piece.kind,
                symbol=piece.symbol,
                line=piece.line,
                end_line=piece.end_line,
                doc=piece.doc,
                imports=file.imports,
                tests=() if file.is_test else tests.of(file, piece),
                text="\n".join(lines[piece.line - 1 : piece.end_line]),
            )


class _Tests:
    """Related test files of a chunk: they mention its name, and import its file or are named after it."""

    def __init__(self, files: Sequence[ChunkedFile]) -> None:
        self._by_word: defaultdict[str, set[str]] = defaultdict(set)
        self._by_stem: defaultdict[str, set[str]] = defaultdict(set)
        names = {piece.symbol.rpartition(".")[2] for file in files for piece in file.pieces}
        for file in files:
            if file.is_test:
                for word in names & {*_WORD.findall(file.text)}:
                    self._by_word[word].add(file.path)
                stems = {_tested_stem(file.path), *(_last_part(name) for name in file.imports)}
                for stem in stems - {""}:
                    self._by_stem[stem].add(file.path)

    def of(self, file: ChunkedFile, piece: ChunkSpan) -> tuple[str, ...]:
        stem = _stem(file.path)
        if stem in ("index", "__init__", "mod"):
            stem = _stem(file.path.rpartition("/")[0])
        near = self._by_stem.get(stem, set())
        if piece.kind != "file":
            near = near & self._by_word.get(piece.symbol.rpartition(".")[2], set())
        return tuple(sorted(near)[:_TESTS_AT_MOST])


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _last_part(module: str) -> str:
    """Return the last component of an imported module: ``c`` of ``a.b.c`` and of ``./b/c.js``."""
    if "/" in module:
        return _stem(module)
    return module.rpartition(".")[2]


def _tested_stem(path: str) -> str:
    stem = _stem(path)
    return stem.removeprefix("test_").removesuffix("_test")
