"""PY009."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround.storage.regex_cache import bounded
from wardround_python.analysis.stubs import body_after_docstring, is_stub, only_talks, returns_only, says_why
from wardround_python.check import PythonCheck

_MARKER = LazyPattern(
    r"\b(TODO|FIXME|XXX)\b(?!-)|(?i:\b(not implemented yet|not yet implemented|implement me)\b)"
)
_ANSWERS = (
    "Compute|Calculate|Return|Fetche?|Validate|Parse|Retrieve|Determine|Estimate|Convert|Count|Checke?|Verif(?:y|ie)"
    "|Authenticate|Authori[sz]e|Decide|Find|Search|Select|Recommend|Rank|Score|Render|Generate|Build|Decode"
    "|Encode|Encrypt|Decrypt|Hashe?|Sign|Extract|Load|Read|Resolve|Translate|Measure|Detect|Look up|Sum"
    "|Ping|Probe|Ask|Compare|Classif(?:y|ie)|Screen|Scan|Collect|Query|Querie|Predict|Format|Match(?:e)?|Assesse?|Evaluate"
    "|Derive|Work out|Inspect|Map|Split|Group|Filter|Sort|Download|Request|Lookup"
)
_DEEDS = (
    "Delete|Remove|Send|Save|Store|Write|Update|Insert|Create|Revoke|Cancel|Refund|Charge|Notify|Publishe?"
    "|Upload|Archive|Lock|Unlock|Purge|Apply|Applie|Schedule|Enqueue|Record|Flushe?|Invalidate|Clear|Copy|Move"
    "|Register|Persist|Sync|Synchroni[sz]e|Merge|Migrate|Rotate|Import|Export|Email|E-mail|Block|Expire"
    "|Restore|Reset|Release|Reserve|Deactivate|Activate|Disable|Enable|Ensure|Enforce|Log|Post|Push|Deliver"
    "|Erase|Wipe|Anonymi[sz]e|Redact|Drop|Submit|Start|Stop|Add|Append|Book|Bill|Pay|Settle|Close|Trigger|Print|Replace"
    "|Rebuild|Reindex|Index|Mark|Assign|Attach|Grant|Deny|Reject|Approve|Retry|Forward|Track|Emit|Broadcast|Subscribe"
)
_PROMISE = LazyPattern(rf"(?:{_ANSWERS}|{_DEEDS})s?\b(?!:)", re.IGNORECASE)
_DEED = LazyPattern(rf"({_DEEDS})s?\b", re.IGNORECASE)
# Whoever may not pass is let in by a stub of these.
_GUARD_NAME = LazyPattern(
    r"_*(verify_\w+|authenticate\w*|authori[sz]e\w*|is_(authori[sz]ed|authenticated|allowed"
    r"|permitted|trusted)"
    r"|has_(permission|access|role)\w*|(check|validate)_(\w+_)?(signature|password|permissions?|access|token"
    r"|credentials|hmac|csrf))"
)
# A docstring that admits the constant promises nothing more.
_ADMITS = LazyPattern(
    r"\b(always|never|none|true|false|nothing|default|no-?op|dummy|empty|constant|subclass\w*"
    r"|overrid\w+|abstract"
    r"|placeholder|mock|fake|not supported|unsupported|deprecated|compatib\w+)\b",
    re.IGNORECASE,
)
_CONDITION = LazyPattern(
    r"(?i)\b(returns?|gives?|says?|tells?|checks?)?\s?(true|false)?\s?\b(if|whether|when|iff)\b"
)
_OWNING_WORDS = ("for now", "placeholder", "hardcoded", "hard-coded", "stub", "temporar", " comes ", "wired")
_WORDS = ("todo", "fixme", "xxx", "implement")
_SKIPPED = r"(?:[ \t]*(?:(?:#|\w*log\w*\.|self\.\w*log\w*\.|print\()[^\n]*)?\n)*[ \t]*"
_STUBS_BELOW = tuple(
    LazyPattern(rf"{quote}[ \t]*\n{_SKIPPED}(?:return|pass|\.\.\.|@|def|async|class|\Z)") for quote in "\"'"
)
_SAYS_YES = LazyPattern(rf":[ \t]*\n{_SKIPPED}return True$", re.MULTILINE)
_SEVERAL_WORDS, _SHORT = 6, 3
_VIEW = LazyPattern(r"(View|ViewSet|Resource|Endpoint|Handler)(\[|$)")
# A comment beside a constant that owns up to it.
_OWNS_UP = LazyPattern(
    r"\b(for now|placeholder|hard-?coded|stub(bed)?|temporar(y|ily)|comes? (later|with|once|when)"
    r"|not (yet )?wired|until\b.*\b(ready|done))\b",
    re.IGNORECASE,
)
_NO_STUB_DECORATOR = LazyPattern(
    r"abstract|overload|singledispatch|hookspec|final|fixture|deprecated", re.IGNORECASE
)
_EVENT_HANDLER = LazyPattern(r"(visit|on|handle|depart|leave|log|pre|post|before|after)_|handle$|do_[A-Z]")
_ABSTRACT_BASES = frozenset({"ABC", "ABCMeta", "Protocol", "Interface"})
_BASE_CLASS_NAME = LazyPattern(
    r"^_?(Base|Abstract|Null|Noop|NoOp|Dummy|Fake|Mock|Empty)|(Base|Mixin|Protocol|Interface|Error"
    r"|Exception)$"
)


_STILL_TO_DO = LazyPattern(
    r"#\s*(?:TODO|FIXME|XXX)\b[\s:,()\w-]{0,30}?\b(?:send|call|store|save|delete|remove|implement|persist|charge"
    r"|notify|validate|verify|check|publish|enqueue|upload|create|update|apply|write|revoke|refund|email"
    r"|schedule)\b.*",
    re.IGNORECASE,
)
_SUCCESS = LazyPattern(
    r"(?i)\bTrue\b|'(success\w*|ok|okay|done|sent|created|updated|deleted|queued|accepted)'|\b20[0124]\b"
)


class StubInProduction(PythonCheck):
    """A function that is only a stub is part of the program.

    Its callers get a constant or an exception where its name promises work, and a constant looks like a
    result. Finish it, or leave it out until it is needed.
    """

    ID = "PY009"
    NAME = "stub-in-production"
    VALID = [
        code("""
            class Store:
                def get(self, key):
                    raise NotImplementedError
        """),
        code("""
            from abc import abstractmethod
            class A:
                @abstractmethod
                def f(self):
                    pass  # TODO
        """),
    ]
    INVALID = [
        code("""
            class Hook(Channel):
                def seal(self, body):
                    «raise NotImplementedError()»

                def send(self, body):
                    post(body, self.seal(body))
        """),
        code('''
            class Logs:
                def on_signal(self):
                    self.reopen()

                def «reopen»(self):
                    """Close and open the files again."""
                    pass
        '''),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        if source.path.endswith(".pyi"):
            return False
        if source.keywords.in_lower_case.contains_any((*_WORDS, *_OWNING_WORDS)):
            return True
        if any(stub.search(source.text) for stub in _STUBS_BELOW):
            return True
        return source.keywords.has("return True") and _SAYS_YES.search(source.text) is not None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._look_at(node)

    def visit_Return(self, node: ast.Return) -> None:
        """An answer of success where a comment says that the deed is still to be written."""
        above = self.source.lines[node.lineno - 2].strip() if node.lineno > 1 else ""
        found = _STILL_TO_DO.match(above)
        function = self.module.function_of(node)
        if found is None or node.value is None or not isinstance(function, FunctionNode):
            return
        is_end = function.body[-1] is node and len(function.body) > 1 and self.source.is_added(node.lineno)
        if is_end and _SUCCESS.search(ast.unparse(node.value)) and _only_literals(node.value):
            self.report(self.module.span(node), f'it says that all went well, and "{found[0][:60]}"')

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at(node)

    def _look_at(self, node: FunctionNode) -> None:
        body = body_after_docstring(node)
        while len(body) > 1 and only_talks(body[0]):
            body = body[1:]
        if len(body) > 1 or not all(is_stub(statement) for statement in body):
            return
        refuses = body and isinstance(body[0], ast.Raise)
        marked = None if refuses and says_why(body[0]) else self._marked(node)
        why = marked or self._why(node, body)
        if why is not None and not self._is_meant(node):
            gives = refuses or (body and isinstance(body[0], ast.Return) and body[0].value is not None)
            at_result = gives and not marked
            span = self.module.span(body[0]) if at_result else self.module.name_span(node)
            self.report(span, f'"{node.name}" is a stub: {why}')

    def _why(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Why a function without a marker is one, if it is: what it promises, or who counts on it."""
        refuses = bool(body) and isinstance(body[0], ast.Raise)
        if refuses and says_why(body[0]):
            # It refuses in so many words: whoever calls it is told, but for the module's own calls.
            return self._called_here(node) or self._of_a_finished_class(node)
        why = self._unkept(node, body) or self._lets_all_pass(node, body) or self._answers_for_all(node, body)
        why = why or self._registered(node, body) or self._counted_on(node, body)
        return self._of_a_finished_class(node) if why is None and refuses else why

    def _marked(self, node: FunctionNode) -> str | None:
        """The marker in the comments of a function or in its docstring."""
        docstring = ast.get_docstring(node, clean=False) or ""
        found = _MARKER.search(docstring)
        lines = self.source.lines
        last = node.end_lineno or node.lineno
        while last < len(lines) and lines[last].lstrip().startswith("#"):
            if len(lines[last]) - len(lines[last].lstrip()) <= node.col_offset:
                break
            last += 1
        for line in lines[node.lineno - 1 : last]:
            found = found or _MARKER.search(line.partition("#")[2])
            if returns_only(node):
                found = found or _OWNS_UP.search(line.partition("#")[2])
        return f'its text says "{found[0]}"' if found else None

    def _unkept(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """What the docstring of a module's function promises while its parameters go unused."""
        promise = (ast.get_docstring(node) or "").partition("\n\n")[0]
        starts = _PROMISE.match(promise)
        arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        is_route = _is_route(node) or self._is_view(node)
        if (
            (not arguments and not is_route)
            or _ADMITS.search(promise)
            or (node.decorator_list and not is_route)
        ):
            return None
        own_step = node not in self.module.tree.body
        speaks = self._speaks_of(promise, arguments[1:]) if own_step else None
        if own_step and not is_route and not (len(arguments) > 1 and self._is_step(node, speaks is not None)):
            return None
        if not starts:
            starts = speaks
        if not starts or (is_route and not _DEED.match(promise)):
            return None
        if any(a.arg.startswith("_") for a in arguments):
            return None
        first = body[0] if body else None
        if isinstance(first, ast.Raise):
            return f'it says it "{starts[0]}" something and only raises NotImplementedError'
        if isinstance(first, ast.Return) and first.value is not None:
            value = ast.unparse(first.value)
            return None if value in promise else f'it says "{starts[0]}" and only returns {value}'
        does = _DEED.match(promise) is not None or (first is not None and not own_step)
        return f'it says "{starts[0]}" and does nothing' if does else None

    def _is_view(self, node: FunctionNode) -> bool:
        """Whether a method answers the requests that change something."""
        owner = self.module.class_of(node)
        bases = owner.bases if owner is not None else []
        is_view = any(_VIEW.search(ast.unparse(base)) for base in bases)
        return is_view and node.name in ("post", "put", "patch", "delete", "form_valid", "create", "destroy")

    def _is_step(self, node: FunctionNode, speaks: bool) -> bool:
        """Whether a method does a part of its class's work: the class calls it, or it is one of several "
        "that do.
        """
        if self._is_own_step(node):
            return True
        owner = self.module.class_of(node)
        if owner is None or owner.bases or owner.keywords or not speaks or self._has_heirs(owner):
            return False
        others = [
            n for n in owner.body if isinstance(n, FunctionNode) and n is not node and n.name != "__init__"
        ]
        return any(not all(map(is_stub, body_after_docstring(other))) for other in others)

    def _speaks_of(self, promise: str, arguments: Sequence[ast.arg]) -> re.Match[str] | None:
        """Where a docstring of several words speaks of what the function is given: then it is to use it."""
        if len(promise.split()) < _SEVERAL_WORDS:
            return None
        named = "|".join(re.escape(a.arg) for a in arguments if len(a.arg) > _SHORT)
        return re.search(rf"\b(?:{named})(?:s|'s)?\b", promise, re.IGNORECASE) if named else None

    def _is_own_step(self, node: FunctionNode) -> bool:
        """Whether a method is of a class that nothing here inherits from, and the class calls it itself."""
        owner = self.module.class_of(node)
        if owner is None or owner.bases or owner.keywords or f"self.{node.name}(" not in self.source.text:
            return False
        return not self._has_heirs(owner)

    def _lets_all_pass(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Whether a guard of the module, by its name, says yes to everybody."""
        last = body[0] if body else None
        if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Constant):
            return None
        if last.value.value is not True or node not in self.module.tree.body or node.decorator_list:
            return None
        asked = [a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs]
        admits = _ADMITS.search((ast.get_docstring(node) or "").partition("\n\n")[0])
        if not asked or asked[0].startswith("_") or admits or not _GUARD_NAME.fullmatch(node.name):
            return None
        return "it returns True whatever it is given"

    def _counted_on(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Whether the change brings a method that does nothing together with the call that counts on it."""
        owner = self.module.class_of(node)
        if owner is None or node.decorator_list or not self.source.is_added(node.lineno):
            return None
        promise = (ast.get_docstring(node) or "").partition("\n\n")[0]
        refuses = bool(body) and isinstance(body[0], ast.Raise)
        does_nothing = not body or isinstance(body[0], (ast.Pass, ast.Expr))
        if not (refuses or (does_nothing and _DEED.match(promise))) or _ADMITS.search(promise):
            return None
        calls = [
            one.lineno
            for one in walk(owner)
            if isinstance(one, ast.Call)
            and ast.unparse(one.func) == f"self.{node.name}"
            and self.source.is_added(one.lineno)
        ]
        if not calls or self._has_heirs(owner) or _BASE_CLASS_NAME.search(owner.name):
            return None
        does = (
            "only raises NotImplementedError" if refuses else f'says "{promise.split()[0]}" and does nothing'
        )
        return f"it {does}, and line {calls[0]} counts on it"

    def _answers_for_all(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Whether a question the class asks itself gets the same answer every time."""
        promise = (ast.get_docstring(node) or "").partition("\n\n")[0]
        if len(body) != 1 or not isinstance(body[0], ast.Return) or node.decorator_list:
            return None
        answer, owner = body[0].value, self.module.class_of(node)
        if not isinstance(answer, ast.Constant) or not isinstance(answer.value, bool) or owner is None:
            return None
        if not _CONDITION.search(promise) or _ADMITS.search(_CONDITION.sub("", promise)):
            return None
        asked = len(re.findall(rf"\bself\.{node.name}\(", self.source.text))
        project = self.source.project
        others = [p for p in project.files_with_word([node.name], ["*.py"]) if p != self.source.path]
        if not asked or others or self._has_heirs(owner):
            return None
        return f"it says under which condition it is so, and only returns {answer.value}"

    def _registered(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Whether it is the one of several that a decorator registers that does nothing."""
        promise = (ast.get_docstring(node) or "").partition("\n\n")[0]
        calls = [d for d in node.decorator_list if isinstance(d, ast.Call) and d.args]
        first = body[0] if body else None
        does_nothing = first is None or isinstance(first, (ast.Pass, ast.Expr))
        if len(calls) != 1 or not does_nothing or _ADMITS.search(promise):
            return None
        if len(promise.split()) < _SEVERAL_WORDS:
            return None
        by = ast.dump(calls[0].func)
        others = [n for n in self.module.tree.body if isinstance(n, FunctionNode) and n is not node]
        like = [
            other
            for other in others
            if any(isinstance(d, ast.Call) and ast.dump(d.func) == by for d in other.decorator_list)
        ]
        if all(all(map(is_stub, other.body)) for other in like):
            return None
        return f'it says "{promise.split()[0]}" and does nothing'

    def _called_here(self, node: FunctionNode) -> str | None:
        """Where the module itself calls a function that only raises NotImplementedError."""
        if node not in self.module.tree.body or node.decorator_list:
            return None
        for other in self.module.nodes:
            if (
                isinstance(other, ast.Call)
                and isinstance(other.func, ast.Name)
                and other.func.id == node.name
                and not any(isinstance(parent, ast.Try) for parent in self.module.ancestors(other))
            ):
                return f"it only raises NotImplementedError, and line {other.lineno} calls it"
        return None

    def _of_a_finished_class(self, node: FunctionNode) -> str | None:
        """Whether a class the module itself makes use of, and nothing inherits from, leaves a method out."""
        owner = self.module.class_of(node)
        if owner is None or node.decorator_list or node.name.startswith("__") or self._has_heirs(owner):
            return None
        work = [
            n for n in owner.body if isinstance(n, FunctionNode) and n is not node and n.name != "__init__"
        ]
        others = [n for n in work if not all(is_stub(s) for s in body_after_docstring(n))]
        inherits = any(
            (self.module.dotted(_unsubscripted(b)) or "") in self._abstract_here for b in owner.bases
        )
        if not inherits and (owner.bases or not others):
            return None
        uses = [
            n.lineno
            for n in self.module.nodes
            if isinstance(n, ast.Name)
            and n.id == owner.name
            and isinstance(n.ctx, ast.Load)
            and not isinstance(self.module.parents[n], (ast.ClassDef, ast.arg, ast.AnnAssign, ast.Subscript))
            and not (owner.lineno <= n.lineno <= (owner.end_lineno or owner.lineno))
        ]
        return (
            f'it only raises NotImplementedError, and line {uses[0]} puts "{owner.name}" to use'
            if uses
            else None
        )

    @cached_property
    def _abstract_here(self) -> set[str]:
        """The classes of the module that leave methods to others."""
        classes = [n for n in self.module.nodes if isinstance(n, ast.ClassDef)]
        return {c.name for c in classes if self._is_abstract(c) or "abstractmethod" in ast.unparse(c)}

    def _has_heirs(self, owner: ast.ClassDef) -> bool:
        heir = bounded(rf"^\s*class \w+\([^)]*\b{owner.name}\b", re.MULTILINE)
        project = self.source.project
        others = (project.read(path) for path in project.files_with_word([owner.name], ["*.py"]))
        return any(heir.search(text) for text in (self.source.text, *others) if text)

    def _is_meant(self, node: FunctionNode) -> bool:
        """Whether leaving the body empty is the design: abstract, overloaded, a handler, or overridden."""
        if any(_NO_STUB_DECORATOR.search(ast.unparse(decorator)) for decorator in node.decorator_list):
            return True
        owner = self.module.class_of(node)
        if _EVENT_HANDLER.match(node.name) or (node.name.startswith("__") and node.name.endswith("__")):
            return True
        return owner is not None and (self._is_abstract(owner) or self._is_overridden(owner, node.name))

    def _is_abstract(self, owner: ast.ClassDef) -> bool:
        bases = [*owner.bases, *(keyword.value for keyword in owner.keywords)]
        names = {(self.module.dotted(_unsubscripted(base)) or "").rpartition(".")[2] for base in bases}
        return bool(names & _ABSTRACT_BASES) or _BASE_CLASS_NAME.search(owner.name) is not None

    def _is_overridden(self, owner: ast.ClassDef, name: str) -> bool:
        heirs = [
            other
            for other in walk(self.module.tree)
            if isinstance(other, ast.ClassDef)
            and any(self.module.dotted(b) == owner.name for b in other.bases)
        ]
        return any(getattr(statement, "name", None) == name for heir in heirs for statement in heir.body)


def _is_route(node: FunctionNode) -> bool:
    """Whether a decorator makes a function the handler of requests that change something."""
    called = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    names = {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in called}
    return bool(names & {"post", "put", "patch", "delete", "route", "task", "shared_task", "command"})


def _unsubscripted(base: ast.expr) -> ast.expr:
    return base.value if isinstance(base, ast.Subscript) else base


def _only_literals(value: ast.expr) -> bool:
    """Whether an answer is made of literals alone, so of nothing that was done."""
    kinds = (ast.Constant, ast.Dict, ast.Tuple, ast.List, ast.expr_context, ast.keyword)
    if isinstance(value, ast.Call):
        return all(isinstance(one, kinds) for given in value.args for one in walk(given))
    return all(isinstance(one, kinds) for one in walk(value))
