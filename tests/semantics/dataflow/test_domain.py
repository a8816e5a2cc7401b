"""The operations of the taint domain."""

from __future__ import annotations

from enum import IntFlag, auto

from wardround.semantics.dataflow.domain import Taint, extend, join, only, without
from wardround.semantics.dataflow.state import joined_taints, sanitized_by_all, sanitized_by_any
from wardround.semantics.dataflow.summaries import Summary


class _Kind(IntFlag):
    SQL = auto()
    HTML = auto()
    PAGE = auto()


_SQL: Taint[_Kind] = {"request": _Kind.SQL}
_HTML: Taint[_Kind] = {"request": _Kind.HTML, "archive": _Kind.HTML}


def test_join_keeps_the_kinds_of_both_values() -> None:
    assert join(_SQL, {}, _HTML) == {"request": _Kind.SQL | _Kind.HTML, "archive": _Kind.HTML}
    assert join({}, {}) == {}


def test_join_leaves_its_arguments_unchanged() -> None:
    join(_SQL, _HTML)
    assert _SQL == {"request": _Kind.SQL}


def test_a_sanitized_origin_without_kinds_is_dropped() -> None:
    assert without(_HTML, _Kind.HTML) == {}
    assert without(join(_SQL, _HTML), _Kind.HTML) == _SQL


def test_only_restricts_to_the_kinds() -> None:
    assert only(join(_SQL, _HTML), _Kind.SQL) == _SQL


def test_extended_adds_a_kind_where_another_is_present() -> None:
    assert extend(_HTML, _Kind.PAGE, _Kind.HTML)["archive"] == _Kind.HTML | _Kind.PAGE
    assert extend(_SQL, _Kind.PAGE, _Kind.HTML) == _SQL


def test_states_are_joined_name_by_name() -> None:
    joined = joined_taints({"a": _SQL, "b": _SQL}, {"b": _HTML, "c": _HTML})
    assert joined == {"a": _SQL, "b": join(_SQL, _HTML), "c": _HTML}


def test_guards_sanitize_what_one_of_them_or_all_of_them_show() -> None:
    guards = [{"name": _Kind.SQL | _Kind.HTML, "other": _Kind.SQL}, {"name": _Kind.HTML}]
    assert sanitized_by_any(guards) == {"name": _Kind.SQL | _Kind.HTML, "other": _Kind.SQL}
    assert sanitized_by_all(guards) == {"name": _Kind.HTML}


def test_a_summary_joins_what_is_returned_and_stored() -> None:
    summary: Summary[_Kind, str] = Summary()
    summary.returns(_SQL)
    summary.returns(_HTML)
    summary.store("session.next", _SQL)
    summary.reach("parameter:name", "execute")
    assert summary.returned == join(_SQL, _HTML)
    assert summary.stores == {"session.next": _SQL}
    assert summary.reaches == {"name": {"execute": None}}
