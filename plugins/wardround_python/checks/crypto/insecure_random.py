from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import PurePosixPath

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.literals import fixed_text
from wardround.languages.python.module import FunctionNode, statements_in
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.secret_names import (
    LOGIN_COOKIE,
    PURPOSE,
    SECRET,
    if_secret,
    is_secret,
    last_part,
    stored_names,
)
from wardround_python.check import PythonCheck
from wardround_python.docdrift.value_usage import ValueUses

_GUESSABLE = frozenset(
    {
        "choice", "choices", "randint", "randrange", "random", "getrandbits", "sample", "randbytes",
        "shuffle", "uniform", "gauss", "normalvariate", "lognormvariate", "triangular", "betavariate",
        "expovariate", "gammavariate", "paretovariate", "weibullvariate", "vonmisesvariate",
    }
)  # fmt: skip
# Names of secrets. A bare "key" or "code" is too often a dictionary key or a country code.
_HARMLESS = LazyPattern(
    r"(?i)((?<![a-z])test|mock|fake|sample|dummy|demo|random_?state|seed|shuffle|benchmark|simulat|jitter"
    r"|tokeniz)"
)
_NOT_SERVED = LazyPattern(
    r"(?i)(^|[/_.-])(tests?|testing|mocks?|fakes?|samples?|dummy|demos?|seeds?|benchmarks?|simulat\w+|tokeniz\w+)"
    r"([/_.-]|$)"
)
"""Paths of modules whose random numbers protect nothing: complete words, since parts of names are ambiguous.

"""


_GATHERING = frozenset({"append", "extend", "write", "add", "insert"})


_UNGUESSABLE = LazyPattern(r"(?i)secret|urandom|token_|uuid4|\bkey\b|_key\b|salt|SECRET_KEY|nonce")
_LEAST_BYTES = 5
_DEEPEST = 3


_PASSING_ON = frozenset(
    {"str", "join", "format", "hex", "list", "tuple", "zfill", "bytes", "chr", "sha256", "md5", "b64encode",
     "int", "repr", "round", "hexlify", "urlsafe_b64encode"}
)  # fmt: skip


class InsecureRandom(PythonCheck):
    """A secret is generated with a predictable random generator.

    ``random`` is built for simulations: its future output can be computed from some of its past output, and a
    seed from the clock can be guessed. Use ``choice``, ``token_urlsafe``, ``randbits`` or ``randbelow`` of
    the ``secrets`` module.
    """

    ID = "PY321"
    NAME = "insecure-random"
    WORDS = ("random", "uuid1", "hashlib", "token_hex", "token_bytes", "token_urlsafe")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "guessable-token"
    VALID = [
        code("""
            import random
            def deal(session, user):
                key = f'card{user.id}'
                session[key] = random.randint(1, 52)
        """),
        code("""
            import random
            def pick(tokens):
                word = random.choice(tokens)
                return word
        """),
    ]
    INVALID = [
        code("""
            import random
            def remember(session, user):
                key = f'rememberMe{user.id}'
                value = str(«random.random()»)[2:]
                session[key] = value
        """),
        code(
            """
            import random
            reset_token = str(«random.random()»)
            """,
            path="contest/LatestTokens.py",
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        if not any(word in source.text for word in cls.WORDS):
            return False
        return PURPOSE.search(source.text) is not None or SECRET.search(_stem(source)) is not None

    def visit_Call(self, node: ast.Call) -> None:
        if self._is_of_the_clock(node) or self._is_short(node):
            return
        if not isinstance(node.func, (ast.Attribute, ast.Name)) or not self._is_guessable(node.func):
            return
        names = (
            []
            if self._picks_existing_item(node)
            else self._secrets_derived_from(node, ValueUses(self.module))
        )
        is_harmless = _NOT_SERVED.search(self.source.path) or any(map(_HARMLESS.search, names))
        if names and not is_harmless:
            self.report(
                self.module.span(node),
                f"{names[0]} is generated with a predictable random generator; use the secrets module",
            )

    def _is_of_the_clock(self, node: ast.Call) -> bool:
        """Report a secret that is a hash of the time; return True if it was reported."""
        if not (self.module.imported_name(node.func) or "").startswith("hashlib.") or not node.args:
            return False
        text = unparse(node.args[0])
        is_of_time = "time.time(" in text or ".now(" in text
        if not is_of_time or _UNGUESSABLE.search(text):
            return False
        names = self._secrets_derived_from(node, ValueUses(self.module), 0)
        if names:
            self.report(
                self.module.span(node),
                f"{names[0]} is derived from the time, which can be guessed; use the secrets module",
            )
        return bool(names)

    def _is_short(self, node: ast.Call) -> bool:
        """Report a secret with so few bytes that all values can be tried; return True if it was reported."""
        if not (self.module.imported_name(node.func) or "").startswith("secrets.token_") or not node.args:
            return False
        match node.args[0]:
            case ast.Constant(value=int(count)) if count < _LEAST_BYTES:
                names = self._secrets_derived_from(node, ValueUses(self.module), 0)
            case _:
                return False
        if names:
            self.report(
                self.module.span(node),
                f"{names[0]} is short enough to be guessed by trying all values; use at least 16 bytes",
            )
        return bool(names)

    def _picks_existing_item(self, node: ast.Call) -> bool:
        """Return True if an existing item is selected unchanged, so that no secret is generated."""
        picked = node.args[0] if node.args else None
        is_text = isinstance(picked, ast.Constant) or "string." in unparse(picked or node)
        is_whole = isinstance(self.module.parents[node], (ast.Assign, ast.Return, ast.keyword, ast.AnnAssign))
        return last_part(node.func) in {"choice", "sample"} and is_whole and not is_text

    def _is_guessable(self, func: ast.Attribute | ast.Name) -> bool:
        module, _, name = (self.module.imported_name(func) or "").rpartition(".")
        if module == "uuid" and name == "uuid1":
            return True
        if module in ("random", "numpy.random") and name in _GUESSABLE:
            return True
        if not isinstance(func, ast.Attribute) or func.attr not in _GUESSABLE:
            return False
        return self._creates_generator(func.value) or unparse(func.value) in self._generators()

    def _creates_generator(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self.module.qualified_name(node.func) == "random.Random"

    def _generators(self) -> frozenset[str]:
        """Return the names and attributes that hold a ``random.Random`` anywhere in the module."""
        assignments = [node for node in statements_in(self.module.tree) if isinstance(node, ast.Assign)]
        creations = [assignment for assignment in assignments if self._creates_generator(assignment.value)]
        return frozenset(unparse(target) for assignment in creations for target in assignment.targets)

    def _secrets_derived_from(self, node: ast.expr, uses: ValueUses, deep: int = _DEEPEST) -> list[str]:
        """Return the secrets that the number becomes: a variable, a field, an argument, a return value.

        Args:
            deep: the number of names and functions of the module to follow.
        """
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            match parent:
                case ast.Subscript() if child is parent.slice:
                    return []
                case ast.Call() if child in parent.args and not _passes_on(parent):
                    return self._secrets_stored_by_call(parent, node, deep)
                case ast.keyword(arg=str(name)):
                    return if_secret(name)
                case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                    return self._assigned_secrets(parent, node, uses, deep)
                case ast.Return():
                    return self._returned_secrets(node, uses, deep)
                case ast.stmt():
                    return []
            child = parent
        return []

    def _secrets_stored_by_call(self, call: ast.Call, node: ast.expr, deep: int) -> list[str]:
        """Return the secret that a call stores: in a list of the function's result, or under a name."""
        if last_part(call.func) in _GATHERING:
            return if_secret(self._function_name(node))
        is_stored = deep < _DEEPEST and PURPOSE.search(self._surrounding_source(node)) is not None
        return stored_names(call) if is_stored else []

    def _assigned_secrets(
        self,
        statement: ast.Assign | ast.AnnAssign | ast.AugAssign,
        node: ast.expr,
        uses: ValueUses,
        deep: int,
    ) -> list[str]:
        """Return the secrets among the targets; without any, those that the first one is later assigned
        to.
        """
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        about = self._surrounding_source(node)
        names = list(filter(None, (self._secret_of(target, about) for target in targets)))
        first = targets[0]
        if names or not deep or not isinstance(first, ast.Name):
            return names
        if not uses.is_new(self.module.function_of(node), first.id):
            return []
        return self._first_secret_names(uses.loads(first), uses, deep - 1)

    def _returned_secrets(self, node: ast.expr, uses: ValueUses, deep: int) -> list[str]:
        """Return the function if it is named after a secret; else the variables that its results are assigned
        to.
        """
        name = self._function_name(node)
        if SECRET.search(name):
            return [name]
        if not deep or not uses.is_new(None, name):
            return []
        return self._first_secret_names(uses.calls(name), uses, deep - 1) or self._module_secret(node)

    def _function_name(self, node: ast.expr) -> str:
        name: str = getattr(self.module.function_of(node), "name", "")
        return name

    def _surrounding_source(self, node: ast.expr) -> str:
        """Return the name of the class and the lines of the function around a node."""
        function = self.module.function_of(node)
        if not isinstance(function, FunctionNode):
            return ""
        holder = self.module.class_of(function)
        lines = self.source.lines[function.lineno - 1 : function.end_lineno]
        return "\n".join([holder.name if holder else "", *lines])

    def _secret_of(self, target: ast.expr, about: str) -> str:
        """Return the name of the secret that an assignment sets; empty for anything else."""
        name = last_part(target)
        if isinstance(target, ast.Subscript):
            name = name or fixed_text(self.module, target.slice)
            is_login = "session" in last_part(target.value).lower() and LOGIN_COOKIE.search(name)
            return name if is_login or is_secret(name, about) else ""
        return name if is_secret(name, about) else ""

    def _first_secret_names(self, nodes: Iterable[ast.expr], uses: ValueUses, deep: int) -> list[str]:
        return next(
            (result for node in nodes if (result := self._secrets_derived_from(node, uses, deep))), []
        )

    def _module_secret(self, node: ast.expr) -> list[str]:
        """Return the name of the module if it generates secrets from characters: ``tokens.py``."""
        stem = _stem(self.source)
        is_text = isinstance(node, ast.Call) and last_part(node.func) in {"choice", "choices", "sample"}
        return [stem] if is_text and "string." in self.source.text and SECRET.search(stem) else []


def _stem(source: SourceFile) -> str:
    return PurePosixPath(source.path).stem


def _passes_on(call: ast.Call) -> bool:
    """Return True if the result is made of the arguments, as for ``str(n)`` or ``"".join(...)``."""
    return last_part(call.func) in _PASSING_ON
