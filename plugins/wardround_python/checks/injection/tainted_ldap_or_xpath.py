"""PY310."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedLdapOrXpath(TaintedCheck):
    """Data from the request becomes part of an LDAP filter or an XPath expression.

    A parenthesis or a quote in the value changes the question, so a login matches everybody or reads what it
    was not meant to. Escape the value (``ldap.filter.escape_filter_chars``), or hand it over as a variable.
    """

    ID = "PY310"
    NAME = "tainted-ldap-or-xpath"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "query-injection"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding"
    )
    DANGER = SinkKind.LDAP | SinkKind.XPATH
    MESSAGE = "data from the request becomes part of the expression that is looked up"
    WORDS = ("search", "XPath", "xpath", "find", "elementpath", "bind", "ldap3")
    VALID: ClassVar[Sequence[str | Valid]] = [
        "from ldap.filter import escape_filter_chars\ndef find(request, connection):\n"
        "    name = escape_filter_chars(request.GET['name'])\n"
        "    return connection.search_s('dc=example', 2, f'(uid={name})')\n",
        "def find(request, tree):\n    return tree.xpath('//user[@name=$name]', name=request.GET['name'])\n",
        "def find(request, tree):\n    name = request.GET['name']\n"
        '    if "\'" in name:\n        raise ValueError(name)\n'
        "    return tree.xpath(f\"//user[@name='{name}']\")\n",
        "from ldap.filter import escape_filter_chars\ndef find(request, link):\n"
        "    asked = {'sn': request.GET.get('sn'), 'cn': request.GET.get('cn')}\n"
        "    terms = [f'({one}={escape_filter_chars(value)})' for one, value in asked.items()]\n"
        "    return link.search_s('dc=example', 2, '(&' + ''.join(terms) + ')')\n",
        "KINDS = ('team', 'list')\ndef find(request, tree):\n    kind = request.GET['kind']\n"
        "    if kind not in KINDS:\n        raise ValueError(kind)\n"
        "    return tree.xpath(f'//{kind}/name')\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def find(request, tree):\n    name = request.GET['name'].replace('\"', '')\n"
            "    return tree.xpath(f\"//user[@name='{name}']\")\n",
            line=3,
            column=23,
        ),
        Invalid(
            "import ldap\ndef find(request):\n    link = ldap.initialize('ldap://example')\n"
            "    return link.search(f'uid={request.GET[\"name\"]},dc=example', ldap.SCOPE_BASE)\n",
            line=4,
            column=24,
        ),
        Invalid(
            "from lxml import etree\ndef find(request, tree):\n    look = etree.XPathEvaluator(tree)\n"
            "    return look('//user[@name=\"' + request.GET['name'] + '\"]')\n",
            line=4,
            column=17,
        ),
        Invalid(
            "def find(name, connection):\n"
            "    return connection.search_s('dc=example', 2, '(uid={})'.format(name))\n\n"
            "def page(request, connection):\n    return find(request.GET['name'], connection)\n",
            line=2,
            column=49,
        ),
        Invalid(
            "def find(request, tree):\n    return tree.xpath(f\"//user[@name='{request.GET['name']}']\")\n",
            line=2,
            column=23,
        ),
        Invalid(
            "from lxml import etree\n\ndef find(request, tree):\n    values = {'name': request.GET['name']}\n"
            "    return etree.XPath(\"//user[@name='%(name)s']\" % values)(tree)\n",
            line=5,
            column=24,
        ),
    ]
