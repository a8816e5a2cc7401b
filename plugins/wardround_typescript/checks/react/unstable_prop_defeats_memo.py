from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.checks.base import Check
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.analysis.call_resolution import origin
from wardround_typescript.analysis.resolved_scripts import ResolvedScript, script_of

_TAG = LazyPattern(r"(?<![\w$)\]])<(?P<name>[A-Z][\w$]*)(?=[\s/])")
_ATTRIBUTE = LazyPattern(r"\s*(?:(?P<name>[A-Za-z_][\w-]*)(?P<given>\s*=\s*)?|(?P<sign>[{/>]))")
_MEMO = LazyPattern(r"\s*(?::[^=;]{0,200})?=\s*(?:React\.)?memo\s*(?:<[^()]{0,200}>)?\s*\(")
_DEFAULT_MEMO = LazyPattern(r"\bexport\s+default\s+(?:React\.)?memo\s*(?:<[^()]{0,200}>)?\s*\(")
_NEW = LazyPattern(
    r"\{\s*[^\s}]|\[|(?:async\s+)?(?:\((?:[^()]|\([^()]*\))*\)|[\w$]+)\s*(?::[^=;]{0,80})?=>|(?:async\s+)?function\b"
)
_TEST_PATH = LazyPattern(
    r"(^|/)(__tests__|__mocks__|tests?|e2e|specs?|cypress)/|\.(\w*test|spec|stories|e2e|cy)\.[mc]?[jt]sx?$"
)
_MOST_ATTRIBUTES = 60
_SUFFIXES = (".tsx", ".jsx", ".js")


class UnstablePropDefeatsMemo(Check):
    """A prop is new on every render, which defeats the ``memo`` of a component of another file.

    ``memo`` skips a render if all props are unchanged. An object, array or function written in the element is
    a new one each time, so no render is skipped. Create it outside of the component, or with ``useMemo`` or
    ``useCallback``.
    """

    ID = "TS032"
    NAME = "unstable-prop-defeats-memo"
    DEFECT_CLASS = "memo-defeated"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    CASE_PATH = "src/a.tsx"
    VALID = [
        code(
            """
            import { Row } from './Row';
            const PICK = () => 1;
            export const A = () => <Row name="a" onPick={PICK} />;
            """,
            others={
                "src/Row.tsx": """
                export const Row = memo(function Row(props) {});
                """,
            },
        ),
        code(
            """
            import { Row } from './Row';
            export const A = () => <Row at={[1]} />;
            """,
            others={
                "src/Row.tsx": """
                export const Row = memo(RowBase, (a, b) => a.id === b.id);
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            import { Row } from './Row';
            export const A = ({ rows }) => (
              <Row
                rows={rows}
                «columns»={['a', 'b']}
              />
            );
            """,
            others={
                "src/Row.tsx": """
                export const Row = memo(function Row({ rows, columns }) {});
                """,
            },
        ),
        code(
            """
            import Row from '@/ui/Row';
            export const A = ({ rows }) => <Row wide {...rest} «onPick»={(row) => pick(row)} />;
            """,
            others={
                "src/ui/Row.jsx": """
                function Row(props) {}
                export default React.memo(Row);
                """,
            },
        ),
    ]

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return _SUFFIXES, ("/>", "</")

    def __init__(self, source: SourceFile) -> None:
        super().__init__(source)
        self._script = script_of(source.path, source.text)
        self._memos: dict[str, bool] = {}

    def run(self) -> None:
        path, text = self.source.path, self.source.text
        if not path.endswith(_SUFFIXES) or ("/>" not in text and "</" not in text):
            return
        if _TEST_PATH.search(path) or not self._script.is_written:
            return
        for tag in _TAG.finditer(self._script.scan.structure):
            name = tag["name"]
            if name in self._script.imports and self._is_memo(name):
                self._check_attributes(name, tag.end())

    def _check_attributes(self, component: str, at: int) -> None:
        for start, end in self._new_values(at):
            first, last = self.source.position(start), self.source.position(end)
            if self.source.is_added(first[0]):
                prop = self._script.scan.structure[start:end]
                self.report(
                    Span(*first, *last),
                    f"{prop} is new on every render, but {component} is memoised; use useMemo or useCallback",
                )

    def _is_memo(self, name: str) -> bool:
        if name not in self._memos:
            self._memos[name] = self._is_memo_component(name)
        return self._memos[name]

    def _is_memo_component(self, name: str) -> bool:
        found = origin(name, self._script, self.source.project)
        if found is None:
            return False
        script, there = found
        memo = None
        if self._script.imports[name][1] == "default":
            memo = _DEFAULT_MEMO.search(script.scan.structure)
        if memo is None:
            memo = _memo_of(script, there)
        # A comparison function may ignore the prop.
        return memo is not None and len(script.list_at(memo.end() - 1) or (0, 0)) == 1

    def _new_values(self, at: int) -> Iterator[tuple[int, int]]:
        """Yield the (start, end) of the names of attributes with an inline value."""
        structure = self._script.scan.structure
        for _ in range(_MOST_ATTRIBUTES):
            attribute = _ATTRIBUTE.match(structure, at)
            if attribute is None or attribute["sign"] in ("/", ">"):
                return
            at = self._value_end(attribute)
            if self._has_new_value(attribute, at):
                yield attribute.span("name")

    def _value_end(self, attribute: re.Match[str]) -> int:
        """Return the end of an attribute with its value, or of a spread object."""
        structure, pairs = self._script.scan.structure, self._script.scan.pairs
        at = attribute.end()
        if attribute["sign"] == "{":
            return pairs.get(at - 1, len(structure)) + 1
        if not attribute["given"]:
            return at
        if structure.startswith("{", at):
            return pairs.get(at, len(structure)) + 1
        return at + len(structure[at:]) - len(structure[at:].lstrip("_"))

    def _has_new_value(self, attribute: re.Match[str], end: int) -> bool:
        structure, start = self._script.scan.structure, attribute.end()
        if not attribute["given"] or attribute["name"] in ("key", "ref"):
            return False
        return structure.startswith("{", start) and self._is_new(structure[start + 1 : end - 1].strip())

    def _is_new(self, value: str) -> bool:
        return _NEW.match(value) is not None


def _memo_of(script: ResolvedScript, name: str) -> re.Match[str] | None:
    """Return the call of ``memo`` that the only constant of a name holds."""
    constants = [location for location in script.bound.get(name, ()) if location["kind"] == "const"]
    return _MEMO.match(script.scan.structure, constants[0].end()) if len(constants) == 1 else None
