"""TS346."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_typescript.analysis.call_options import ServerCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_RUNS = frozenset({"Script", "runInNewContext", "runInThisContext", "runInContext", "compileFunction"})
_HOLDS = LazyPattern(
    r"(?i)^(?!process|fs|path|module|exports|this\.(source|code)$)[\w.?\[\]]+\.\w*(script|code|formula|expression|source|snippet|rule|condition|template|transform|hook|query|filter)$"
)


class StoredCodeExecution(ServerCheck):
    """Text that somebody stored is run as code.

    vm keeps nobody in: code in it reaches the process and everything it may do. Whoever may save such a
    script has the rights of the server. Run it in a process of its own without rights, or offer a small
    language.
    """

    ID = "TS346"
    NAME = "stored-code-execution"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "code-injection"
    WORDS = ("vm", "Function(", "eval(")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "const vm = require('vm');\nvm.runInNewContext(fs.readFileSync(file, 'utf8'), {});\n",
            path="case.ts",
        ),
        Valid(
            "const vm = require('vm');\nconst code = '1 + 1';\nnew vm.Script(code);\n",
            path="case.ts",
        ),
        Valid(
            "function evaluate(rule, sample) {\n  return OPERATORS.get(rule.operator)(sample);\n}\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const vm = require('vm');\n"
            "async function shape(id, payload) {\n"
            "  const tenant = await getTenant(id);\n"
            "  new vm.Script(tenant.settings.transformScript).runInContext(context);\n"
            "}\n",
            line=4,
            column=3,
            path="case.ts",
        ),
        Invalid(
            "function column(definition) {\n"
            "  const source = definition.formula;\n"
            "  return new Function('row', `return ${source}`);\n"
            "}\n",
            line=3,
            column=10,
            path="case.ts",
        ),
        Invalid(
            "const vm = require('vm');\n"
            "export function total(rule, rows) {\n"
            "  const source = rule.expression;\n"
            "  return vm.runInNewContext(source, { rows });\n"
            "}\n",
            line=4,
            column=10,
            path="case.ts",
        ),
    ]

    def look(self) -> None:
        for name, node, arguments in self.calls():
            last = name.rpartition(".")[2]
            if not arguments or not (
                (name.startswith("vm.") and last in _RUNS) or name in {"Function", "eval"}
            ):
                continue
            code = arguments[-1] if name == "Function" else arguments[0]
            if self._is_stored(code):
                self.say(node, "text that somebody stored is run as code")

    def _is_stored(self, node: Node) -> bool:
        """Whether it is, or is filled with, a property that by its name holds code of a user's."""
        from wardround.languages.script.syntax import inside

        found = self.scope.resolved(node)
        for one in inside(found):
            core = self.scope.resolved(one) if one.type == "identifier" else one
            if core.type == "member_expression" and _HOLDS.search(self.text(core)):
                return True
        return False
