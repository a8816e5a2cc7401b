from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_RUNS = frozenset({"Script", "runInNewContext", "runInThisContext", "runInContext", "compileFunction"})
_HOLDS = LazyPattern(
    r"(?i)^(?!process|fs|path|module|exports|this\.(source|code)$)[\w.?\[\]]+\.\w*(script|code|formula|expression|source|snippet|rule|condition|template|transform|hook|query|filter)$"
)


class StoredCodeExecution(TreeCheck):
    """Stored user text is run as code.

    ``vm`` is not a sandbox: code in it reaches the process and all its rights. Anyone who may save such a
    script has the rights of the server. Run it in a separate process without rights, or offer a small
    language.
    """

    ID = "TS346"
    NAME = "stored-code-execution"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "code-injection"
    WORDS = ("vm", "Function(", "eval(")
    VALID = [
        code("""
            const vm = require('vm');
            vm.runInNewContext(fs.readFileSync(file, 'utf8'), {});
        """),
        code("""
            const vm = require('vm');
            const code = '1 + 1';
            new vm.Script(code);
        """),
    ]
    INVALID = [
        code("""
            const vm = require('vm');
            async function shape(id, payload) {
              const tenant = await getTenant(id);
              «new vm.Script(tenant.settings.transformScript)».runInContext(context);
            }
        """),
        code("""
            function column(definition) {
              const source = definition.formula;
              return «new Function('row', `return ${source}`)»;
            }
        """),
    ]

    def check(self) -> None:
        for name, node, arguments in self.reader.calls():
            last = name.rpartition(".")[2]
            if not arguments or not (
                (name.startswith("vm.") and last in _RUNS) or name in {"Function", "eval"}
            ):
                continue
            code = arguments[-1] if name == "Function" else arguments[0]
            if self._is_stored(code):
                self.report_node(node, "stored user text is run as code; run it in a process without rights")

    def _is_stored(self, node: Node) -> bool:
        """Return True for a property, or a value read from one, whose name implies user code."""
        from wardround.languages.script.syntax import inside

        found = self.reader.scope.resolve(node)
        for inner in inside(found):
            core = self.reader.scope.resolve(inner) if inner.type == "identifier" else inner
            if core.type == "member_expression" and _HOLDS.search(self.text(core)):
                return True
        return False
