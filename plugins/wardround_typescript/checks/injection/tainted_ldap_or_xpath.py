from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedLdapOrXpath(TreeCheck):
    """Request data becomes part of an LDAP filter or an XPath expression.

    A star or a quote in the value changes the query: it lists all users, or tests passwords by prefix. Escape
    the value, or reject anything but a plain name.
    """

    ID = "TS316"
    NAME = "tainted-ldap-or-xpath"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "query-injection"
    SINK = TaintedSink(
        kinds=("LDAP", "XPATH"),
        message="request data becomes part of an LDAP filter or an XPath expression; escape it",
    )
    WORDS = ("ldap", "xpath", "libxml", "XPath")
    VALID = [
        code(r"""
            const ldap = require('ldapjs');
            app.get('/u', (req, res) => {
              if (!/^\w+$/.test(req.query.name)) return res.sendStatus(400);
              client.search(BASE, { filter: `(uid=${req.query.name})` }, () => res.end());
            });
        """),
        code("""
            const ldap = require('ldapjs');
            app.get('/u', (req, res) => {
              const filter = new ldap.EqualityFilter({ attribute: 'uid', value: req.query.name });
              client.search(BASE, { filter }, () => res.end());
            });
        """),
    ]
    INVALID = [
        code("""
            const ldap = require('ldapjs');
            app.get('/u', (req, res) => {
              client.search(BASE, { filter: «`(uid=${req.query.name})`», scope: 'sub' }, () => res.end());
            });
        """),
        code("""
            import xpath from 'xpath';
            app.get('/u', (req, res) => {
              const found = xpath.select(«`//user[@name='${req.query.name}']`», doc);
              res.json(found.length);
            });
        """),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
