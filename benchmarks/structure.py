"""Print figures of the code's structure: sizes, complexity, inheritance, cycles, names, wording.

    python benchmarks/structure.py                       # this checkout
    python benchmarks/structure.py OTHER [THIS]          # two checkouts side by side

It reads source files only, so any version can be measured without installing it; cycles require grimp.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "evals"))
import wording  # noqa: E402  (a script of another folder)

_LONG_MODULE = 450
_COMPLEX = 10
_USEFUL_WORDS = 4
"""A docstring of fewer words repeats the name."""


class Tree:
    """The modules of one checkout.

    Args:
        root: its top folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.plugins = sorted(path for path in (root / "plugins").iterdir() if path.is_dir())
        self.engine = root / "src" / "wardround"
        self.packages = [path for path in (self.engine, root / "src" / "wardround_lab") if path.is_dir()]
        self.packages += self.plugins
        self.texts = {
            path: path.read_text("utf-8")
            for package in self.packages
            for path in sorted(package.rglob("*.py"))
        }
        self.parsed = {path: ast.parse(text) for path, text in self.texts.items()}

    def lines(self, package: Path) -> int:
        return sum(text.count("\n") for path, text in self.texts.items() if path.is_relative_to(package))

    def functions(self, package: Path | None = None) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        for path, module in self.parsed.items():
            if package is None or path.is_relative_to(package):
                for node in ast.walk(module):
                    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        yield node

    def classes(self) -> Iterator[tuple[str, ast.ClassDef]]:
        for path, module in self.parsed.items():
            for node in module.body:
                if isinstance(node, ast.ClassDef):
                    yield path.relative_to(self.root).as_posix(), node


def figures(root: Path) -> dict[str, str]:
    """Return the figures of one checkout by name."""
    tree = Tree(root)
    plugin_lines = sum(map(tree.lines, tree.plugins))
    return {
        "lines, engine": f"{tree.lines(tree.engine):,}",
        "lines, lab": f"{sum(map(tree.lines, tree.packages)) - tree.lines(tree.engine) - plugin_lines:,}",
        "lines, plugins": f"{plugin_lines:,}",
        f"modules over {_LONG_MODULE} lines": str(
            sum(text.count("\n") > _LONG_MODULE for text in tree.texts.values())
        ),
        **_complexity(tree),
        **_inheritance(tree),
        "modules in import cycles": _cycles(tree),
        "most flat modules of a plugin package": _flat(tree),
        "class names with two meanings": _count_duplicate_classes(tree),
        "denied words": str(_count_denied_words(tree)),
        **_maturity(tree),
        **_cases(tree),
        "public functions with a useful docstring": _count_documented(tree),
    }


def _complexity(tree: Tree) -> dict[str, str]:
    shares = {}
    for kind, packages in (
        ("engine and lab", tree.packages[: -len(tree.plugins)]),
        ("plugins", tree.plugins),
    ):
        functions = [f for package in packages for f in tree.functions(package)]
        complex_ones = sum(complexity(function) > _COMPLEX for function in functions)
        name = f"functions with complexity over {_COMPLEX}, {kind}"
        shares[name] = f"{complex_ones / len(functions):.1%} of {len(functions):,}"
    return shares


def complexity(function: ast.AST) -> int:
    """Return the cyclomatic complexity of a function, boolean operators included, as radon counts it."""
    count = 1
    for node in _own_nodes(function):
        if isinstance(
            node, (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert)
        ):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
        elif isinstance(node, ast.match_case):
            count += 1
    return count


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Walk the nodes of a function without the functions in it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)


def _inheritance(tree: Tree) -> dict[str, str]:
    """Return the deepest chain of own classes, and the largest class, own and inherited methods together."""
    bases: dict[str, list[str]] = {}
    methods: dict[str, int] = {}
    for _, node in tree.classes():
        bases.setdefault(
            node.name, [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases]
        )
        methods.setdefault(
            node.name,
            sum(isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)) for member in node.body),
        )
    chains = {name: _chain(name, bases) for name in bases}
    deepest = max(chains, key=lambda name: (len(chains[name]), name))
    totals = {name: sum(methods[method] for method in chain) for name, chain in chains.items()}
    own = max(methods, key=lambda name: (methods[name], name))
    largest = max(totals, key=lambda name: (totals[name], name))
    return {
        "deepest inheritance": f"{len(chains[deepest])} ({deepest})",
        "most own methods": f"{methods[own]} ({own})",
        "most methods with inherited ones": f"{totals[largest]} ({largest})",
    }


def _chain(name: str, bases: Mapping[str, list[str]]) -> list[str]:
    longest: list[str] = []
    for base in bases.get(name, ()):
        if base in bases and base != name:
            longest = max(longest, _chain(base, bases), key=len)
    return [name, *longest]


def _cycles(tree: Tree) -> str:
    """Count modules that import one another in a circle, in functions and for typing alike."""
    import grimp  # of the development tools

    for package in tree.packages:
        sys.path.insert(0, str(package.parent))
    graph = grimp.build_graph(*sorted(package.name for package in tree.packages), cache_dir=None)
    for package in tree.packages:
        sys.path.remove(str(package.parent))
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    return str(sum(len(group) for group in _components(imports) if len(group) > 1))


def _components(imports: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return strongly connected components (Tarjan 1972), without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    groups: list[list[str]] = []
    for root in sorted(imports):
        if root in index:
            continue
        work = [(root, iter(sorted(imports[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(imports[target]))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    cut = stack.index(node)
                    groups.append(stack[cut:])
                    on_stack -= set(stack[cut:])
                    del stack[cut:]
    return groups


def _flat(tree: Tree) -> str:
    counts = {
        folder.relative_to(tree.root / "plugins").as_posix(): len(list(folder.glob("*.py"))) - 1
        for package in tree.plugins
        for folder in (package, package / "checks")
        if folder.is_dir()
    }
    most = max(counts, key=lambda name: counts[name])
    return f"{counts[most]} ({most})"


def _count_duplicate_classes(tree: Tree) -> str:
    """Count public class names that two modules define.

    Two plugins, which never import one another, may share a name for the same idea.
    """
    modules: dict[str, list[str]] = defaultdict(list)
    for path, node in tree.classes():
        if not node.name.startswith("_"):
            modules[node.name].append(path)
    doubled = [name for name, paths in modules.items() if _is_ambiguous(paths)]
    return str(len(doubled)) + (f" ({', '.join(sorted(doubled)[:4])})" if doubled else "")


def _is_ambiguous(paths: Sequence[str]) -> bool:
    packages = ["/".join(path.split("/")[:2]) for path in paths]
    in_plugins = all(package.startswith("plugins/") for package in packages)
    return len(paths) > 1 and not (in_plugins and len(set(packages)) == len(paths))


def _count_denied_words(tree: Tree) -> int:
    return sum(1 for path in tree.texts for _ in wording.denied_in(path, tree.root))


def _maturity(tree: Tree) -> dict[str, str]:
    stable = preview = 0
    for path, node in tree.classes():
        names = {
            t.id: statement.value
            for statement in node.body
            for t in _targets(statement)
            if isinstance(statement, (ast.Assign, ast.AnnAssign))
        }
        if "ID" in names and "plugins/" in path:
            is_preview = "MATURITY" in names and "PREVIEW" in ast.unparse(names["MATURITY"])
            preview += is_preview
            stable += not is_preview
    for file in sorted((tree.root / "rules").rglob("*.yml")):
        if file.parent.name == "ast-grep":
            text = file.read_text("utf-8")
            preview += "maturity: preview" in text
            stable += "maturity: preview" not in text
    return {"own rules, stable and preview": f"{stable} + {preview}"}


def _targets(statement: ast.stmt) -> Iterator[ast.Name]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    yield from (target for target in targets if isinstance(target, ast.Name))


def _cases(tree: Tree) -> dict[str, str]:
    """Count the multi-line cases in VALID and INVALID that are escaped strings instead of blocks."""
    escaped = total = 0
    for path, module in tree.parsed.items():
        lines = tree.texts[path].split("\n")
        for node in ast.walk(module):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and any(
                target.id in ("VALID", "INVALID") for target in _targets(node)
            ):
                for text in ast.walk(node):
                    if isinstance(text, ast.Constant) and isinstance(text.value, str) and "\n" in text.value:
                        total += 1
                        first = lines[text.lineno - 1].encode()[text.col_offset :].decode()
                        escaped += '"""' not in first and "'''" not in first
    return {"cases of several lines that are escaped": f"{escaped:,} of {total:,}"}


def _count_documented(tree: Tree) -> str:
    documented = public = 0
    for module in tree.parsed.values():
        for node in [*module.body, *(m for c in module.body if isinstance(c, ast.ClassDef) for m in c.body)]:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
                if node.name.startswith("visit_"):
                    continue
                public += 1
                documented += len((ast.get_docstring(node) or "").split()) >= _USEFUL_WORDS
    return f"{documented / public:.0%} of {public:,}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", type=Path, nargs="*", default=[HERE])
    tables = [figures(root.resolve()) for root in parser.parse_args().checkouts]
    for name in dict.fromkeys(name for table in tables for name in table):
        print(f"| {name} |", " | ".join(table.get(name, "") for table in tables), "|")
    return 0


if __name__ == "__main__":
    sys.exit(main())
