from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from wardround.checks.source import ChangedFileView
from wardround.context.code_graph.model import Certainty, Link
from wardround.findings import Severity
from wardround.languages.python.function_text import changed_functions as changed_functions
from wardround.rules.cases import change
from wardround_contract.analysis.callers import Callers
from wardround_contract.analysis.python_signatures import Signature, calls, misfit, parse_module, signatures
from wardround_contract.analysis.uses import NOT_MAINTAINED, RemainingUse
from wardround_contract.check import BrokenUseCheck

_CONSTRUCTOR = "__init__"
_Calls = Mapping[tuple[str, int], list[tuple[ast.Call, int]]]


class CallNoLongerFits(BrokenUseCheck):
    """A Python function has other parameters or returns another number of values, and a call does not fit.

    The call raises TypeError, or ValueError where it unpacks the result. Change it in the same commit, or
    give the new parameter a default. A call whose arguments do not fit is an error, one that unpacks another
    number of values a warning.

    A call counts if it fitted the old signature and does not fit the new one. Overloads, functions with
    decorators that may change the parameters, and calls with ``*`` or ``**`` for what they may fill are not
    reported. Calls of an unknown receiver count if nothing else in the repository has the name, as a hint.
    """

    ID = "CT002"
    NAME = "call-no-longer-fits"
    DEFECT_CLASS = "stale-callers"
    SEVERITY = Severity.ERROR
    PATHS = (".py",)
    PREFILTER = "wardround_contract.prefilters:changes_a_python_function"
    VALID = [
        change(
            {
                "mail/box.py": (
                    """
                    def send(to): ...
                    """,
                    """
                    def send(to, text=""): ...
                    """,
                ),
            },
            others={
                "app.py": """
                from mail.box import send

                send("a")
                """,
            },
        ),
        change(
            {
                "mail/box.py": (
                    """
                    def send(to, text): ...
                    """,
                    """
                    def send(to, **options): ...
                    """,
                ),
            },
            others={
                "app.py": """
                from mail.box import send

                send("a", text="b")
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "mail/box.py": (
                    """
                    def send(to): ...
                    """,
                    """
                    «def send(to, text): ...»
                    """,
                ),
            },
            others={
                "app.py": """
                from mail.box import send

                send("a")
                """,
            },
        ),
        change(
            {
                "mail/box.py": (
                    """
                    def send(to):
                        return to, 1
                    """,
                    """
                    «def send(to):»
                        return to, 1, 2
                    """,
                ),
            },
            others={
                "app.py": """
                from mail.box import send

                name, count = send("a")
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
        self._calls: dict[str, _Calls] = {}
        for file, name, before, after in changed:
            self._inspect(file, name, before, after, callers)

    def _inspect(
        self, file: ChangedFileView, name: str, before: Signature, after: Signature, callers: Callers
    ) -> None:
        uses: list[RemainingUse] = []
        reasons: list[str] = []
        severity = Severity.INFO
        for link in callers.calls(file.path, name):
            reason, raised = self._misfit(link, name, before, after)
            if reason:
                uses.append(RemainingUse(link.path, link.line))
                reasons.append(reason)
                severity = max(severity, raised) if link.certainty is Certainty.RESOLVED else severity
        if uses:
            called = name.removesuffix(f".{_CONSTRUCTOR}")
            self.report_changed_definition(file, after.line, f"`{called}` {reasons[0]} now", uses, severity)

    def _misfit(self, link: Link, name: str, before: Signature, after: Signature) -> tuple[str, Severity]:
        """Return the reason why a call fails that did not before, and how serious that is; or no reason."""
        owner, _, own = name.rpartition(".")
        is_constructor = own == _CONSTRUCTOR
        called = owner.rpartition(".")[2] if is_constructor else own
        for call, names in self._calls_in(link.path).get((called, link.line), ()):
            if before.is_bound and not is_constructor and _is_unbound(call, owner):
                continue
            reason = misfit(after, call)
            if reason and not misfit(before, call):
                return reason, Severity.ERROR
            if _unpacks_other_number(names, before, after):
                return f"returns {after.arity} values in place of {names}", Severity.WARN
        return "", Severity.INFO

    def _calls_in(self, path: str) -> _Calls:
        if path not in self._calls:
            tree = parse_module(self.change.project.read(path) or "")
            self._calls[path] = calls(tree) if tree is not None else {}
        return self._calls[path]


def _unpacks_other_number(names: int, before: Signature, after: Signature) -> bool:
    """Return True if a call unpacks into as many names as the function returned values before, not now."""
    return names > 0 and names == before.arity and after.arity not in (0, names)


def _is_unbound(call: ast.Call, owner: str) -> bool:
    """Return True for a call of a method on its class, which passes the instance itself."""
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    name = receiver.id if isinstance(receiver, ast.Name) else getattr(receiver, "attr", "")
    return bool(name) and (name == owner.rpartition(".")[2] or name[:1].isupper())


def _changed_functions(file: ChangedFileView) -> Iterator[tuple[ChangedFileView, str, Signature, Signature]]:
    """Yield the functions of a file whose signature differs."""
    if file.text is None or file.base_text is None or not file.path.endswith(".py"):
        return
    names = {after.name for _, after in changed_functions(file.base_text, file.text)}
    if not names or NOT_MAINTAINED.search(file.path):
        return
    base = signatures(parse_module(file.base_text), names)
    for name, after in signatures(parse_module(file.text), names).items():
        before = base.get(name)
        if before is not None and before._replace(line=after.line) != after:
            yield file, name, before, after
