from __future__ import annotations

from collections.abc import Iterator, Mapping

from wardround.checks.source import ChangedFileView
from wardround.context.code_graph.model import Certainty, Link, UseKind
from wardround.findings import Severity
from wardround.rules.cases import change
from wardround_contract.analysis.callers import Callers
from wardround_contract.analysis.script_calls import Call, PassedKeys, calls, elements
from wardround_contract.analysis.script_signatures import Function, functions, misfit
from wardround_contract.analysis.script_syntax import SUFFIXES, TYPED
from wardround_contract.analysis.uses import NOT_MAINTAINED, RemainingUse
from wardround_contract.check import BrokenUseCheck


class ScriptCallNoLongerFits(BrokenUseCheck):
    """A function or component has other parameters, keys or props, and a call or an element does not fit.

    TypeScript rejects it where the compiler runs; elsewhere the value is ``undefined`` or the prop is
    ignored. Change it in the same commit, or make the new parameter optional.

    A call counts if it fitted the old parameters and does not fit the new ones. Props and object parameters
    count if the file declares their type; types with a base, a rest or a spread are not closed.
    """

    ID = "CT003"
    NAME = "script-call-no-longer-fits"
    DEFECT_CLASS = "stale-callers"
    SEVERITY = Severity.WARN
    PATHS = SUFFIXES
    PREFILTER = "wardround_contract.prefilters:changes_a_script"
    VALID = [
        change(
            {
                "src/box.ts": (
                    """
                    export function send(to: string) {}
                    """,
                    """
                    export function send(to: string, text?: string) {}
                    """,
                ),
            },
            others={
                "src/app.ts": """
                import { send } from "./box"

                send("a")
                """,
            },
        ),
        change(
            {
                "src/Box.tsx": (
                    """
                    type Props = { title: string; wide?: boolean }
                    export const Box = ({ title, wide }: Props) => <p>{title}</p>
                    """,
                    """
                    type Props = { title: string; size?: number } & Other
                    export const Box = ({ title, size }: Props) => <p>{title}</p>
                    """,
                ),
            },
            others={
                "src/App.tsx": """
                import { Box } from "./Box"

                export const App = () => <Box title="a" wide />
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "src/box.ts": (
                    """
                    export function send(to: string) {}
                    """,
                    """
                    «export function send(to: string, text: string) {}»
                    """,
                ),
            },
            others={
                "src/app.ts": """
                import { send } from "./box"

                send("a")
                """,
            },
        ),
        change(
            {
                "src/Box.tsx": (
                    """
                    type Props = { title: string; wide?: boolean }
                    export const Box = ({ title, wide }: Props) => <p>{title}</p>
                    """,
                    """
                    type Props = { title: string }
                    «export const Box = ({ title }: Props) => <p>{title}</p>»
                    """,
                ),
            },
            others={
                "src/App.tsx": """
                import { Box } from "./Box"

                export const App = () => <Box title="a" wide />
                """,
            },
        ),
    ]

    def run(self) -> None:
        changed = [difference for file in self.change.files for difference in _changed_functions(file)]
        graphs = self.change.graphs() if changed else None
        if graphs is None:
            return
        callers = Callers(self.change, graphs)
        self._calls: dict[str, Mapping[tuple[str, int], list[Call]]] = {}
        self._elements: dict[str, Mapping[tuple[str, int], list[PassedKeys]]] = {}
        for file, name, before, after in changed:
            self._inspect(file, name, before, after, callers)

    def _inspect(
        self, file: ChangedFileView, name: str, before: Function, after: Function, callers: Callers
    ) -> None:
        uses: list[RemainingUse] = []
        reasons: list[str] = []
        severity = Severity.INFO
        for link in callers.calls(file.path, name):
            reason = self._misfit(file.path, link, name.rpartition(".")[2], before, after)
            if reason:
                uses.append(RemainingUse(link.path, link.line))
                reasons.append(reason)
                severity = Severity.WARN if link.certainty is Certainty.RESOLVED else severity
        if uses:
            self.report_changed_definition(file, after.line, f"`{name}` {reasons[0]} now", uses, severity)

    def _misfit(self, path: str, link: Link, name: str, before: Function, after: Function) -> str:
        """Return the reason why a call or an element does not fit that did before.

        Args:
            path: the file of the definition; what only a compiler requires counts between typed files.
        """
        key = name, link.line
        if link.kind is UseKind.RENDERS:
            for given in self._elements_in(link.path).get(key, ()):
                is_typed = link.path.endswith(TYPED) and _has_typed_props(before)
                reason = _misfit_of_props(after, given, is_typed)
                if reason and not _misfit_of_props(before, given, is_typed):
                    return reason
            return ""
        is_typed = link.path.endswith(TYPED) and path.endswith(TYPED)
        for call in self._calls_in(link.path).get(key, ()):
            reason = _misfit_of_call(after, call, is_typed)
            if reason and not _misfit_of_call(before, call, is_typed):
                return reason
        return ""

    def _calls_in(self, path: str) -> Mapping[tuple[str, int], list[Call]]:
        if path not in self._calls:
            self._calls[path] = calls(path, self.change.project.read(path) or "")
        return self._calls[path]

    def _elements_in(self, path: str) -> Mapping[tuple[str, int], list[PassedKeys]]:
        if path not in self._elements:
            self._elements[path] = elements(path, self.change.project.read(path) or "")
        return self._elements[path]


def _misfit_of_props(function: Function, given: PassedKeys, is_typed: bool) -> str:
    keys = function.parameters[0].keys if function.parameters else None
    return "" if keys is None else misfit(keys, given, is_checked=is_typed)


def _has_typed_props(function: Function) -> bool:
    keys = function.parameters[0].keys if function.parameters else None
    return keys is not None and keys.is_typed


def _misfit_of_call(function: Function, call: Call, is_typed: bool) -> str:
    reason = _misfit_of_count(function, call) if is_typed else ""
    if reason:
        return reason
    for parameter, keys in zip(function.parameters, call.objects, strict=False):
        if parameter.keys is None or keys is None:
            continue
        reason = misfit(parameter.keys, keys, is_checked=is_typed and parameter.keys.is_typed)
        if reason:
            return reason
    return ""


def _misfit_of_count(function: Function, call: Call) -> str:
    if call.arguments < function.required and not call.has_spread:
        return f"requires `{function.parameters[function.required - 1].name}`"
    if call.arguments > len(function.parameters) and not function.has_rest:
        return f"takes {len(function.parameters)} arguments"
    return ""


def _changed_functions(file: ChangedFileView) -> Iterator[tuple[ChangedFileView, str, Function, Function]]:
    """Yield the functions of a file whose parameters differ."""
    if file.text is None or file.base_text is None or not file.path.endswith(SUFFIXES):
        return
    if NOT_MAINTAINED.search(file.path) or file.text == file.base_text:
        return
    base, head = functions(file.path, file.base_text), functions(file.path, file.text)
    for name, after in head.items():
        before = base.get(name)
        if before is not None and before._replace(line=0) != after._replace(line=0):
            yield file, name, before, after
