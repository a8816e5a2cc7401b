"""Compare the annotations of ``wardround types`` with those that people wrote.

    python evals/type_prediction.py CLONE ... [--folder DIR] [--misses N] [--json FILE]

In a scratch copy of the work tree, the annotations of the public functions of all modules that are not tests
are removed, imports stay, and ``wardround types`` runs. Reported are

- ``removed``: the annotations that were removed, except those of ``self``, ``*args`` and ``**kwargs``;
- ``offered``: those of them for which an annotation is offered; the checker accepts all of these;
- ``exact``: of what is offered, the share equal to what was removed, by the spelling of unions and generics;
- ``no less precise``: exact or narrower, such as a member of the written union, or a class for its abstract
  base;
- ``alone``: offered and exact shares of inference by the checker without other evidence.

This is a first look, not the measurement on held-out functions: the repositories are of the caller's choice.
"""

from __future__ import annotations

import argparse
import ast
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import libcst as cst

from wardround import host
from wardround.authoring.types import type_text
from wardround.authoring.types.checking import ProjectChecker
from wardround.authoring.types.functions import public_functions
from wardround.authoring.types.model import RETURN, Module
from wardround.authoring.types.module_names import ModuleNames
from wardround.authoring.types.offering import Offer, offer_types
from wardround.authoring.types.prediction import Signatures
from wardround.authoring.types.targets import TypeTargets
from wardround.change.repository import Repository
from wardround.change.snapshot import Snapshot
from wardround.tools.type_checker import Signature

Part = tuple[str, str, str]
"""Path, qualified name and part of a signature."""
SPELLINGS = {
    name: name.lower() for name in ("List", "Dict", "Set", "Tuple", "Type", "FrozenSet")
}  # of the module typing
ABSTRACT = {
    "Sequence": ("list", "tuple"),
    "Iterable": ("list", "tuple", "set", "dict", "Iterator"),
    "Collection": ("list", "tuple", "set", "dict"),
    "Mapping": ("dict",),
    "MutableMapping": ("dict",),
    "Generator": ("Iterator",),
}


class Removal(cst.CSTTransformer):
    """Removes the annotations of parameters and results of functions."""

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        return updated_node.with_changes(returns=None)

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        return updated_node.with_changes(annotation=None)


def signatures_in(path: str, tree: ast.Module) -> Iterator[tuple[Part, str]]:
    """Yield the annotations of the public functions of a module without annotations of ``self``."""
    stripped = ast.parse(cst.parse_module(ast.unparse(tree)).visit(Removal()).code)
    plain = {function.name: function for function in public_functions(stripped)}
    for name, function in qualified_functions(tree, ""):
        if name not in plain:
            continue
        wanted = {parameter.name for parameter in plain[name].parameters}
        for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
            if argument.arg in wanted and argument.annotation is not None:
                yield (path, name, argument.arg), ast.unparse(argument.annotation)
        if function.returns is not None and plain[name].lacks_return:
            yield (path, name, RETURN), ast.unparse(function.returns)


def qualified_functions(
    scope: ast.Module | ast.ClassDef, prefix: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in scope.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from qualified_functions(node, f"{prefix}{node.name}.")


def spelling(text: str) -> str:
    """Return a type in one spelling: without quotes and old names, the members of unions sorted."""
    try:
        tree = ast.parse(text, mode="eval").body
        if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
            tree = ast.parse(tree.value, mode="eval").body
    except SyntaxError:
        return text
    return " | ".join(sorted(members(tree)))


def members(tree: ast.expr) -> Iterator[str]:
    match tree:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from members(left)
            yield from members(right)
        case ast.Subscript(value=value, slice=item) if last_name(value) == "Optional":
            yield from members(item)
            yield "None"
        case ast.Subscript(value=value, slice=ast.Tuple(elts=items)) if last_name(value) == "Union":
            for item in items:
                yield from members(item)
        case ast.Subscript(value=value, slice=item):
            items = item.elts if isinstance(item, ast.Tuple) else [item]
            yield f"{last_name(value)}[{', '.join(spelling(ast.unparse(part)) for part in items)}]"
        case _:
            yield last_name(tree)


def last_name(tree: ast.expr) -> str:
    name = ast.unparse(tree).rpartition(".")[2] or ast.unparse(tree)
    return SPELLINGS.get(name, name)


def is_no_wider(offered: str, written: str) -> bool:
    """Return True if each member of the offered union is one of the written union, or within one."""
    allowed = set(spelling(written).split(" | "))
    return all(any(is_within(part, other) for other in allowed) for part in spelling(offered).split(" | "))


def is_within(offered: str, written: str) -> bool:
    generic, _, rest = written.partition("[")
    own, _, own_rest = offered.partition("[")
    if offered == written or (offered, written) in {("int", "float"), ("bool", "int")}:
        return True
    return own in ABSTRACT.get(generic, ()) and (
        own_rest.rstrip("]").split(", ...")[0] == rest.rstrip("]") or not rest
    )


def scratch_copy(clone: Path, folder: Path) -> Path:
    copy = folder / clone.name
    shutil.copytree(clone, copy, symlinks=True)
    return copy


def remove_annotations(root: Path, paths: Sequence[str]) -> dict[Part, str]:
    """Remove the annotations of modules, and return them."""
    written: dict[Part, str] = {}
    for path in paths:
        source = (root / path).read_bytes()
        written |= dict(signatures_in(path, ast.parse(source)))
        (root / path).write_bytes(cst.parse_module(source).visit(Removal()).bytes)
    return written


def inferred_alone(root: Path, paths: Sequence[str], targets: TypeTargets) -> dict[Part, str]:
    """Return the complete types that the checker infers without other evidence."""
    sources = {path: (root / path).read_bytes() for path in paths}
    modules = [
        Module(path, source, tuple(public_functions(ast.parse(source)))) for path, source in sources.items()
    ]
    modules = [module for module in modules if module.functions]
    with Snapshot() as snapshot:
        checker = ProjectChecker(targets.settings(), root, snapshot, modules, {})
        signatures = checker.check({}).signatures
    return {part: text for module in modules for part, text in complete_types(module, signatures)}


def complete_types(module: Module, signatures: Signatures) -> Iterator[tuple[Part, str]]:
    names = ModuleNames.of(ast.parse(module.content))
    for function in module.functions:
        for part, printed in types_of(signatures.get((module.path, function.name))):
            is_coroutine = part == RETURN and function.is_coroutine
            kind = type_text.annotation_text(printed, is_coroutine=is_coroutine)
            expression = names.expression(kind, function.line) if kind is not None else None
            if expression is not None:
                yield (module.path, function.name, part), expression


def types_of(signature: Signature | None) -> Iterable[tuple[str, str]]:
    return {**signature.parameters, RETURN: signature.returns}.items() if signature is not None else ()


def figures(written: Mapping[Part, str], offered: Mapping[Part, str]) -> dict[str, int]:
    pairs = [(offered[part], text) for part, text in written.items() if part in offered]
    return {
        "removed": len(written),
        "offered": len(pairs),
        "exact": sum(spelling(new) == spelling(old) for new, old in pairs),
        "no less precise": sum(is_no_wider(new, old) for new, old in pairs),
    }


def evaluate(clone: Path, folder: str, misses: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as scratch:
        root = scratch_copy(clone, Path(scratch))
        with Repository(root) as repository:
            targets = TypeTargets(repository, host.load())
            paths = targets.modules_of([str(root / folder)])
            written = remove_annotations(root, paths)
            offer = offer_types(root, paths, targets.project, targets.settings(), lambda text: None)
            alone = inferred_alone(root, paths, targets)
    offered = {(item.path, item.function, item.part): item.type for item in offer.annotations}
    show_misses(written, offered, offer, misses)
    kinds = Counter(kind_of(item.evidence) for item in offer.annotations)
    commit = subprocess.run(
        ["git", "-C", clone, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    return {
        "repository": clone.name, "commit": commit.stdout.strip()[:8], **figures(written, offered),
        "predicted": offer.predicted, "accepted": offer.accepted, "evidence": dict(sorted(kinds.items())),
        "alone": figures(written, alone),
    }  # fmt: skip


def kind_of(evidence: str) -> str:
    if evidence == "inferred":
        return evidence
    return "name" if evidence.endswith("of this name") else "default or calls"


def show_misses(written: Mapping[Part, str], offered: Mapping[Part, str], offer: Offer, count: int) -> None:
    evidence = {(item.path, item.function, item.part): item.evidence for item in offer.annotations}
    pairs = [
        (part, text)
        for part, text in written.items()
        if part in offered and spelling(offered[part]) != spelling(text)
    ]
    for part, text in pairs[:count]:
        print(f"{' '.join(part)}: {offered[part]} ({evidence[part]}), written {text}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", nargs="+", type=Path, metavar="CLONE")
    parser.add_argument("--folder", default="", help="the folder with the modules, such as src")
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="print N annotations that differ")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    results = []
    for clone in options.clones:
        results.append(evaluate(clone.resolve(), options.folder, options.misses))
        print(json.dumps(results[-1]), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
