"""TS360: public cloud resource."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
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
        for node, message in self._set():
            if not self.reader.is_for_development(node):
                self.report_node(node, message)

    def _message(self, name: str, arguments: list[Node]) -> str | None:
        """Return the message for a call that opens a resource; None for other calls."""
        if _OPENS.search(name) and self._is_open_port(name, arguments):
            return "port is open to any address on the internet; list the allowed addresses"
        if _GRANTS_ALL.search(name):
            return "bucket is publicly readable; remove the public grant"
        if not arguments:
            return None
        if _STATEMENT.search(name):
            return self._statement_message(arguments[0])
        if name.endswith("fromAwsManagedPolicyName") and _ADMIN.search(self.text(arguments[0])):
            return _ALLOWS_ALL
        return None

    def _statement_message(self, statement: Node) -> str | None:
        if self._allows_all(statement):
            return _ALLOWS_ALL
        if self._admits_anyone(statement):
            return "policy admits any account; name the principals"
        return None

    def _is_open_port(self, name: str, arguments: list[Node]) -> bool:
        text = [self.text(self.reader.scope.resolved(one)) for one in arguments]
        is_anybody = "AnyIpv4" in name or (bool(text) and _ANYBODY.search(text[0]) is not None)
        return is_anybody and not any(_WEB.search(one) for one in text)

    def _allows_all(self, statement: Node) -> bool:
        effect = self.reader.option(statement, "effect")
        if effect is not None and self.text(effect).endswith("DENY"):
            return False
        actions, resources = (
            self.text(
                self.reader.option(statement, key) or self.reader.option(statement, key.capitalize()[:-1])
            ).replace('"', "'")
            for key in _LISTED
        )
        return resources in _ALL and (actions in _ALL or _WHOLE_SERVICE.search(actions) is not None)

    def _admits_anyone(self, statement: Node) -> bool:
        effect, conditions = (
            self.reader.option(statement, "effect"),
            self.reader.option(statement, "conditions"),
        )
        principals = self.text(self.reader.option(statement, "principals"))
        is_denied = effect is not None and self.text(effect).endswith("DENY")
        return _ANYONE.search(principals) is not None and conditions is None and not is_denied

    def _json_statements(self) -> Iterator[Node]:
        """Report statements of policies in JSON."""
        for pair in self.code.kinds("pair"):
            statement = pair.parent
            if self.code.field(pair, "key").strip("'\"") != "Action" or statement is None:
                continue
            if "'Deny'" not in self.text(statement).replace('"', "'") and self._allows_all(statement):
                yield statement

    def _set(self) -> Iterator[tuple[Node, str]]:
        for pair in self.code.kinds("pair"):
            key, value = self.code.field(pair, "key").strip("'\""), pair.child_by_field_name("value")
            if key in _SETTINGS and value is not None:
                is_bad, message = _SETTINGS[key]
                if is_bad.search(self.text(self.reader.scope.resolved(value))):
                    yield pair, message
            elif key in ("cidrBlocks", "ipv6CidrBlocks") and _ANYBODY.search(self.text(value)):
                rule = pair.parent
                is_port = "fromPort" in self.text(rule) and not _WEB.search(self.text(rule))
                if rule is not None and is_port and "egress" not in self.reader.names_around(pair):
                    yield rule, "port is open to any address on the internet; list the allowed addresses"
