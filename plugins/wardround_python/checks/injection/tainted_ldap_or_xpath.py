from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedLdapOrXpath(TaintedCheck):
    """Data from the request is part of an LDAP filter or an XPath expression.

    A parenthesis or a quote in the value changes the query, so that a login matches every account or other
    data is read. Escape the value (``ldap.filter.escape_filter_chars``), or pass it as a variable.
    """

    ID = "PY310"
    NAME = "tainted-ldap-or-xpath"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "query-injection"
    SINK = SinkKind.LDAP | SinkKind.XPATH
    MESSAGE = "data from the request is part of the query expression; escape it or pass it as a variable"
    WORDS = ("search", "XPath", "xpath", "find", "elementpath", "bind", "ldap3")
    VALID = [
        code("""
            from ldap.filter import escape_filter_chars
            def find(request, connection):
                name = escape_filter_chars(request.GET['name'])
                return connection.search_s('dc=example', 2, f'(uid={name})')
        """),
        code("""
            def find(request, tree):
                return tree.xpath('//user[@name=$name]', name=request.GET['name'])
        """),
    ]
    INVALID = [
        code("""
            def find(request, tree):
                name = request.GET['name'].replace('"', '')
                return tree.xpath(«f"//user[@name='{name}']"»)
        """),
        code("""
            import ldap
            def find(request):
                link = ldap.initialize('ldap://example')
                return link.search(«f'uid={request.GET["name"]},dc=example'», ldap.SCOPE_BASE)
        """),
    ]
