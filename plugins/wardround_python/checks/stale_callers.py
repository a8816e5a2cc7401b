"""PY008."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar

import msgspec

from wardround.checks import Invalid, Project, Source, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_python.check import PythonCheck
from wardround_python.function_texts import same_blocks
from wardround_python.module import FunctionNode, PythonModule, parse

_SHOWN_PLACES = 3
_PUBLIC_SIGNATURE = LatePattern(
    r"^(?:[ \t]*(?:async +)?def [^_\W]\w*|[ \t]+def __init__)\s*\(.*?\)\s*(?:->[^:\n]*)?:",
    re.MULTILINE | re.DOTALL,
)
_FIELD = LatePattern(r"^(?:    |\t)\w+\s*:[^\n]*", re.MULTILINE)
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class Signature(msgspec.Struct, frozen=True):
    """How a function may be called.

    Attributes:
        positional: the names an argument without a keyword can go to, in order.
        by_keyword: the names that may be given by keyword.
        required: the names without a default, in order.
        types: name and annotation of those that have one.
    """

    positional: tuple[str, ...]
    by_keyword: frozenset[str]
    required: tuple[str, ...]
    any_positional: bool
    any_keyword: bool
    types: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, function: FunctionNode, receiver: bool = False) -> Signature:
        """How a function is called; ``receiver`` if its first parameter is the new instance."""
        arguments = function.args
        ordered = arguments.posonlyargs + arguments.args
        positional = [a.arg for a in ordered]
        optional_from = len(positional) - len(arguments.defaults)
        keyword_only = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        types = ((a.arg, ast.unparse(a.annotation)) for a in ordered if a.annotation is not None)
        return cls(
            tuple(positional[receiver:]),
            frozenset(a.arg for a in (arguments.args + arguments.kwonlyargs)[receiver:]),
            (*positional[receiver:optional_from], *(a.arg for a, default in keyword_only if default is None)),
            arguments.vararg is not None,
            arguments.kwarg is not None,
            tuple(types),
        )

    @classmethod
    def of_fields(cls, node: ast.ClassDef) -> Signature:
        """How the class is called that a dataclass decorator makes from its fields."""
        fields = [
            f
            for f in node.body
            if isinstance(f, ast.AnnAssign)
            and isinstance(f.target, ast.Name)
            and "ClassVar" not in ast.unparse(f.annotation)
        ]
        names = [f.target.id for f in fields if isinstance(f.target, ast.Name)]
        types = tuple(zip(names, (ast.unparse(f.annotation) for f in fields), strict=True))
        required = tuple(name for name, f in zip(names, fields, strict=True) if f.value is None)
        return cls(tuple(names), frozenset(names), required, False, False, types)

    def takes_all_of(self, old: Signature) -> bool:
        """Whether every call that fits the old signature is sure to fit this one."""
        return (
            self.positional[: len(old.positional)] == old.positional
            and set(self.required) <= set(old.required)
            and (self.any_keyword or old.by_keyword <= self.by_keyword)
            and self.any_positional >= old.any_positional
            and self.any_keyword >= old.any_keyword
        )

    def misfit(self, call: ast.Call) -> str | None:
        """Why a call without ``*`` or ``**`` cannot be made; None if it can."""
        if len(call.args) > len(self.positional) and not self.any_positional:
            return f"takes no more than {len(self.positional)} arguments by position"
        given = set(self.positional[: len(call.args)])
        for name in [keyword.arg or "" for keyword in call.keywords]:
            if name in given and name in self.by_keyword:
                return f'gets "{name}" twice'
            if name not in self.by_keyword and not self.any_keyword:
                return f'has no parameter "{name}"'
            given.add(name)
        missing = next((name for name in self.required if name not in given), None)
        return f'needs "{missing}"' if missing else None


class Change(msgspec.Struct, frozen=True):
    """One function before and after, and where it stands."""

    path: str
    name: str
    old: Signature
    new: Signature

    def broken_by(self, call: ast.Call) -> str | None:
        """Why a call that could be made before no longer can."""
        spread = any(isinstance(a, ast.Starred) for a in call.args) or any(
            k.arg is None for k in call.keywords
        )
        if spread or self.old.misfit(call) is not None:
            return None
        misfit = self.new.misfit(call)
        if misfit is None:
            return self._misled(call)
        added = [name for name in self.new.required if name not in self.old.positional + self.old.required]
        return f'needs "{added[0]}"' if misfit and misfit.startswith("needs") and added else misfit

    def _misled(self, call: ast.Call) -> str | None:
        """What a call that can be made gives to another parameter than before, if its words tell."""
        moved = [
            (old, new, argument)
            for old, new, argument in zip(self.old.positional, self.new.positional, call.args, strict=False)
            if old != new
        ]
        names = set(self.new.positional) | self.new.by_keyword
        stays = [(old, new) for old, new, _ in moved if old in names or new in self.old.positional]
        if not stays:
            return None  # a new name for the same thing
        before = sum(_suits(argument, old, self.old.types) for old, _, argument in moved)
        now = sum(_suits(argument, new, self.new.types) for _, new, argument in moved)
        old, new = stays[0]
        return f'{MOVED}"{new}" where it took "{old}"' if before > now else None


MOVED = "takes "
_WORD = LatePattern(r"[a-z]+|[A-Z][a-z]*")


def _suits(argument: ast.expr, name: str, types: Sequence[tuple[str, str]]) -> bool:
    """Whether an argument, by its own name or as a literal by its type, is meant for a parameter."""
    annotation = dict(types).get(name)
    if isinstance(argument, ast.Constant):
        return type(argument.value).__name__ == annotation
    said = argument.attr if isinstance(argument, ast.Attribute) else getattr(argument, "id", "")
    whole = ast.unparse(argument) if isinstance(argument, ast.Attribute) else said
    wanted = {word.lower() for word in _WORD.findall(name)}
    return bool(wanted & {word.lower() for word in _WORD.findall(whole)})


class StaleCallers(PythonCheck):
    """A function's parameters changed and callers still use the old ones.

    Such a call raises TypeError when it is reached, perhaps on a path that no test takes. Change the
    callers in the same commit, or give the new parameter a default.
    """

    ID = "PY008"
    NAME = "stale-callers"
    IN_TESTS = True
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.ERROR
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def send(to, text): ...\nsend(1)\n",
        Valid(
            "def send(to, text=''): ...\n",
            base="def send(to): ...\n",
            path="app/mail.py",
            others={"app/use.py": "from app.mail import send\nsend(1)\n"},
        ),
        Valid(
            "def send(to, text): ...\n",
            base="def send(to): ...\n",
            path="app/mail.py",
            others={
                "a.py": "from app.mail import send\nsend(1, 2)\n",
                "b.py": "from app.post import send\nsend(1)\n",
                "c.py": "from app.mail import send\nsend(*args)\n",
                "d.py": "from app.mail import send\ndef f(send):\n    send(1)\n",
                "e.py": "from app.mail import send\nsend(1, 2, 3)\n",
                "f.py": "import app.mail\nuse(app.mail.send)\nsend(1)\n",
            },
        ),
        Valid(
            "def move(source, amount, target): ...\n",
            base="def move(source, target, amount): ...\n",
            path="app/bank.py",
            others={"a.py": "from app.bank import move\nmove(mine, an_amount, target)\nmove(a, b, c)\n"},
        ),
        Valid(
            "def move(origin, target): ...\n",
            base="def move(source, target): ...\n",
            path="app/bank.py",
            others={"a.py": "from app.bank import move\nmove(source, target)\n"},
        ),
        Valid(
            "class Mail:\n    def send_out(self, to, text): ...\n",
            base="class Mail:\n    def send_out(self, to): ...\n",
            path="app/mail.py",
            others={
                "app/use.py": "from app.mail import Mail\nfrom app.post import Post\nPost().send_out(1)\n",
                "app/post.py": "class Post:\n    def send_out(self, to): ...\n",
            },
        ),
        Valid(
            "class Mail(Base):\n    def __init__(self, to, text=''): ...\n",
            base="class Mail(Base):\n    def __init__(self, to): ...\n",
            path="app/mail.py",
            others={"app/use.py": "from app.mail import Mail\nMail(1)\n"},
        ),
        Valid(
            "@task\ndef send(to, text): ...\n",
            base="@task\ndef send(to): ...\n",
            path="app/mail.py",
            others={"a.py": "from app.mail import send\nsend(1)\n"},
        ),
        Valid(
            "def _send(to, text): ...\n_send(1, 2)\n",
            base="def _send(to): ...\n_send(1)\n",
            path="app/mail.py",
        ),
        Valid(
            "def send(to, text): ...\n",
            base="def send(to): ...\n",
            path="one/mail.py",
            others={"two/mail.py": "", "two/use.py": "from mail import send\nsend(1)\n"},
        ),
        Valid(
            "def send(to, text): ...\n",
            base="def send(to): ...\n",
            path="app/mail.py",
            others={"app/__init__.py": "", "use.py": "from mail import send\nsend(1)\n"},
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def send(to, text): ...\n",
            base="def send(to): ...\n",
            path="src/app/mail.py",
            others={"src/app/use.py": "from app.mail import send as post\npost(1)\n"},
            line=1,
            column=5,
        ),
        Invalid(
            "import x\nasync def send(to, *, body): ...\n",
            base="import x\nasync def send(to, *, text): ...\n",
            path="app/mail.py",
            others={"app/use.py": "from . import mail\nawait_(mail.send(1, text='a'))\n"},
            line=2,
            column=11,
        ),
        Invalid(
            "def send(to, *, text=''): ...\n",
            base="def send(to, text=''): ...\n",
            path="app/mail/__init__.py",
            others={"app/sub/use.py": "import app.mail as m\nm.send(1, 'a')\n"},
            line=1,
            column=5,
        ),
        Invalid(
            "def send(to): ...\n\ndef hello():\n    send(1, urgent=True)\n",
            base="def send(to, urgent=False): ...\n\ndef hello():\n    send(1, urgent=True)\n",
            path="mail.py",
            line=1,
            column=5,
        ),
        Invalid(
            "def move(source, amount, target): ...\n",
            base="def move(source, target, amount): ...\n",
            path="app/bank.py",
            others={"app/use.py": "from app.bank import move\nmove(mine, to.target, an_amount)\n"},
            line=1,
            column=5,
        ),
        Invalid(
            "def move(source, text: str = '', days: int = 1): ...\n",
            base="def move(source, days: int = 1): ...\n",
            path="app/bank.py",
            others={"app/use.py": "from app.bank import move\nmove(mine, 3)\n"},
            line=1,
            column=5,
        ),
        Invalid(
            "class Mail:\n    def send_out(self, to, text): ...\n",
            base="class Mail:\n    def send_out(self, to): ...\n",
            path="app/mail.py",
            others={"app/use.py": "from app.mail import Mail\ndef f(mail: Mail):\n    mail.send_out(1)\n"},
            line=2,
            column=9,
        ),
        Invalid(
            "class Mail:\n    def __init__(self, to, text): ...\n",
            base="class Mail:\n    def __init__(self, to): ...\n",
            path="app/mail.py",
            others={"app/use.py": "from app.mail import Mail\nMail('me')\n"},
            line=2,
            column=9,
        ),
        Invalid(
            "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Mail:\n"
            "    to: str\n    text: str\n",
            base="from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Mail:\n    to: str\n",
            path="app/mail.py",
            others={"app/use.py": "from app.mail import Mail\nMail(to='me')\n"},
            line=3,
            column=7,
        ),
        Invalid(
            "def send(to, text): ...\n",
            base="def send(to): ...\n",
            path="app/mail.py",
            others={
                "app/sub/use.py": "import app.mail\nfrom ..mail import send\nsend(1)\napp.mail.send(2)\n"
            },
            line=1,
            column=5,
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        if source.base_text is None:
            return False
        before, now = source.base_text, source.text
        if now.startswith(before) and not now[len(before) : len(before) + 1].isspace():
            return False
        start, end = same_blocks(before, now)
        signatures = _PUBLIC_SIGNATURE.findall(before[start : len(before) - end])
        if any(f"\n{signature}" not in f"\n{now}" for signature in signatures):
            return True
        return "@dataclass" in now and set(_FIELD.findall(before)) != set(_FIELD.findall(now))

    def visit_Module(self, node: ast.Module) -> None:
        base_text = self.source.base_text or ""
        functions = {
            name: function
            for name, function in _public_functions(node).items()
            if f"def {name}" in base_text and self._header(function) not in base_text
        }
        classes = {name: made for name, made in _public_classes(node).items() if f"class {name}" in base_text}
        try:
            base = parse(base_text)
        except _UNREADABLE:
            return
        functions_before, classes_before = _public_functions(base), _public_classes(base)
        for name, function in functions.items():
            if name in functions_before:
                old = Signature.of(functions_before[name])
                self._look_at(Change(self.source.path, name, old, Signature.of(function)), function)
        for holder in node.body:
            if isinstance(holder, ast.ClassDef) and not holder.name.startswith("_"):
                self._look_at_methods(holder, base)
        for name, (holder, signature) in classes.items():
            if name in classes_before:
                change = Change(self.source.path, name, classes_before[name][1], signature)
                self._look_at(change, _maker(holder) or holder)

    def _look_at_methods(self, holder: ast.ClassDef, base: ast.Module) -> None:
        """Look for calls of the methods of a class whose names no other class of the project has."""
        same = [n for n in base.body if isinstance(n, ast.ClassDef) and n.name == holder.name]
        if len(same) != 1:
            return
        before = _public_functions(same[0])
        for name, method in _public_functions(holder).items():
            if name not in before or self._header(method) in (self.source.base_text or ""):
                continue
            old, new = Signature.of(before[name], receiver=True), Signature.of(method, receiver=True)
            change = Change(self.source.path, name, old, new)
            if not change.new.takes_all_of(change.old):
                self._report_stale(change, method, sorted(self._stale_method_calls(change, holder.name)))

    def _stale_method_calls(self, change: Change, owner: str) -> Iterator[tuple[str, int, str]]:
        """The calls in other files that know the class, if its method's name means nothing else."""
        project = self.source.project
        texts = {path: project.read(path) or "" for path in project.files_with_word([change.name], ["*.py"])}
        defined = re.compile(rf"\bdef {change.name}\b")
        if sum(len(defined.findall(text)) for path, text in texts.items() if path != change.path) > 0:
            return
        if len(defined.findall(self.source.text)) != 1:
            return
        for path, text in texts.items():
            if path == change.path or not re.search(rf"\b{owner}\b", text):
                continue
            try:
                module = PythonModule(path, text)
            except _UNREADABLE:
                continue
            for node in module.nodes:
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    reason = change.broken_by(node) if node.func.attr == change.name else None
                    if reason is not None and module.imported_name(node.func) is None:
                        yield path, node.lineno, reason

    def _header(self, function: FunctionNode) -> str:
        """The text from ``def`` to the body: where the base has it too, the parameters are the same."""
        end = max(function.body[0].lineno - 1, function.lineno)
        return "\n".join(self.source.text.split("\n")[function.lineno - 1 : end])

    def _look_at(self, change: Change, function: FunctionNode | ast.ClassDef) -> None:
        if change.new.takes_all_of(change.old):
            return
        self._report_stale(change, function, sorted(self._stale_calls(change)))

    def _report_stale(
        self, change: Change, function: FunctionNode | ast.ClassDef, stale: Sequence[tuple[str, int, str]]
    ) -> None:
        if not stale:
            return
        places = ", ".join(f"{path}:{line}" for path, line, _ in stale[:_SHOWN_PLACES])
        more = f" and {len(stale) - _SHOWN_PLACES} more" if len(stale) > _SHOWN_PLACES else ""
        calls = "1 call was" if len(stale) == 1 else f"{len(stale)} calls were"
        # A call that cannot be made is certain; one that means something else is told by its words.
        severity = Severity.WARN if all(reason.startswith(MOVED + '"') for _, _, reason in stale) else None
        self.report(
            self.module.name_span(function),
            f'"{change.name}" {stale[0][2]} now, but {calls} not changed with it: {places}{more}',
            severity=severity,
        )

    def _stale_calls(self, change: Change) -> Iterator[tuple[str, int, str]]:
        """Path, line and reason of each call that can no longer be made."""
        is_function = change.name in _public_functions(self.module.tree)  # for classes here, ty tells
        if (
            is_function
            and _bindings(self.module.tree, change.name) == 1
            and change.name not in self.module.imported
        ):
            yield from _broken(self.module, change, {change.name})
        place = Place.of(change.path)
        project = self.source.project
        for path in project.files_with_word([change.name], ["*.py"]):
            text = project.read(path) if path != change.path else None
            if text is None or "import" not in text:
                continue
            try:
                module = PythonModule(path, text)
            except _UNREADABLE:
                continue
            yield from _broken(module, change, _spellings(module, change.name, place, project))


class Place(msgspec.Struct, frozen=True):
    """Where a module stands, as the parts of its path: ``src/app/mail.py`` is ``src``, ``app``, ``mail``."""

    parts: tuple[str, ...]

    @classmethod
    def of(cls, path: str) -> Place:
        return cls(tuple(path.removesuffix(".py").removesuffix("/__init__").split("/")))

    def is_meant_by(self, importer: str, dotted: str, level: int, project: Project) -> bool:
        """Whether an import in another file, with so many leading dots, can only mean this module."""
        named = tuple(dotted.split(".")) if dotted else ()
        folders = tuple(importer.split("/")[:-1])
        if level:
            return len(folders) >= level - 1 and folders[: len(folders) - level + 1] + named == self.parts
        if not named or self.parts[-len(named) :] != named:
            return False
        root = self.parts[: -len(named)]
        return self._is_import_root(root, folders, len(named), project) and not any(
            _holds_module(other, named, project) for other in _roots_near(folders) if other != root
        )

    def _is_import_root(
        self, root: tuple[str, ...], folders: tuple[str, ...], named_parts: int, project: Project
    ) -> bool:
        """Whether imports can start in a folder: no package, and the importer is under it or names enough."""
        if root and project.read("/".join((*root, "__init__.py"))) is not None:
            return False
        return named_parts > 1 or root in _roots_near(folders)


def _roots_near(folders: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The folders where the imports of a file may start: those it is in, and the usual ones."""
    return [*(folders[:depth] for depth in range(len(folders) + 1)), ("src",), ("lib",)]


def _holds_module(root: tuple[str, ...], named: tuple[str, ...], project: Project) -> bool:
    stem = "/".join((*root, *named))
    return project.read(f"{stem}.py") is not None or project.read(f"{stem}/__init__.py") is not None


def _public_functions(tree: ast.Module | ast.ClassDef) -> dict[str, FunctionNode]:
    """The plain functions of a module, or methods of a class, by name: undecorated, and bound once."""
    functions = [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    times = Counter(function.name for function in functions)
    return {
        function.name: function
        for function in functions
        if times[function.name] == 1 and not function.decorator_list and not function.name.startswith("_")
    }


def _public_classes(tree: ast.Module) -> dict[str, tuple[ast.ClassDef, Signature]]:
    """The classes of a module by name that say themselves how they are called."""
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef) and not n.name.startswith("_")]
    times = Counter(node.name for node in classes)
    found: dict[str, tuple[ast.ClassDef, Signature]] = {}
    for node in classes:
        if times[node.name] != 1 or node.keywords:
            continue
        maker = _maker(node)
        decorators = [ast.unparse(d).partition("(") for d in node.decorator_list]
        if maker is not None and not maker.decorator_list and not decorators:
            found[node.name] = node, Signature.of(maker, receiver=True)
        elif maker is None and not node.bases and len(decorators) == 1 and "field(" not in ast.unparse(node):
            name, _, options = decorators[0]
            if name in ("dataclass", "dataclasses.dataclass") and not re.search("kw_only|init", options):
                found[node.name] = node, Signature.of_fields(node)
    return found


def _maker(node: ast.ClassDef) -> FunctionNode | None:
    makers = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name in ("__init__", "__new__")]
    return makers[0] if len(makers) == 1 else None


def _bindings(tree: ast.Module, name: str) -> int:
    """How often a module gives a name a value, in any scope, imports not counted."""
    return sum(
        (isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and n.name == name)
        or (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
        or (isinstance(n, ast.arg) and n.arg == name)
        or (isinstance(n, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and n.name == name)
        for n in ast.walk(tree)
    )


def _spellings(module: PythonModule, name: str, place: Place, project: Project) -> set[str]:
    """How calls in another module may write the function: ``send``, ``m.send``, ``app.mail.send``."""
    meanings: dict[str, set[str]] = {}
    found: list[tuple[str, str]] = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                local = alias.asname or alias.name.partition(".")[0]
                meanings.setdefault(local, set()).add(alias.name if alias.asname else local)
                if place.is_meant_by(module.path, alias.name, 0, project):
                    found.append((local, f"{alias.asname or alias.name}.{name}"))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                local, stem = alias.asname or alias.name, node.module or ""
                whole = f"{stem}.{alias.name}" if stem else alias.name
                meanings.setdefault(local, set()).add("." * node.level + whole)
                if alias.name == name and place.is_meant_by(module.path, stem, node.level, project):
                    found.append((local, local))
                elif place.is_meant_by(module.path, whole, node.level, project):
                    found.append((local, f"{local}.{name}"))
    return {
        spelling
        for local, spelling in found
        if len(meanings[local]) == 1 and not _bindings(module.tree, local)
    }


def _broken(
    module: PythonModule, change: Change, spellings: Collection[str]
) -> Iterator[tuple[str, int, str]]:
    for node in ast.walk(module.tree) if spellings else ():
        if isinstance(node, ast.Call) and _written(node.func) in spellings:
            reason = change.broken_by(node)
            if reason is not None:
                yield module.path, node.lineno, reason


def _written(node: ast.expr) -> str | None:
    """A chain of names as it stands in the text."""
    if isinstance(node, ast.Attribute):
        stem = _written(node.value)
        return f"{stem}.{node.attr}" if stem else None
    return node.id if isinstance(node, ast.Name) else None
