"""Print the density of the code: branches per ten lines, dense functions, names without a noun or a verb.

    python benchmarks/density.py             # this checkout, and the limits of density.yml
    python benchmarks/density.py --worst 20  # the functions with the most branches in at most 25 lines
    python benchmarks/density.py --names     # the functions that are named by a participle

A branch is an ``if``, a loop, an ``except``, a ``case``, a ternary, an ``and`` or ``or``, and each ``for``
and ``if`` of a comprehension. Code lines are those of functions without blank lines, comments and docstrings.

A participle as a name is a single word that ends in -ed or is an irregular participle (``found``), or a verb
in the third person that returns a bool (``does``): it names neither the result nor the action. Properties and
the verbs of public methods are not counted, as their object completes them: ``file.tracked``,
``gate.accepts(finding)``.

A test keeps the figures within the limits, which may only fall.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

HERE = Path(__file__).resolve().parent.parent
LIMITS = Path(__file__).with_name("density.yml")
_DENSE_COMPLEXITY, _DENSE_LINES = 10, 25
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMELESS = "one"
_NO_PARTICIPLES = frozenset(
    {"bed", "deed", "embed", "exceed", "feed", "need", "proceed", "red", "seed", "shed", "speed", "succeed"}
)
_IRREGULAR_PARTICIPLES = frozenset(
    {
        "born", "bought", "bound", "broken", "brought", "built", "caught", "chosen", "done", "drawn",
        "driven", "fed", "forgotten", "found", "frozen", "given", "gone", "grown", "held", "hidden", "kept",
        "known", "led", "left", "lost", "made", "meant", "met", "overridden", "rebuilt", "rewritten", "said",
        "seen", "sent", "shown", "sought", "spent", "spoken", "stolen", "taken", "taught", "thought",
        "thrown", "told", "torn", "unbound", "undone", "unknown", "unread",
        "unset", "withdrawn", "worn", "written",
    }
)  # fmt: skip


class Density(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The figures of some packages.

    Attributes:
        branches_per_ten_lines: branches per ten lines in all functions together.
        dense_functions: with a complexity above ten in at most 25 code lines.
        nameless_loop_variables: loops and comprehensions over ``one``.
        participle_names: functions whose name is a bare participle or verb in the third person.
    """

    branches_per_ten_lines: float
    dense_functions: int
    nameless_loop_variables: int
    participle_names: int


class Function(NamedTuple):
    """A function with its branches and its code lines, without those of nested functions."""

    path: Path
    node: ast.FunctionDef | ast.AsyncFunctionDef
    branches: int
    lines: int
    nameless_loops: int
    is_participle: bool

    @property
    def is_dense(self) -> bool:
        return self.branches + 1 > _DENSE_COMPLEXITY and self.lines <= _DENSE_LINES


def packages(root: Path) -> dict[str, list[Path]]:
    """Return the folders of each part of the code."""
    return {
        "engine": [root / "src" / "wardround"],
        "lab": [root / "src" / "wardround_lab"],
        "plugins": sorted(path for path in (root / "plugins").iterdir() if path.is_dir()),
        "evaluations": [root / "benchmarks", root / "evals"],
    }


def functions_in(folders: Sequence[Path]) -> list[Function]:
    """Return the functions of the modules in some folders."""
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    return [function for file in files for function in _functions(file)]


def density(functions: Sequence[Function]) -> Density:
    """Return the figures of some functions."""
    lines = sum(function.lines for function in functions)
    branches = sum(function.branches for function in functions)
    return Density(
        round(10 * branches / max(1, lines), 2),
        sum(function.is_dense for function in functions),
        sum(function.nameless_loops for function in functions),
        sum(function.is_participle for function in functions),
    )


def _functions(file: Path) -> Iterator[Function]:
    text = file.read_text("utf-8")
    code, tree = _code_lines(text), ast.parse(text)
    methods = _methods(tree)
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            nodes = list(_own_nodes(node))
            inner = [child for child in nodes if isinstance(child, (*_FUNCTIONS, ast.ClassDef))]
            own = set(_span(node)) - {line for child in inner for line in _span(child)}
            lines = len((own & code) - _docstring_lines(node))
            participle = _is_participle(node, is_method=node in methods)
            yield Function(
                file, node, sum(map(_branches, nodes)), lines, sum(map(_is_nameless, nodes)), participle
            )


def _methods(tree: ast.Module) -> frozenset[ast.AST]:
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return frozenset(statement for definition in classes for statement in definition.body)


def _is_participle(function: ast.FunctionDef | ast.AsyncFunctionDef, *, is_method: bool) -> bool:
    if any("property" in ast.unparse(decorator) for decorator in function.decorator_list):
        return False
    word = function.name.lstrip("_")
    if word in _IRREGULAR_PARTICIPLES:
        return True
    if "_" in word or word in _NO_PARTICIPLES:
        return False
    return word.endswith("ed") or (
        _is_third_person(word, function) and not (is_method and word == function.name)
    )


def _is_third_person(word: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    returns_bool = function.returns is not None and "bool" in ast.unparse(function.returns).split(" | ")
    return returns_bool and word.endswith("s") and not word.endswith("ss")


def _span(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _code_lines(text: str) -> set[int]:
    """Return the lines that are neither blank nor a comment."""
    lines = enumerate(text.split("\n"), 1)
    return {number for number, line in lines if line.strip() and not line.lstrip().startswith("#")}


def _docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[int]:
    return set(_span(node.body[0])) if ast.get_docstring(node, clean=False) is not None else set()


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function; of nested functions and classes only the definition."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)


def _branches(node: ast.AST) -> int:
    match node:
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
    return int(isinstance(node, _BRANCHES))


def _is_nameless(node: ast.AST) -> bool:
    is_loop = isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension))
    return is_loop and isinstance(node.target, ast.Name) and node.target.id == _NAMELESS


def limits() -> dict[str, Density]:
    """Return the limits by part of the code."""
    import yaml

    return msgspec.convert(yaml.safe_load(LIMITS.read_text("utf-8")), dict[str, Density])


def _print_worst(functions: Sequence[Function], count: int) -> None:
    dense = sorted((function for function in functions if function.is_dense), key=lambda f: -f.branches)
    for function in dense[:count]:
        location = f"{function.path.relative_to(HERE)}:{function.node.lineno}"
        print(f"{function.branches + 1:4} in {function.lines:3} lines  {location} {function.node.name}")


def _print_participles(functions: Sequence[Function]) -> None:
    for function in functions:
        if function.is_participle:
            print(f"{function.path.relative_to(HERE)}:{function.node.lineno} {function.node.name}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="print N dense functions")
    parser.add_argument("--names", action="store_true", help="print the functions named by a participle")
    options = parser.parse_args()
    found = {name: functions_in(folders) for name, folders in packages(HERE).items()}
    if options.worst:
        _print_worst([function for functions in found.values() for function in functions], options.worst)
        return 0
    if options.names:
        _print_participles([function for functions in found.values() for function in functions])
        return 0
    allowed = limits()
    print("| | branches per ten lines | dense functions | loops over `one` | participles |")
    print("|---|---|---|---|---|")
    for name, functions in found.items():
        current, limit = density(functions), allowed[name]
        cells = zip(msgspec.structs.astuple(current), msgspec.structs.astuple(limit), strict=True)
        print(f"| {name} | " + " | ".join(f"{value:,} of {most:,}" for value, most in cells) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
