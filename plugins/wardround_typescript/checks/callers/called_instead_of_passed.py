"""TS076."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_TIMERS = LazyPattern(
    r"^((window|globalThis)\.)?(setTimeout|setInterval|setImmediate|requestAnimationFrame"
    r"|queueMicrotask)$|^process\.nextTick$"
)
_LISTENERS = LazyPattern(r"\.(addEventListener|removeEventListener|once|addListener)$")
_EVENT = LazyPattern(r"^on[A-Z]\w*$")
_SETTER = LazyPattern(r"^set[A-Z]\w*$")
_MAKERS = LazyPattern(
    r"(?i)handler|factory|create|make|curry|with|bind|debounce|throttle|callback"
    r"|listener|^on[A-Z]|^use"
)


class CalledInsteadOfPassed(TreeCheck):
    """The function is called here and now, and what it gives back is no function.

    What should run later, on an event or after a time, runs while this line does, and then nothing is
    left to run: in a component it runs on every render. Pass the function itself, or one that calls it.
    """

    ID = "TS076"
    NAME = "called-instead-of-passed"
    DEFECT_CLASS = "called-instead-of-passed"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.ERROR
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = (
        "setTimeout(",
        "setInterval(",
        "addEventListener(",
        "={",
        "nextTick(",
        "AnimationFrame(",
        ".once(",
    )
    ALSO = (
        ("setTimeout(", "setInterval(", "addEventListener(", "={", "nextTick(", "AnimationFrame(", ".once("),
        (")",),
    )
    TRIED_ON = (
        "the trees of hoppscotch, langfuse, react-hook-form, redash, redux-toolkit, shadcn-ui/ui, "
        "formbricks, chainlit, chatbot-ui, lerna, webpack-cli, three Supabase starters and NodeBB "
        "(17,758 scripts): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "function later(name) {\n  return () => greet(name);\n"
            "}\nsetTimeout(later('a'), 500);\nsetTimeout(tick, 500);\n",
            path="a.ts",
        ),
        Valid(
            "const pick = (id) => () => setId(id);\n"
            "const A = () => <Row onPick={pick(3)} onOpen={open} "
            "/>;\n",
            path="a.tsx",
        ),
        Valid("const stop = useCallback(() => {}, []);\nsetTimeout(() => tick(), 5);\n", path="a.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const wait = (ms) => new Promise((resolve) => {\n  setTimeout(resolve(), ms);\n});\n",
            path="a.js",
            line=2,
            column=14,
        ),
        Invalid(
            "function tick() {\n  count += 1;\n}\nsetInterval(tick(), 1000);\n",
            path="a.ts",
            line=4,
            column=13,
        ),
        Invalid(
            "function Row({ id }) {\n  const [open, setOpen] = useState(false);\n"
            "  return <button onClick={setOpen(true)} />;\n"
            "}\n",
            path="a.tsx",
            line=3,
            column=27,
        ),
        Invalid(
            "function Row({ id }) {\n  const remove = (which) => {\n"
            "    drop(which);\n  };\n  return <button onClick={remove(id)} />;\n"
            "}\n",
            path="a.tsx",
            line=5,
            column=27,
        ),
        Invalid(
            "const fit = () => { box.resize(); };\nwindow.addEventListener('resize', fit());\n",
            path="a.ts",
            line=2,
            column=35,
        ),
    ]

    def look(self) -> None:
        for node in self._handed():
            if node.type == "call_expression" and self._gives_nothing(node):
                self.say(
                    node,
                    f"{self.code.called(node)} is called at once, and gives nothing that could run later",
                )

    def _handed(self) -> Iterator[Node]:
        """What is handed over to run later."""
        from wardround.languages.script.code import argument

        code = self.code
        for called, call in code.calls:
            place = 0 if _TIMERS.search(called) else 1 if _LISTENERS.search(called) else None
            given = argument(call, place) if place is not None else None
            if given is not None:
                yield given
        for attribute in code.kinds("jsx_attribute"):
            value = attribute.named_children[-1]
            if (
                value.type == "jsx_expression"
                and value.named_children
                and _EVENT.search(code.text(attribute.named_children[0]))
            ):
                yield value.named_children[0]

    def _gives_nothing(self, call: Node) -> bool:
        from wardround.languages.script.code import is_async, own_nodes, returned

        code = self.code
        called = code.called(call)
        if _SETTER.search(called) and self._is_state_setter(called, call):
            return True
        if called in ("resolve", "reject") and code.declared.get(called):
            return all(one.type.endswith(("parameter", "identifier")) for one in code.declared[called])
        function = code.function_of(called, call) if "." not in called else None
        if function is None or _MAKERS.search(called) or is_async(function):
            return False
        body = function.child_by_field_name("body")
        if body is None or body.type != "statement_block" or "yield" in code.text(body):
            return False
        return not any(True for _ in returned(function)) and any(True for _ in own_nodes(function))

    def _is_state_setter(self, name: str, at: Node) -> bool:
        declaration = self.code.declaration(name, at)
        value = self.code.field(declaration, "value") if declaration is not None else ""
        return value.removeprefix("React.").startswith(("useState(", "useState<"))
