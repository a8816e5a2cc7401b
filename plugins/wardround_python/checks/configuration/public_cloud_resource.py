from __future__ import annotations

import ast

from wardround.findings import Plane
from wardround.languages.python.literals import entries, literal, settings_in
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

# Canned access control lists of S3 and of Google Cloud Storage.
_OPEN_LISTS = frozenset(
    {"public-read", "public-read-write", "authenticated-read", "publicRead", "publicReadWrite"}
)
_LIST = LazyPattern(r"(?i)^(canned_?)?acl$|^predefined_(default_object_)?acl$|^access_control$")
# Options that enable encryption.
_ENCRYPTED = frozenset(
    {
        "StorageEncrypted", "storage_encrypted", "Encrypted", "encrypted", "at_rest_encryption_enabled",
        "encryption_at_rest", "kms_encrypted", "AtRestEncryptionEnabled", "TransitEncryptionEnabled",
        "transit_encryption_enabled", "server_side_encryption_enabled", "enforce_ssl",
    }
)  # fmt: skip
_CLOUDS = frozenset({"aws_cdk", "boto3", "pulumi", "pulumi_aws", "troposphere", "aiobotocore", "cdktf"})
_SWITCHES = {
    "PubliclyAccessible": True, "publicly_accessible": True, "public_read_access": True,
    "BlockPublicAcls": False, "IgnorePublicAcls": False, "BlockPublicPolicy": False,
    "RestrictPublicBuckets": False, "block_public_acls": False, "ignore_public_acls": False,
    "block_public_policy": False, "restrict_public_buckets": False,
}  # fmt: skip
_RANGES = frozenset(
    {"CidrIp", "CidrIpv6", "cidr_ip", "cidr_blocks", "cidr_ipv4", "cidr_ipv6", "source_ranges"}
)
_ALL_ADDRESSES = frozenset({"0.0.0.0/0", "::/0"})
_WEB_PORTS = frozenset({80, 443})
_PUBLIC_PRINCIPALS = frozenset({"allUsers", "allAuthenticatedUsers"})
_OUTGOING = LazyPattern(r"(?i)egress|outbound")


_PUBLIC_OBJECTS = "the stored objects are public; use a private access list"
_PUBLIC_PORT = "every address may connect to this port; restrict the source range"
_PUBLIC_POLICY = "this policy allows every account; name the principals"
_KEYWORD_MESSAGES: dict[tuple[str, object], str] = {
    ("AuthType", "NONE"): "this function accepts unauthenticated calls; require IAM",
    ("Principal", "*"): _PUBLIC_POLICY,
}


class PublicCloudResource(PythonCheck):
    """A cloud resource is public or unencrypted: a bucket, database, queue or port.

    Anyone who finds the address, or the disk, reads it, and with some of these settings writes it too.
    Name the accounts that may access it; share single files by signed URLs, and keep public content in a
    bucket of its own.
    """

    ID = "PY346"
    NAME = "public-cloud-resource"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "public-cloud-resource"
    WORDS = (
        "public-read", "authenticated-read", "publicRead", '"Principal"', "'Principal'", "Principal=",
        "ubliclyAccessible", "publicly_accessible", "public_read_access", "BlockPublic", "block_public",
        "public_access_block", "0.0.0.0/0", "::/0", "any_ipv4", "make_public", "allUsers",
        "allAuthenticatedUsers", "grant_read", "public_access", "AuthType",
        "ncrypted=False", "ncrypted\": False",
        "encryption_enabled=False", "EncryptionEnabled", "enforce_ssl", '"Action"', "'Action'",
    )  # fmt: skip
    VALID = [
        code("""
            s3.put_object(Bucket='b', Key='k', Body=b'', ACL='private')
        """),
        code("""
            RULE = {'Effect': 'Deny', 'Principal': '*', 'Action': 's3:*', 'Resource': arn}
        """),
    ]
    INVALID = [
        code("""
            s3.put_object(Bucket='b', Key='k', Body=b'', «ACL='public-read'»)
        """),
        code("""
            OPEN = 'public-read-write'
            def make(s3, name):
                s3.create_bucket(Bucket=name, «ACL=OPEN»)
        """),
    ]

    def visit_keyword(self, node: ast.keyword) -> None:
        self._check_settings(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        self._check_settings(node)
        statement = entries(node)
        if literal(self.module, statement.get("Effect")) == "Allow" and "Condition" not in statement:
            if self._is_public_principal(statement.get("Principal")):
                self.report(self.module.span(node), _PUBLIC_POLICY)
            elif "Principal" not in statement and self._is_unrestricted(statement):
                self.report(
                    self.module.span(node), "this allows every action on every resource; list the actions"
                )

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and node.value in _PUBLIC_PRINCIPALS and self._is_granted(node):
            self.report(self.module.span(node), f"{node.value} makes this public; grant it to named accounts")

    def visit_Call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Attribute):
            return
        method = node.func.attr
        if method in {"make_public", "delete_public_access_block"} or (
            method == "grant_read" and unparse(node.func.value).endswith(".all()")
        ):
            self.report(self.module.span(node), "this makes the object public; use a signed URL")
        elif method in {"add_ingress_rule", "allow_from"} and node.args:
            peer = unparse(node.args[0])
            is_any = peer.endswith(("any_ipv4()", "any_ipv6()"))
            if is_any and not self._is_web(node) and "internet" not in unparse(node.func.value):
                self.report(
                    self.module.span(node),
                    _PUBLIC_PORT,
                )

    def _check_settings(self, node: ast.keyword | ast.Dict) -> None:
        for name, value, reported in settings_in(node):
            message = self._message(name, value, node)
            if message is not None and not isinstance(reported, ast.stmt):
                self.report(self.module.span(reported), message)

    def _message(self, name: str, value: ast.expr, node: ast.keyword | ast.Dict) -> str | None:
        constant = literal(self.module, value)
        if name in _ENCRYPTED and constant is False:
            return "encryption is disabled here; enable it" if self._uses_cloud() else None
        if name in _SWITCHES:
            is_public = constant is _SWITCHES[name]
            return "this setting makes the resource public; restrict the access" if is_public else None
        if _LIST.search(name):
            return _PUBLIC_OBJECTS if constant in _OPEN_LISTS else None
        public_part = self._public_part(name, value, node)
        if public_part is None and isinstance(node, ast.keyword):
            return _KEYWORD_MESSAGES.get((name, constant))
        return public_part

    def _public_part(self, name: str, value: ast.expr, node: ast.keyword | ast.Dict) -> str | None:
        """Return the message for ports or objects that a value opens to everybody."""
        if name in _RANGES and self._covers_all(value) and not self._is_web(node):
            return _PUBLIC_PORT
        if name == "public_access" and self._is_open_container(value):
            return _PUBLIC_OBJECTS
        return None

    def _uses_cloud(self) -> bool:
        return any(name.partition(".")[0] in _CLOUDS for name in self.module.imported.values())

    def _covers_all(self, value: ast.expr) -> bool:
        parts = value.elts if isinstance(value, (ast.List, ast.Tuple, ast.Set)) else [value]
        return any(literal(self.module, part) in _ALL_ADDRESSES for part in parts)

    def _is_open_container(self, value: ast.expr) -> bool:
        named = unparse(value).rpartition(".")[2].strip("'\"").lower()
        return named in {"blob", "container"} and not isinstance(value, ast.Name)

    def _is_public_principal(self, principal: ast.expr | None) -> bool:
        if literal(self.module, principal) == "*":
            return True
        return any(
            literal(self.module, element) == "*"
            for kind, value in entries(principal).items()
            if kind == "AWS"
            for element in (value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value])
        )

    def _is_unrestricted(self, statement: dict[str, ast.expr]) -> bool:
        scopes = (statement.get("Action"), statement.get("Resource"))
        parts = [scope.elts[0] if isinstance(scope, ast.List) and scope.elts else scope for scope in scopes]
        return all(literal(self.module, part) in {"*", "*:*"} for part in parts)

    def _is_web(self, node: ast.AST) -> bool:
        """Return True if a rule is for the public ports of the web, or for outgoing traffic."""
        for parent in (node, *self.module.ancestors(node)):
            if _is_outgoing(parent):
                return True
            ports = self._literal_ports(parent)
            if ports:
                return all(port in _WEB_PORTS for port in ports)
            if isinstance(parent, ast.keyword) and _OUTGOING.search(parent.arg or ""):
                return True
            if isinstance(parent, ast.stmt):
                return False
        return False

    def _literal_ports(self, node: ast.AST) -> list[object]:
        """Return the values of the ports that a call or a mapping names."""
        named = [value for name, value in _options(node).items() if name.lower() in _FIRST_PORT]
        return [literal(self.module, port) for port in (*named, *_ports(node))]

    def _is_granted(self, node: ast.AST) -> bool:
        """Return True if a role is granted to a public principal."""
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Compare):
                return False
            if isinstance(parent, (ast.Dict, ast.Set, ast.List, ast.keyword)):
                return True
            if isinstance(parent, ast.Call):
                return isinstance(parent.func, ast.Attribute) and parent.func.attr in {"add", "append"}
            if isinstance(parent, ast.stmt):
                return False
        return False


_FIRST_PORT = frozenset({"fromport", "from_port"})


def _keyword_values(node: ast.AST) -> dict[str, ast.expr]:
    return {k.arg: k.value for k in node.keywords if k.arg is not None} if isinstance(node, ast.Call) else {}


def _ports(node: ast.AST) -> list[ast.expr]:
    """Return the ports that CDK's ``Port.tcp(443)`` names among the arguments of a call."""
    scopes = node.args[1:] if isinstance(node, ast.Call) else []
    return [
        scope.args[0]
        for scope in scopes
        if isinstance(scope, ast.Call) and scope.args and ".tcp" in unparse(scope.func)
    ]


def _options(node: ast.AST) -> dict[str, ast.expr]:
    """Return the named values of a dict or a call."""
    return {**entries(node), **_keyword_values(node)} if isinstance(node, (ast.Dict, ast.Call)) else {}


def _is_outgoing(node: ast.AST) -> bool:
    """Return True for a call or dict of a rule for outgoing traffic."""
    text = unparse(node) if isinstance(node, ast.Call) else ""
    if _OUTGOING.search(text.partition("(")[0]):
        return True
    return any(name.lower().startswith("egress") for name in _options(node))
