from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_ANYBODY = LazyPattern(r"\bPeer\.anyIpv[46]\(\)|['\"](0\.0\.0\.0/0|::/0)['\"]")
_WEB = LazyPattern(r"Port\.(tcp\((80|443)\)|HTTPS?\b)|Port\.tcpRange\(80,|fromPort:\s*(80|443)\b")
_OPENS = LazyPattern(r"\.(addIngressRule|allowFrom|allowFromAnyIpv4|allowDefaultPortFromAnyIpv4)$")
_STATEMENT = LazyPattern(r"(^|\.)PolicyStatement$")
_GRANTS_ALL = LazyPattern(r"\.(grantPublicAccess)$")
_ADMIN = LazyPattern(r"['\"]AdministratorAccess['\"]")
_SETTINGS: dict[str, tuple[LazyPattern, str]] = {
    "publiclyAccessible": (
        LazyPattern(r"^true$"),
        "database has a public address; set publiclyAccessible to false",
    ),
    "publicReadAccess": (LazyPattern(r"^true$"), "bucket is publicly readable; remove publicReadAccess"),
    "storageEncrypted": (LazyPattern(r"^false$"), "data is stored unencrypted; enable encryption"),
    "encryption": (LazyPattern(r"\bUNENCRYPTED$"), "data is stored unencrypted; enable encryption"),
    "authType": (
        LazyPattern(r"FunctionUrlAuthType\.NONE$"),
        "function URL is public; set an authentication type",
    ),
    "blockPublicPolicy": (
        LazyPattern(r"^false$"),
        "a policy may make this bucket public; block public policies",
    ),
    "restrictPublicBuckets": (
        LazyPattern(r"^false$"),
        "a policy may make this bucket public; block public policies",
    ),
    "blockPublicAcls": (LazyPattern(r"^false$"), "an ACL may make this bucket public; block public ACLs"),
    "enforceSSL": (LazyPattern(r"^false$"), "content of the bucket may be fetched unencrypted; enforce SSL"),
    "accessControl": (
        LazyPattern(r"\.PUBLIC_READ(_WRITE)?$"),
        "bucket is publicly readable; use a private ACL",
    ),
    "acl": (
        LazyPattern(r"^['\"]public-read(-write)?['\"]$"),
        "bucket is publicly readable; use a private ACL",
    ),
    "viewerProtocolPolicy": (
        LazyPattern(r"\.ALLOW_ALL$"),
        "pages can be fetched unencrypted; redirect to HTTPS",
    ),
}
_LISTED = ("actions", "resources")
_ALL = ("['*']", "'*'")
_WHOLE_SERVICE = LazyPattern(
    r"^\[?'(iam|kms|s3|sts|secretsmanager|dynamodb|ec2|ssm|rds|lambda|sqs|sns):\*'\]?$"
)
_ANYONE = LazyPattern(r"\b(AnyPrincipal|StarPrincipal)\(|ArnPrincipal\(['\"]\*['\"]\)")
_ALLOWS_ALL = "policy allows every action on every resource; list them"
_RANGES = ("cidrBlocks", "ipv6CidrBlocks")
_OPEN_PORT = "port is open to any address on the internet; list the allowed addresses"


class PublicCloudResource(TreeCheck):
    """A cloud resource is public, or a policy grants every permission.

    A port other than 80 or 443 is open to any address, a database or bucket is public, or a policy allows
    every action on every resource: the first leaked key opens everything. List the addresses, actions and
    resources.
    """

    ID = "TS360"
    NAME = "public-cloud-resource"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "cloud-exposure"
    WORDS = ("aws-cdk", "@aws-cdk/", "@pulumi/aws", "@cdktf/")
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            import * as ec2 from 'aws-cdk-lib/aws-ec2';
            group.addIngressRule(ec2.Peer.anyIpv4(), ec2.Port.tcp(443));
            group.addIngressRule(ec2.Peer.ipv4('10.0.0.0/16'), ec2.Port.tcp(5432));
        """),
        code("""
            import * as rds from 'aws-cdk-lib/aws-rds';
            new rds.DatabaseInstance(this, 'Db', { publiclyAccessible: false, storageEncrypted: true });
        """),
    ]
    INVALID = [
        code("""
            import { PolicyDocument } from 'aws-cdk-lib/aws-iam';
            const all = PolicyDocument.fromJson({
              Statement: [«{ Effect: 'Allow', Action: '*', Resource: '*' }»],
            });
        """),
        code("""
            import * as ec2 from 'aws-cdk-lib/aws-ec2';
            «group.addIngressRule(ec2.Peer.anyIpv4(), ec2.Port.tcp(5432), 'postgres')»;
        """),
    ]

    def check(self) -> None:
        for name, node, arguments in self.reader.calls():
            message = self._message(name, arguments)
            if message is not None:
                self.report_node(node, message)
        for node in self._json_statements():
            self.report_node(node, _ALLOWS_ALL)
        for pair in self.code.kinds("pair"):
            for node, message in self._open_settings(pair):
                if not self.reader.is_for_development(node):
                    self.report_node(node, message)

    def _message(self, name: str, arguments: list[Node]) -> str | None:
        """Return the message for a call that opens a resource; None for other calls."""
        if _OPENS.search(name) and self._is_open_port(name, arguments):
            return _OPEN_PORT
        if _GRANTS_ALL.search(name):
            return "bucket is publicly readable; remove the public grant"
        if not arguments:
            return None
        if _STATEMENT.search(name):
            return self._statement_message(arguments[0])
        is_admin = name.endswith("fromAwsManagedPolicyName") and _ADMIN.search(self.text(arguments[0]))
        return _ALLOWS_ALL if is_admin else None

    def _statement_message(self, statement: Node) -> str | None:
        if self._allows_all(statement):
            return _ALLOWS_ALL
        if self._admits_anyone(statement):
            return "policy admits any account; name the principals"
        return None

    def _is_open_port(self, name: str, arguments: list[Node]) -> bool:
        texts = [self.text(self.reader.scope.resolve(argument)) for argument in arguments]
        if any(_WEB.search(text) for text in texts):
            return False
        return "AnyIpv4" in name or any(_ANYBODY.search(text) for text in texts[:1])

    def _allows_all(self, statement: Node) -> bool:
        if self._is_denial(statement):
            return False
        actions, resources = (self._key_text(statement, key) for key in _LISTED)
        return resources in _ALL and (actions in _ALL or _WHOLE_SERVICE.search(actions) is not None)

    def _is_denial(self, statement: Node) -> bool:
        return self.text(self.reader.option(statement, "effect")).endswith("DENY")

    def _key_text(self, statement: Node, key: str) -> str:
        """Return the value of a key of the library, or else of the JSON: ``actions``, ``Action``."""
        option = self.reader.option
        value = option(statement, key) or option(statement, key.capitalize()[:-1])
        return self.text(value).replace('"', "'")

    def _admits_anyone(self, statement: Node) -> bool:
        if self.reader.option(statement, "conditions") is not None or self._is_denial(statement):
            return False
        return _ANYONE.search(self.text(self.reader.option(statement, "principals"))) is not None

    def _json_statements(self) -> Iterator[Node]:
        """Report statements of policies in JSON."""
        for pair in self.code.kinds("pair"):
            statement = pair.parent
            if self.code.field(pair, "key").strip("'\"") != "Action" or statement is None:
                continue
            if "'Deny'" not in self.text(statement).replace('"', "'") and self._allows_all(statement):
                yield statement

    def _open_settings(self, pair: Node) -> Iterator[tuple[Node, str]]:
        """Yield an entry that opens a resource, with its message."""
        key = self.code.field(pair, "key").strip("'\"")
        value = pair.child_by_field_name("value")
        if value is None:
            return
        if key in _SETTINGS:
            is_bad, message = _SETTINGS[key]
            if is_bad.search(self.text(self.reader.scope.resolve(value))):
                yield pair, message
        elif key in _RANGES and _ANYBODY.search(self.text(value)):
            yield from self._open_rules(pair)

    def _open_rules(self, entry: Node) -> Iterator[tuple[Node, str]]:
        """Yield the rule for incoming connections that an address range is in."""
        rule = entry.parent
        text = self.text(rule)
        if rule is None or "fromPort" not in text or _WEB.search(text):
            return
        if "egress" not in self.reader.names_around(entry):
            yield rule, _OPEN_PORT
