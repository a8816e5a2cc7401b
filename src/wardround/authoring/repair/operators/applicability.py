"""Where an operator applies, beyond the kind of the node."""

from __future__ import annotations

import ast

from wardround.authoring.repair.operators.site import Site

_EFFECTS = (ast.Expr, ast.Starred, ast.JoinedStr, ast.withitem, ast.Raise)
"""Parents of expressions whose value cannot be exchanged."""
_USES = (ast.Return, ast.Assign, ast.AugAssign, ast.keyword, ast.Call)


def anywhere(site: Site) -> bool:
    """Return True for every site."""
    return True


def at_condition(site: Site) -> bool:
    """Return True for a complete condition."""
    return site.is_condition


def at_value(site: Site) -> bool:
    """Return True for an expression whose value is read."""
    is_stored = isinstance(getattr(site.node, "ctx", None), ast.Store | ast.Del)
    return not is_stored and not isinstance(site.parent, _EFFECTS)


def at_called(site: Site) -> bool:
    """Return True for the function of a call."""
    return isinstance(site.parent, ast.Call) and site.parent.func is site.node


def at_object(site: Site) -> bool:
    """Return True for an expression whose value is read, except the function of a call."""
    return at_value(site) and not at_called(site)


def at_used_value(site: Site) -> bool:
    """Return True for a value that is returned, assigned or passed as it is."""
    return isinstance(site.parent, _USES) and at_object(site)


def in_loop(site: Site) -> bool:
    """Return True for a statement in a loop of its function."""
    return site.loop is not None
