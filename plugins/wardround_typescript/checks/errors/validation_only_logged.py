from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

_CHECKS = LazyPattern(
    r"(?:^|\.)(?:verify|authorize|authenticate|assert|enforce|guard)(?:[A-Z]\w*)?$"
    r"|(?:^|\.)(?:ensure|require)\w*(?:Access|Allow|Admin|Auth|Can|Ha[sv]e|Is|Limit|Log(?:in|ged)|Member|Own|Permi|Quota|Rights?"
    r"|Role|Session|Signed|Token|User|Valid|Verif)\w*$"
    r"|(?:^|\.)check(?:Access|Permission|Auth|Token|Signature|Owner|Quota|Limit|Role|Session|Rights)\w*$"
)
_MAKES = LazyPattern(
    r"(?:^|\.)(?:ensure|require)(?:\w*(?:Dir|Folder|Path|Exists|Loaded|Ready|Visible|Index|Table|Bucket|File)\w*)?$"
)


class ValidationOnlyLogged(TreeCheck):
    """The failure of a permission or validity check is caught and ignored.

    The following code runs for rejected requests as well. Let the error propagate, or return in the handler.
    """

    ID = "TS406"
    NAME = "validation-only-logged"
    DEFECT_CLASS = "swallowed-error"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("verify", "uthorize", "uthenticate", "assert", "ensure", "require", "enforce", "guard", "check")
    ALSO = (("catch",), ("await",))
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            async function open(seal) {
              await verifySeal(seal).catch((error) => {
                throw new Refused(error);
              });
              return read(seal);
            }
        """),
        code("""
            async function open(seal) {
              try {
                await verifySeal(seal);
              } catch {
                return null;
              }
              return read(seal);
            }
        """),
    ]
    INVALID = [
        code("""
            async function open(seal) {
              await «verifySeal(seal).catch((error) => console.warn(error))»;
              return read(seal);
            }
        """),
        code("""
            async function drop(user, id) {
              try {
                await rights.assertCanDrop(user, id);
              } «catch (error) {
                logger.error(error);
              }»
              await shelf.drop(id);
            }
        """),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import FUNCTIONS
        from wardround_typescript.analysis.exception_handling import caught_calls

        for function in self.code.kinds(*sorted(FUNCTIONS)):
            for call in caught_calls(self.code, function):
                if (
                    not call.leaves
                    and call.is_last
                    and _CHECKS.search(call.called)
                    and not _MAKES.search(call.called)
                ):
                    self.report_node(
                        call.place,
                        f"rejection by {call.called}() is ignored; let the error propagate or return",
                    )
