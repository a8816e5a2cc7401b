"""Edits of calls: arguments, keyword arguments that are passed elsewhere, methods and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from wardround.authoring.repair.module_code import similar_names
from wardround.authoring.repair.operators.applicability import at_called, at_object, at_value
from wardround.authoring.repair.operators.family import OperatorFamily
from wardround.authoring.repair.operators.site import Edit, Site
from wardround.languages.python.module import last_name
from wardround.text.search_terms import parts

CALLS = OperatorFamily()

_RELATED_METHODS = (
    ("strip", "lstrip", "rstrip"), ("startswith", "endswith"), ("append", "extend", "insert", "add"),
    ("find", "rfind", "index", "rindex"), ("split", "rsplit", "splitlines", "partition", "rpartition"),
    ("items", "values", "keys"), ("lower", "upper", "casefold", "title", "capitalize"),
    ("encode", "decode"), ("match", "search", "fullmatch", "findall", "finditer", "sub"),
    ("isdigit", "isdecimal", "isnumeric"), ("update", "setdefault", "add"),
    ("pop", "popitem", "popleft", "remove", "discard"), ("get", "pop", "setdefault"),
    ("isalnum", "isalpha", "isidentifier"), ("union", "intersection", "difference", "update"),
    ("ljust", "rjust", "center"), ("read", "readline", "readlines"), ("copy", "deepcopy"),
    ("sort", "reverse"), ("group", "groups", "groupdict"), ("replace", "sub", "translate"),
)  # fmt: skip
_RELATED_FUNCTIONS = (
    ("any", "all"), ("min", "max"), ("isinstance", "issubclass"), ("range", "enumerate"),
    ("sorted", "reversed", "list"), ("str", "repr"), ("int", "float", "round"), ("getattr", "hasattr"),
    ("zip", "zip_longest"), ("list", "tuple", "set"), ("ceil", "floor", "round"), ("sum", "len"),
)  # fmt: skip
_APPENDED = (
    ".strip()", ".lower()", ".encode()", ".decode()", ".copy()", ".items()", ".keys()", ".values()",
    ".rstrip()", ".lstrip()", ".split()", ".upper()", ".encode('utf-8')", ".decode('utf-8')", "()",
    ".casefold()", ".splitlines()",
)  # fmt: skip
_KNOWN_KEYWORDS: Mapping[str, Sequence[str]] = {
    "open": ("encoding='utf-8'", "newline=''", "errors='replace'", "errors='ignore'"),
    "read_text": ("encoding='utf-8'",), "write_text": ("encoding='utf-8'",),
    "encode": ("errors='replace'", "errors='ignore'"), "decode": ("errors='replace'", "errors='ignore'"),
    "dumps": ("default=str", "ensure_ascii=False", "sort_keys=True"),
    "dump": ("default=str", "ensure_ascii=False", "sort_keys=True"),
    "sorted": ("key=str", "reverse=True"), "sort": ("key=str", "reverse=True"),
    "max": ("default=None", "default=0", "key=len"), "min": ("default=None", "default=0", "key=len"),
    "sub": ("count=1", "flags=re.IGNORECASE"), "compile": ("flags=re.DOTALL", "flags=re.IGNORECASE"),
    "split": ("maxsplit=1",), "rsplit": ("maxsplit=1",), "enumerate": ("start=1",),
    "parse_qs": ("keep_blank_values=True",), "parse_qsl": ("keep_blank_values=True",),
    "quote": ("safe=''",), "mkdir": ("parents=True", "exist_ok=True"), "makedirs": ("exist_ok=True",),
    "copytree": ("dirs_exist_ok=True", "symlinks=True"), "rmtree": ("ignore_errors=True",),
    "unlink": ("missing_ok=True",), "warn": ("stacklevel=2", "stacklevel=3"),
    "signature": ("follow_wrapped=False",), "splitlines": ("keepends=True",),
}  # fmt: skip
_MOST_ALTERNATIVES = 10


@CALLS.at(ast.Call)
def swap_arguments(site: Site) -> Iterator[Edit]:
    assert isinstance(site.node, ast.Call)
    arguments = site.node.args
    for first, second in pairwise(arguments):
        start, _ = site.function.module.span(first)
        _, end = site.function.module.span(second)
        yield Edit(start, end, f"{site.text(second)}, {site.text(first)}")


@CALLS.at(ast.Call)
def remove_argument(site: Site) -> Iterator[Edit]:
    assert isinstance(site.node, ast.Call)
    texts = _argument_texts(site)
    for place in reversed(range(len(texts))):
        yield _with_arguments(site, [*texts[:place], *texts[place + 1 :]])


@CALLS.at(ast.Call)
def add_seen_keyword(site: Site) -> Iterator[Edit]:
    """Pass a keyword argument that other calls of the same name pass."""
    assert isinstance(site.node, ast.Call)
    known = {keyword.arg for keyword in site.node.keywords}
    for text in site.project.keywords.get(last_name(site.node.func), ())[: 2 * _MOST_ALTERNATIVES]:
        if text.partition("=")[0].strip() not in known:
            yield _with_arguments(site, [*_argument_texts(site), text])


@CALLS.at(ast.Call)
def add_known_keyword(site: Site) -> Iterator[Edit]:
    """Pass a keyword argument that functions of this name in the standard library often get."""
    assert isinstance(site.node, ast.Call)
    known = {keyword.arg for keyword in site.node.keywords}
    for text in _KNOWN_KEYWORDS.get(last_name(site.node.func), ()):
        if text.partition("=")[0] not in known:
            yield _with_arguments(site, [*_argument_texts(site), text])


@CALLS.at(ast.Call)
def replace_keyword_value(site: Site) -> Iterator[Edit]:
    """Pass the value that other calls of the same name pass for a keyword, or a variable of its name."""
    assert isinstance(site.node, ast.Call)
    elsewhere = site.project.keywords.get(last_name(site.node.func), ())
    for keyword in site.node.keywords:
        own = site.text(keyword)
        alike = [text for text in elsewhere if text.partition("=")[0].strip() == keyword.arg]
        for text in (*alike[:5], f"{keyword.arg}={keyword.arg}", f"{keyword.arg}=self.{keyword.arg}"):
            if keyword.arg is not None and text != own:
                yield site.replace(keyword, text)


@CALLS.at(ast.Call)
def pass_parameter(site: Site) -> Iterator[Edit]:
    """Pass a variable to the parameter of the same name, or an attribute of ``self``."""
    assert isinstance(site.node, ast.Call)
    known = {keyword.arg for keyword in site.node.keywords} | set(map(last_name, site.node.args))
    parameters = site.project.parameters.get(last_name(site.node.func), ())
    for name in parameters:
        for value in (name, f"self.{name}"):
            if name not in known and value in site.function.name_lines:
                yield _with_arguments(site, [*_argument_texts(site), f"{name}={value}"])


@CALLS.at(ast.Call)
def pass_own_parameter(site: Site) -> Iterator[Edit]:
    """Pass a parameter of the function on, by its name or with a star."""
    assert isinstance(site.node, ast.Call)
    own = site.function.node.args
    texts = _argument_texts(site)
    for star, argument in (("*", own.vararg), ("**", own.kwarg)):
        if argument is not None and f"{star}{argument.arg}" not in texts:
            yield _with_arguments(site, [*texts, f"{star}{argument.arg}"])
    for name in site.function.parameters:
        if name not in texts and f"{name}={name}" not in texts:
            yield _with_arguments(site, [*texts, f"{name}={name}"])


@CALLS.at(ast.Call)
def add_argument(site: Site) -> Iterator[Edit]:
    """Pass one more variable, constant or limit at the end of the positional arguments."""
    assert isinstance(site.node, ast.Call)
    texts = _argument_texts(site)
    place = len(site.node.args)
    for name in (*site.names[:6], "1", "None", "True", "False"):
        yield _with_arguments(site, [*texts[:place], name, *texts[place:]])


def _argument_texts(site: Site) -> list[str]:
    assert isinstance(site.node, ast.Call)
    return [*map(site.text, site.node.args), *map(site.text, site.node.keywords)]


def _with_arguments(site: Site, texts: Sequence[str]) -> Edit:
    """Return the edit of everything between the parentheses of a call."""
    assert isinstance(site.node, ast.Call)
    _, start = site.function.module.span(site.node.func)
    _, end = site.function.module.span(site.node)
    between = site.function.module.text[start:end]
    opening = start + between.index("(")
    return Edit(opening, end, f"({', '.join(texts)})")


@CALLS.at(ast.Attribute, where=at_called)
def replace_method(site: Site) -> Iterator[Edit]:
    """Call a related method of the built-in types."""
    assert isinstance(site.node, ast.Attribute)
    for other in _related_names(site.node.attr, _RELATED_METHODS):
        yield site.replace(site.node, f"{site.primary(site.node.value)}.{other}")


@CALLS.at(ast.Name, where=at_called)
def replace_function(site: Site) -> Iterator[Edit]:
    """Call a related built-in function, or a function of the module with a similar name."""
    assert isinstance(site.node, ast.Name)
    related = _related_names(site.node.id, _RELATED_FUNCTIONS)
    for other in (*related, *_similar_globals(site, site.node.id)):
        yield site.replace(site.node, other)


def _related_names(name: str, groups: Sequence[Sequence[str]]) -> Sequence[str]:
    found = [other for group in groups if name in group for other in group if other != name]
    return list(dict.fromkeys(found))


def _similar_globals(site: Site, name: str) -> Sequence[str]:
    return similar_names(name, site.function.module.global_names)[:_MOST_ALTERNATIVES]


@CALLS.at(ast.Name, where=at_object)
def replace_global(site: Site) -> Iterator[Edit]:
    """Use a constant, class or exception of the module with a similar name."""
    assert isinstance(site.node, ast.Name)
    if site.node.id in site.function.module.global_names:
        for other in _similar_globals(site, site.node.id):
            yield site.replace(site.node, other)


@CALLS.at(ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, where=at_object)
def append_call(site: Site) -> Iterator[Edit]:
    """Convert a value by a method of strings, bytes or mappings, or call it."""
    for method in _APPENDED:
        yield site.replace(site.expression, f"{site.primary(site.expression)}{method}")


@CALLS.at(ast.Call)
def remove_method_call(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.Call(func=ast.Attribute(value=value)) if not isinstance(site.parent, ast.Expr):
            yield site.replace_loosely(site.node, site.operand(value))


@CALLS.at(ast.Call)
def remove_call(site: Site) -> Iterator[Edit]:
    """Use the function instead of its result."""
    assert isinstance(site.node, ast.Call)
    if not isinstance(site.parent, ast.Expr) and not site.node.args:
        yield site.replace(site.node, site.text(site.node.func))


@CALLS.at(ast.Attribute, where=at_value)
def attribute_to_getattr(site: Site) -> Iterator[Edit]:
    assert isinstance(site.node, ast.Attribute)
    value = site.text(site.node.value)
    for default in ("None", "''", value, "False"):
        yield site.replace(site.node, f"getattr({value}, {site.node.attr!r}, {default})")


@CALLS.at(ast.Name)
def class_to_own_type(site: Site) -> Iterator[Edit]:
    """Use the class of the object, which a subclass inherits, instead of a named one."""
    assert isinstance(site.node, ast.Name)
    if site.function.class_name.rpartition(".")[2] == site.node.id:
        is_class_method = site.function.node.args.args[:1] and site.function.node.args.args[0].arg == "cls"
        for other in ("cls",) if is_class_method else ("self.__class__", "type(self)"):
            yield site.replace(site.node, other)


@CALLS.at(ast.Call)
def call_method_of_self(site: Site) -> Iterator[Edit]:
    """Call a method of the class with a similar name, or the inherited one."""
    match site.node:
        case ast.Call(func=ast.Attribute(value=ast.Name("self" | "cls") as owner, attr=name) as function):
            methods = _methods(site)
            own = set(parts(name))
            for other in sorted(methods, key=lambda method: (-len(own & set(parts(method))), method)):
                if other not in (name, site.function.node.name):
                    yield site.replace(function, f"{owner.id}.{other}")
            yield site.replace(function, f"super().{name}")


def _methods(site: Site) -> Sequence[str]:
    """Return the methods of the class, without special ones."""
    owner = site.function.class_name
    own = [function.node.name for function in site.function.module.functions if function.class_name == owner]
    return [name for name in dict.fromkeys(own) if not name.startswith("__")]


@CALLS.at(ast.Name, ast.Attribute, ast.Subscript, ast.Call, where=at_object)
def convert_by_project(site: Site) -> Iterator[Edit]:
    """Pass a value through a function or a method of one parameter that similar functions call."""
    if not isinstance(site.parent, ast.Attribute):
        for function in _converters(site)[:_MOST_ALTERNATIVES]:
            yield site.replace(site.expression, f"{function}({site.text(site.expression)})")


def _converters(site: Site) -> Sequence[str]:
    """Return the functions that this and similar functions call with one argument."""
    found: dict[str, None] = {}
    for function in (site.function, *site.project.similar_functions(site.function)[:4]):
        for node in function.nodes:
            match node:
                case ast.Call(
                    func=ast.Name() | ast.Attribute(value=ast.Name()) as called, args=[_], keywords=[]
                ):
                    found[function.module.source(called)] = None
    known = site.function.module.global_names
    return [name for name in found if name.partition(".")[0] in (*known, "self")]
