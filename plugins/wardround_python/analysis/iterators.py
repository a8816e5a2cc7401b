"""Values that can be iterated only once, and the expressions that exhaust them."""

from __future__ import annotations

import ast

from wardround.languages.python.module import FunctionNode, PythonModule, nodes_run_by
from wardround.languages.python.tree import walk
from wardround_python.analysis.call_resolution import CallResolver

MAKERS = frozenset(
    {
        "map", "filter", "zip", "reversed", "enumerate", "iter", "csv.reader", "csv.DictReader",
        "re.finditer",
        "os.walk", "os.scandir", "os.fwalk", "glob.iglob", "heapq.merge", "difflib.unified_diff",
        "difflib.ndiff", "concurrent.futures.as_completed", "itertools.chain",
        "itertools.chain.from_iterable", "itertools.islice", "itertools.product", "itertools.permutations",
        "itertools.combinations", "itertools.groupby", "itertools.starmap", "itertools.takewhile",
        "itertools.dropwhile", "itertools.accumulate", "itertools.compress", "itertools.filterfalse",
        "itertools.zip_longest", "itertools.pairwise", "itertools.batched",
        "xml.etree.ElementTree.iterparse", "lxml.etree.iterparse",
    }
)  # fmt: skip
"""Functions whose result can be iterated only once."""
METHODS = {
    "iterdir": "pathlib", "rglob": "pathlib", "glob": "pathlib", "finditer": "re", "iterrows": "pandas",
    "itertuples": "pandas", "scan_iter": "redis", "iter_rows": "openpyxl", "iterator": "django",
    "iter_content": "requests", "iter_lines": "requests",
}  # fmt: skip
"""Methods whose result can be iterated only once -> the package that defines them."""
FILES = frozenset({"csv.reader", "csv.DictReader", "open", "io.open", "gzip.open"})
"""Constructors of iterators that restart once their file does."""

USERS = frozenset(
    {
        "list", "tuple", "set", "sum", "max", "min", "sorted", "frozenset", "dict", "len", "join", "any",
        "all", "collections.Counter", "collections.deque", "writerows", "executemany", "extend",
        "bulk_create", "add_all", "writelines", "statistics.mean", "statistics.median", "fromkeys",
        "insert_many", "from_records",
    }
)  # fmt: skip
"""Functions and methods that exhaust their argument."""
_LAZY = frozenset({"enumerate", "map", "filter", "tqdm.tqdm", "itertools.chain"})
"""Lazy functions, which exhaust their arguments when their result is iterated."""
_KINDS = frozenset({"Iterator", "Generator", "AsyncIterator", "AsyncGenerator"})
_UNCHANGED = frozenset({"staticmethod", "classmethod", "override", "final"})


def is_single_use(value: ast.expr, module: PythonModule, callees: CallResolver) -> bool:
    """Return True if a value can be iterated only once."""
    if isinstance(value, ast.GeneratorExp):
        return True
    if not isinstance(value, ast.Call):
        return False
    func = value.func
    result = callees.definition_of(value)
    if result is None and module.dotted(func) in MAKERS:
        return not isinstance(func, ast.Name) or func.id not in module.assigned
    if isinstance(func, ast.Attribute) and METHODS.get(func.attr) in module.packages | {"re"}:
        return func.attr != "glob" or not _is_module(func.value, module)
    inside = _defined_around(func, module) if isinstance(func, ast.Name) and result is None else None
    return (result is not None and _yields(result.node)) or (inside is not None and _yields(inside))


def _defined_around(name: ast.Name, module: PythonModule) -> ast.AST | None:
    """Return the only nested function of a name in the function around a call."""
    around = module.function_of(name)
    same = [item for item in getattr(around, "body", ()) if getattr(item, "name", None) == name.id]
    return same[0] if isinstance(around, FunctionNode) and len(same) == 1 else None


def _is_module(node: ast.expr, module: PythonModule) -> bool:
    """Return True if a name refers to a module, or to an imported class."""
    return module.imported_name(node) is not None


def _yields(node: ast.AST) -> bool:
    """Return True if a function is a generator that no decorator converts."""
    if not isinstance(node, FunctionNode) or any(
        getattr(decorator, "id", "") not in _UNCHANGED for decorator in node.decorator_list
    ):
        return False
    return any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in nodes_run_by(node.body))


def is_iterator(annotation: ast.expr | None) -> bool:
    """Return True if an annotation declares an iterator: ``Iterator[str]``."""
    named = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return (named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", "")) in _KINDS


def takes_all(use: ast.expr, module: PythonModule, callees: CallResolver) -> bool:
    """Return True if the expression around an iterator exhausts it."""
    parent = module.parents[use]
    if isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)):
        return parent.iter is use
    if isinstance(parent, ast.Compare):
        return isinstance(parent.ops[0], (ast.In, ast.NotIn)) and use in parent.comparators
    if isinstance(parent, (ast.Starred, ast.YieldFrom)):
        return True
    if not isinstance(parent, ast.Call) or use not in parent.args:
        return False
    func = parent.func
    name = func.attr if isinstance(func, ast.Attribute) else module.dotted(func)
    if name in USERS or module.dotted(func) in USERS:
        return True
    if module.dotted(func) in _LAZY:
        return takes_all(parent, module, callees)
    return _goes_through(parent, parent.args.index(use), callees)


def _goes_through(call: ast.Call, place: int, callees: CallResolver) -> bool:
    """Return True if a function of the project iterates over its argument in a loop of its own."""
    found, told = callees.definition_of(call), callees.of(call)
    if found is None or told is None or place >= len(told.parameters):
        return False
    if not isinstance(found.node, FunctionNode) or _yields(found.node):
        return False
    name = told.parameters[place]
    return any(
        isinstance(node, (ast.For, ast.comprehension))
        and isinstance(node.iter, ast.Name)
        and node.iter.id == name
        and not _ends_early(node)
        for node in nodes_run_by(found.node.body)
    )


def _ends_early(loop: ast.AST) -> bool:
    return any(isinstance(node, (ast.Break, ast.Return)) for node in walk(loop))


def leaves_some(use: ast.expr, module: PythonModule) -> bool:
    """Return True if a loop may end before its iterator is exhausted, and the code after it continues."""
    parent = module.parents[use]
    return isinstance(parent, (ast.For, ast.AsyncFor)) and any(isinstance(n, ast.Break) for n in walk(parent))
