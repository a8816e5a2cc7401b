"""TS406."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

_CHECKS = LazyPattern(
    r"(?:^|\.)(?:verify|authorize|authenticate|assert|ensure|require|enforce|guard)(?:[A-Z]\w*)?$"
    r"|(?:^|\.)check(?:Access|Permission|Auth|Token|Signature|Owner|Quota|Limit|Role|Session|Rights)\w*$"
)
_MAKES = LazyPattern(
    r"(?:^|\.)(?:ensure|require)(?:\w*(?:Dir|Folder|Path|Exists|Loaded|Ready|Visible|Index|Table|Bucket|File)\w*)?$"
)


class ValidationOnlyLogged(TreeCheck):
    """A check tells by its failure that something is not allowed, and the failure is caught and passed over.

    What follows runs for whoever was refused just as for the others. Let it fail, or return where it is
    caught.
    """

    ID = "TS406"
    NAME = "validation-only-logged"
    DEFECT_CLASS = "swallowed-error"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("verify", "uthorize", "uthenticate", "assert", "ensure", "require", "enforce", "guard", "check")
    ALSO = (("catch",), ("await",))
    TRIED_ON = (
        "the trees of documenso, excalidraw, formbricks, hoppscotch, langfuse and redash (13,048 "
        "scripts): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "async function open(seal) {\n  await verifySeal(seal).catch((error) => {\n"
            "    throw new Refused(error);\n"
            "  });\n  return read(seal);\n}\n",
            path="a.ts",
        ),
        Valid(
            "async function open(seal) {\n  try {\n    await verifySeal(seal);\n  } catch {\n"
            "    return null;\n  }\n"
            "  return read(seal);\n}\n",
            path="a.ts",
        ),
        Valid(
            "async function open(path) {\n  await ensureDir(path).catch(() => {});\n"
            "  return read(path);\n}\n",
            path="a.ts",
        ),
        Valid(
            "async function open(seal) {\n  let isSealed = false;\n  try {\n    await verifySeal(seal);\n"
            "    isSealed = true;\n  } catch (error) {\n    console.warn(error);\n  }\n"
            "  return read(seal, isSealed);\n}\n",
            path="a.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "async function open(seal) {\n  await verifySeal(seal).catch((error) => console.warn(error));\n"
            "  return read(seal);\n}\n",
            line=2,
            column=9,
            path="a.ts",
        ),
        Invalid(
            "async function drop(user, id) {\n  try {\n    await rights.assertCanDrop(user, id);\n"
            "  } catch (error) {\n    logger.error(error);\n  }\n  await shelf.drop(id);\n}\n",
            line=4,
            column=5,
            path="a.ts",
        ),
        Invalid(
            "async function drop(user, id) {\n  await checkPermission(user).catch(() => {});\n"
            "  await shelf.drop(id);\n}\n",
            line=2,
            column=9,
            path="a.ts",
        ),
    ]

    def look(self) -> None:
        from wardround.languages.script.code import FUNCTIONS
        from wardround_typescript.analysis.exception_handling import caught

        for function in self.code.kinds(*sorted(FUNCTIONS)):
            for one in caught(self.code, function):
                if (
                    not one.leaves
                    and one.is_last
                    and _CHECKS.search(one.called)
                    and not _MAKES.search(one.called)
                ):
                    self.say(one.place, f"when {one.called}() refuses, this goes on as if it had not")
