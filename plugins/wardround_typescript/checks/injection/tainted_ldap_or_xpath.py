"""TS316."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedLdapOrXpath(TaintedCheck):
    """Data from the request becomes part of an LDAP filter or an XPath expression.

    A star or a quote in the value makes another question of it: who is there at all, or whose password begins
    with a. Escape the value, or refuse what is no plain name.
    """

    ID = "TS316"
    NAME = "tainted-ldap-or-xpath"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "query-injection"
    DANGER = ("LDAP", "XPATH")
    MESSAGE = "data from the request becomes part of the question to a directory or a document"
    WORDS = ("ldap", "xpath", "libxml", "XPath")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "const ldap = require('ldapjs');\n"
            "app.get('/u', (req, res) => {\n"
            "  if (!/^\\w+$/.test(req.query.name)) return res.sendStatus(400);\n"
            "  client.search(BASE, { filter: `(uid=${req.query.name})` }, () => res.end());\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "import xpath from 'xpath';\n"
            "app.get('/u', (req, res) => "
            "res.json(xpath.select(`//user[@id=${Number(req.query.id)}]`, doc).length));\n",
            path="case.ts",
        ),
        Valid(
            "const ldap = require('ldapjs');\n"
            "app.get('/u', (req, res) => {\n"
            "  const filter = new ldap.EqualityFilter({ attribute: 'uid', value: req.query.name });\n"
            "  client.search(BASE, { filter }, () => res.end());\n"
            "});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const ldap = require('ldapjs');\n"
            "app.get('/u', (req, res) => {\n"
            "  client.search(BASE, { filter: `(uid=${req.query.name})`, scope: 'sub' }, () => res.end());\n"
            "});\n",
            line=3,
            column=33,
            path="case.ts",
        ),
        Invalid(
            "import xpath from 'xpath';\n"
            "app.get('/u', (req, res) => {\n"
            "  const found = xpath.select(`//user[@name='${req.query.name}']`, doc);\n"
            "  res.json(found.length);\n"
            "});\n",
            line=3,
            column=30,
            path="case.ts",
        ),
        Invalid(
            "import libxml from 'libxmljs';\n"
            "app.get('/u', (req, res) => {\n"
            "  const found = doc.get(`//u[name='${req.query.name}']`);\n"
            "  res.json(found);\n"
            "});\n",
            line=3,
            column=25,
            path="case.ts",
        ),
    ]
