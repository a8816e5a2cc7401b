"""Inlining: short functions of the project, analysed for one call with the known values of its arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from wardround.languages.python.module import FunctionNode
from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.domain import CLEAN, Taint
from wardround_python.dataflow.expression_shapes import bound_arguments
from wardround_python.dataflow.flow_state import FlowState, InlineContext
from wardround_python.dataflow.known_value import Known, KnownConstant, KnownContainer, KnownEntry, is_same
from wardround_python.dataflow.modules import MOST_WALKS
from wardround_python.dataflow.object_resolution import Named, ResolvedCallee
from wardround_python.dataflow.observers import UNOBSERVED, Observers
from wardround_python.dataflow.project import Instance, ProjectModule
from wardround_python.dataflow.state import OUTSIDE

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_DEEPEST = 3


class CalleeAnalysis(Protocol):
    """The analysis of the function that a call runs."""

    @property
    def state(self) -> FlowState:
        """The state that all parts of the analysis share."""

    def walk(self, body: Iterable[ast.stmt]) -> bool:
        """Analyse a body, once; return True if control leaves it."""

    def bind_known(self, name: str, known: Known) -> None:
        """Bind a name to the known properties of its value."""

    def record_known(self, known: Known | None) -> None:
        """Record what is known of the result."""


Analyse = Callable[[ProjectModule, FunctionNode, Observers], CalleeAnalysis]
"""Creates the analysis of a function of a module."""


class Inliner:
    """Analyses the body of a function for one call whose arguments determine its effect."""

    __slots__ = (
        "_analyse",
        "_folder",
        "_known",
        "_names",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._names = flow.names
        self._folder = flow.folder
        self._known = flow.known
        self._analyse = flow.analyse

    def inline(
        self, callee: ResolvedCallee, node: ast.Call, taints: Sequence[Taint], named: Named
    ) -> Taint | None:
        """Analyse the callee for one call and return its taint; None if the summary is as precise."""
        if not self._is_inlinable(callee):
            return None
        traits = callee.flow.nested.traits(callee.function)
        receiver = callee.receiver
        is_object = receiver is not None and (traits.sets_attributes or bool(receiver.known))
        decides = traits.deciding | traits.returned
        returns_parts = traits.returns_container or traits.yields
        if (
            not is_object
            and not ((decides or returns_parts) and any((*taints, *(value for _, value in named))))
            and not traits.yields
        ):
            return None
        known = self._known_arguments(callee, node, taints)
        if not is_object and not returns_parts and not decides & known.keys():
            return None
        self._state.flow.modules.walks += 1
        flow = self._state.inlined.flow if self._state.inlined is not None else self._state.flow
        active = self._state.inlined.active if self._state.inlined is not None else ()
        inner = self._analyse(callee.flow, callee.function, self._observers_of(callee))
        call = self._state.inlined.call if self._state.inlined is not None else node
        inner.state.inlined = InlineContext(call, flow, (*active, callee.function))
        inner.state.region = self._state.region
        self._prepare(
            inner, callee, bound_arguments(callee.function, node, taints, named, callee.skips), known
        )
        if not inner.walk(callee.function.body):
            inner.record_known(KnownConstant(None))
            has_one_exit = not inner.state.exits
        else:
            has_one_exit = inner.state.exits == 1
        self._merge(inner, callee, has_one_exit)
        self._state.inlined_call = node
        if traits.yields:
            self._state.objects[node] = None
            self._state.results[node] = creation = KnownContainer(inner.state.yielded, self._state.region)
            creation.total = creation.taint
            return creation.total
        return self._result(inner, callee, node)

    def _observers_of(self, callee: ResolvedCallee) -> Observers:
        """Return the observers of the callee's module; an unobserved analysis stays unobserved."""
        return UNOBSERVED if self._state.observers is UNOBSERVED else callee.flow.observers

    def _is_inlinable(self, callee: ResolvedCallee) -> bool:
        active = self._state.inlined.active if self._state.inlined is not None else ()
        receiver = callee.receiver
        if callee.function in (*active, self._state.function) or len(active) >= _DEEPEST:
            return False
        if self._state.flow.modules.walks >= MOST_WALKS or (receiver is not None and receiver.fields is None):
            return False
        if not callee.flow.nested.traits(callee.function).is_short:
            return False
        return callee.flow is self._state.flow or not callee.flow.summary(callee.function).reaches

    def _known_arguments(
        self, callee: ResolvedCallee, node: ast.Call, taints: Sequence[Taint]
    ) -> dict[str, Known]:
        """Return what is known of the parameters in one call."""
        if _has_unpacked_arguments(node):
            return {}
        result = self._known_defaults(callee.function)
        arguments = callee.function.args
        names = [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args)]
        passed = [(keyword.arg or "", keyword.value) for keyword in node.keywords]
        for name, value in (*zip(names[callee.skips :], node.args, strict=False), *passed):
            result.pop(name, None)
            known = self._known.of(value)
            if known is not None:
                result[name] = known
        self._bind_variadic(callee, node, taints, result)
        return result

    def _known_defaults(self, function: FunctionNode) -> dict[str, Known]:
        """Return the parameters with a constant default."""
        result: dict[str, Known] = {}
        for name, default in _defaults(function):
            constant = self._folder.constant(default) if isinstance(default, ast.Constant) else None
            if constant is not None:
                result[name] = constant
        return result

    def _bind_variadic(
        self, callee: ResolvedCallee, node: ast.Call, taints: Sequence[Taint], found: dict[str, Known]
    ) -> None:
        """Add the known values of ``*args`` and ``**kwargs`` in one call."""
        arguments = callee.function.args
        first = len([*arguments.posonlyargs, *arguments.args][callee.skips :])
        if arguments.vararg is not None:
            pairs = zip(node.args[first:], taints[first:], strict=True)
            rest = [KnownEntry(value, self._known.of(argument)) for argument, value in pairs]
            found[arguments.vararg.arg] = creation = KnownContainer(rest, self._state.region)
            creation.total = creation.taint
        if arguments.kwarg is not None:
            declared = {argument.arg for argument in (*arguments.args, *arguments.kwonlyargs)}
            others = [k for k in node.keywords if k.arg not in declared]
            named: dict[object, KnownEntry] = {k.arg: self._known.entry(k.value) for k in others}
            found[arguments.kwarg.arg] = creation = KnownContainer(named, self._state.region)
            creation.total = creation.taint

    @staticmethod
    def _prepare_self(inner: CalleeAnalysis, receiver: Instance) -> None:
        fields = receiver.fields or {}
        for name in {*receiver.cls.attributes, *fields}:
            inner.state.values[f"self.{name}"] = fields.get(name, CLEAN)
        inner.state.values.known.update({f"self.{name}": known for name, known in receiver.known.items()})

    def _prepare(
        self,
        inner: CalleeAnalysis,
        callee: ResolvedCallee,
        bound: Mapping[str, Taint],
        known: Mapping[str, Known],
    ) -> None:
        """Set the state from which the callee is analysed."""
        for argument in _parameters(callee.function.args):
            inner.state.values[argument.arg] = bound.get(argument.arg, CLEAN)
        if callee.flow is self._state.flow:
            self._share_free_names(inner, callee)
        for name, certain in known.items():
            inner.bind_known(name, certain)
        if callee.receiver is not None:
            self._prepare_self(inner, callee.receiver)
        elif callee.is_own:
            self._share_attributes(inner)

    def _share_free_names(self, inner: CalleeAnalysis, callee: ResolvedCallee) -> None:
        """Set the names that a nested function reads from the function around it."""
        values = self._state.values
        for name in callee.flow.nested.free(callee.function):
            inner.state.values.setdefault(name, values.get(name, CLEAN))
            if name in values.known:
                inner.bind_known(name, values.known[name])

    def _share_attributes(self, inner: CalleeAnalysis) -> None:
        """Set the attributes of ``self``, which caller and callee share."""
        values = self._state.values
        for key in values:
            if key.startswith("self."):
                inner.state.values[key] = values[key]
                if key in values.known:
                    inner.state.values.known[key] = values.known[key]

    def _merge(self, inner: CalleeAnalysis, callee: ResolvedCallee, has_one_exit: bool) -> None:
        """Merge the effects of the analysed callee into this state."""
        for name, locations in inner.state.summary.reaches.items():
            self._state.summary.reaches.setdefault(name, {}).update(locations)
        for name, value in inner.state.summary.stores.items():
            if name.startswith("session."):
                self._names.store_in_session(name.removeprefix("session."), value)
            elif name.startswith(OUTSIDE):
                self._names.extend(name.removeprefix(OUTSIDE), value)
        receiver = callee.receiver
        if receiver is not None and receiver.fields is not None:
            is_certain = has_one_exit and receiver.region == self._state.region
            for name, value, known in _attributes_of(inner):
                old = receiver.fields.get(name, CLEAN)
                receiver.fields[name] = value if is_certain else join(old, value)
                is_kept = is_certain or is_same(receiver.known.get(name), known)
                receiver.known.pop(name, None)
                if known is not None and is_kept:
                    receiver.known[name] = known
        elif callee.is_own:
            for name, value, known in _attributes_of(inner):
                before = self._state.values.known.get(f"self.{name}")
                self._names.set(
                    f"self.{name}",
                    value if has_one_exit else join(self._names.taint_of(f"self.{name}"), value),
                )
                if known is not None and (has_one_exit or is_same(before, known)):
                    self._state.values.known[f"self.{name}"] = known

    def _result(self, inner: CalleeAnalysis, callee: ResolvedCallee, node: ast.Call) -> Taint:
        self._state.objects[node] = None
        known = inner.state.known_return[0] if inner.state.known_return is not None else None
        if known is not None:
            self._state.results[node] = known
        if inner.state.summary.returns_self and callee.receiver is not None:
            self._state.objects[node] = callee.receiver
            return callee.receiver.total
        if inner.state.summary.instance is not None:
            self._state.objects[node] = inner.state.summary.instance
        return inner.state.summary.returned


def _parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    """Yield the parameters, and those that take the rest last."""
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from filter(None, (arguments.vararg, arguments.kwarg))


def _has_unpacked_arguments(call: ast.Call) -> bool:
    """Return True if a call unpacks arguments, so that it is open which parameters they are for."""
    is_starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return is_starred or any(keyword.arg is None for keyword in call.keywords)


def _defaults(function: FunctionNode) -> Iterator[tuple[str, ast.expr]]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    first = len(positional) - len(arguments.defaults)
    yield from (
        (argument.arg, default)
        for argument, default in zip(positional[first:], arguments.defaults, strict=True)
    )
    for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield item.arg, default


def _attributes_of(inner: CalleeAnalysis) -> Iterator[tuple[str, Taint, Known | None]]:
    """Yield the attributes of ``self`` after the analysis, with what is known of them."""
    for key, value in inner.state.values.items():
        name = key.removeprefix("self.")
        if key.startswith("self.") and name.isidentifier():
            known = inner.state.values.known.get(key)
            complete = join(value, known.total) if isinstance(known, KnownContainer) else value
            yield name, complete, known
