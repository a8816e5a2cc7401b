"""Short functions of the project, walked for one call alone, with what is certain of its arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from wardround.languages.python.module import FunctionNode
from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.classes import Instance, ProjectClass
from wardround_python.dataflow.domain import CLEAN, Value
from wardround_python.dataflow.expression_shapes import bound_arguments
from wardround_python.dataflow.known_value import Exactly, Held, Known, KnownEntry, is_same
from wardround_python.dataflow.modules import MOST_WALKS
from wardround_python.dataflow.object_resolution import Named, Objects, ResolvedCallee
from wardround_python.dataflow.scope import Entered
from wardround_python.dataflow.state import OUTSIDE

_DEEPEST = 3


class Walks(Objects):
    """Walks the body of a function again where the call at hand decides what it does."""

    def _walked(
        self, callee: ResolvedCallee, node: ast.Call, given: Sequence[Value], named: Named
    ) -> Value | None:
        """What one call gives; None where the summary of the function says as much."""
        if not self._is_short_enough(callee):
            return None
        traits = callee.flow.nested.traits(callee.function)
        receiver = callee.receiver
        is_object = receiver is not None and (traits.keeps or bool(receiver.held))
        decides = traits.asked | traits.answers
        gives_parts = traits.gives_table or traits.yields
        if (
            not is_object
            and not ((decides or gives_parts) and any((*given, *(value for _, value in named))))
            and not traits.yields
        ):
            return None
        known = self._known_arguments(callee, node, given)
        if not is_object and not gives_parts and not decides & known.keys():
            return None
        self._owner.modules.walks += 1
        teller = self._entered.teller if self._entered is not None else self._owner
        around = self._entered.around if self._entered is not None else ()
        inner = type(self)(callee.flow, callee.function)
        call = self._entered.call if self._entered is not None else node
        inner._entered = Entered(call, teller, (*around, callee.function))
        inner._where = self._where
        self._prepare(
            inner, callee, bound_arguments(callee.function, node, given, named, callee.skips), known
        )
        if not inner.walk(callee.function.body):
            inner._note_known(Exactly(None))
            has_one_end = not inner._left
        else:
            has_one_end = inner._left == 1
        self._take_over(inner, callee, has_one_end)
        self._walked_into = node
        if traits.yields:
            self._fresh[node] = None
            self._answers[node] = made = Held(inner._pieces_given, self._where)
            made.whole = made.every
            return made.whole
        return self._answer_of(inner, callee, node)

    def _is_short_enough(self, callee: ResolvedCallee) -> bool:
        around = self._entered.around if self._entered is not None else ()
        receiver = callee.receiver
        if callee.function in (*around, self._function) or len(around) >= _DEEPEST:
            return False
        if self._owner.modules.walks >= MOST_WALKS or (receiver is not None and receiver.fields is None):
            return False
        if not callee.flow.nested.traits(callee.function).is_short:
            return False
        return callee.flow is self._owner or not callee.flow.summary(callee.function).reaches

    def _known_arguments(
        self, callee: ResolvedCallee, node: ast.Call, given: Sequence[Value]
    ) -> dict[str, Known]:
        """What is certain of the parameters of a function in one call."""
        arguments = callee.function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        found: dict[str, Known] = {}
        for one, default in _defaults(callee.function):
            if isinstance(default, ast.Constant) and (exact := self._exact(default)) is not None:
                found[one] = exact
        names = [one.arg for one in positional[callee.skips :]]
        spread = any(isinstance(one, ast.Starred) for one in node.args)
        if spread or any(keyword.arg is None for keyword in node.keywords):
            return {}
        pairs = [*zip(names, node.args, strict=False), *((k.arg or "", k.value) for k in node.keywords)]
        for name, value in pairs:
            found.pop(name, None)
            known = self._knowledge(value)
            if known is not None:
                found[name] = known
        self._learn_rest(callee, node, given, found)
        return found

    def _learn_rest(
        self, callee: ResolvedCallee, node: ast.Call, given: Sequence[Value], found: dict[str, Known]
    ) -> None:
        """What is certain of ``*args`` and ``**kwargs`` in one call."""
        arguments = callee.function.args
        first = len([*arguments.posonlyargs, *arguments.args][callee.skips :])
        if arguments.vararg is not None:
            pairs = zip(node.args[first:], given[first:], strict=True)
            rest = [KnownEntry(value, self._knowledge(one)) for one, value in pairs]
            found[arguments.vararg.arg] = made = Held(rest, self._where)
            made.whole = made.every
        if arguments.kwarg is not None:
            declared = {one.arg for one in (*arguments.args, *arguments.kwonlyargs)}
            others = [k for k in node.keywords if k.arg not in declared]
            named: dict[object, KnownEntry] = {k.arg: self._as_entry(k.value) for k in others}
            found[arguments.kwarg.arg] = made = Held(named, self._where)
            made.whole = made.every

    @staticmethod
    def _prepare_self(inner: Walks, receiver: Instance) -> None:
        fields = receiver.fields or {}
        for name in {*receiver.cls.attributes, *fields}:
            inner._values[f"self.{name}"] = fields.get(name, CLEAN)
        inner._values.known.update({f"self.{name}": known for name, known in receiver.held.items()})

    def _prepare(
        self, inner: Walks, callee: ResolvedCallee, bound: Mapping[str, Value], known: Mapping[str, Known]
    ) -> None:
        """Give the walk of a function what it starts from."""
        arguments = callee.function.args
        extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra):
            inner._values[one.arg] = bound.get(one.arg, CLEAN)
        for name in callee.flow.nested.free(callee.function) if callee.flow is self._owner else ():
            inner._values.setdefault(name, self._values.get(name, CLEAN))
            if name in self._values.known:
                inner._learn(name, self._values.known[name])
        for name, certain in known.items():
            inner._learn(name, certain)
        if callee.receiver is not None:
            self._prepare_self(inner, callee.receiver)
        elif callee.is_own:
            for key in (key for key in self._values if key.startswith("self.")):
                inner._values[key] = self._values[key]
                if key in self._values.known:
                    inner._values.known[key] = self._values.known[key]

    def _take_over(self, inner: Walks, callee: ResolvedCallee, has_one_end: bool) -> None:
        """What the walk of a function left behind."""
        for name, places in inner._summary.reaches.items():
            self._summary.reaches.setdefault(name, {}).update(places)
        for name, value in inner._summary.stores.items():
            if name.startswith("session."):
                self._remember(name.removeprefix("session."), value)
            elif name.startswith(OUTSIDE):
                self._add(name.removeprefix(OUTSIDE), value)
        receiver = callee.receiver
        if receiver is not None and receiver.fields is not None:
            is_certain = has_one_end and receiver.where == self._where
            for name, value, known in _attributes_of(inner):
                old = receiver.fields.get(name, CLEAN)
                receiver.fields[name] = value if is_certain else join(old, value)
                is_kept = is_certain or is_same(receiver.held.get(name), known)
                receiver.held.pop(name, None)
                if known is not None and is_kept:
                    receiver.held[name] = known
        elif callee.is_own:
            for name, value, known in _attributes_of(inner):
                before = self._values.known.get(f"self.{name}")
                self._set(f"self.{name}", value if has_one_end else join(self._known(f"self.{name}"), value))
                if known is not None and (has_one_end or is_same(before, known)):
                    self._values.known[f"self.{name}"] = known

    def _answer_of(self, inner: Walks, callee: ResolvedCallee, node: ast.Call) -> Value:
        self._fresh[node] = None
        known = inner._returned[0] if inner._returned is not None else None
        if known is not None:
            self._answers[node] = known
        if inner._summary.gives_self and callee.receiver is not None:
            self._fresh[node] = callee.receiver
            return callee.receiver.whole
        if inner._summary.made is not None:
            self._fresh[node] = inner._summary.made
        return inner._summary.returned

    def _construct(self, cls: ProjectClass, node: ast.Call, given: Sequence[Value], named: Named) -> Instance:
        """Make an object: what its constructor, or its declared fields, keep of the arguments."""
        made = Instance(cls, {}, self._where)
        found = cls.method("__init__")
        if found is not None:
            holder, function = found
            callee = ResolvedCallee(holder.flow, function, made, skips=True)
            if self._walked(callee, node, given, named) is None:
                self._enter(callee, holder.flow.summary(function), node, given, named)
            self._answers.pop(node, None)
            self._fresh[node] = None
            return made
        fields = dict(zip(cls.fields, given, strict=False))
        fields.update({keyword.arg: value for keyword, value in named if keyword.arg is not None})
        sources = dict(zip(cls.fields, node.args, strict=False))
        sources.update({keyword.arg: keyword.value for keyword, _ in named if keyword.arg is not None})
        for name, source in sources.items():
            known = self._knowledge(source)
            if isinstance(known, Exactly):
                made.held[name] = known
        spread = join(*(value for keyword, value in named if keyword.arg is None))
        if spread:
            made.held.clear()
            fields.update({name: join(fields.get(name, CLEAN), spread) for name in cls.fields})
        made.fields = fields
        return made


def _defaults(function: FunctionNode) -> Iterator[tuple[str, ast.expr]]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    first = len(positional) - len(arguments.defaults)
    yield from (
        (one.arg, default) for one, default in zip(positional[first:], arguments.defaults, strict=True)
    )
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield one.arg, default


def _attributes_of(inner: Walks) -> Iterator[tuple[str, Value, Known | None]]:
    """The attributes of its object as a walk leaves them, with what is certain of them."""
    for key, value in inner._values.items():
        name = key.removeprefix("self.")
        if key.startswith("self.") and name.isidentifier():
            known = inner._values.known.get(key)
            whole = join(value, known.whole) if isinstance(known, Held) else value
            yield name, whole, known
