"""PY346."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.literals import entries, literal, settings_in
from wardround_python.check import PythonCheck

# The canned access lists of S3, and of Google's storage.
_OPEN_LISTS = frozenset(
    {"public-read", "public-read-write", "authenticated-read", "publicRead", "publicReadWrite"}
)
_LIST = LazyPattern(r"(?i)^(canned_?)?acl$|^predefined_(default_object_)?acl$|^access_control$")
# Storage that is written to the disk as it is.
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
_EVERYBODY = frozenset({"0.0.0.0/0", "::/0"})
_FOR_ALL = frozenset({80, 443})
_GOOGLES_ALL = frozenset({"allUsers", "allAuthenticatedUsers"})
_OUTWARD = LazyPattern(r"(?i)egress|outbound")


class PublicCloudResource(PythonCheck):
    """A bucket, a database, a queue or a port in the cloud is opened to everybody, or kept unencrypted.

    Whoever finds the address, or the disk, reads it, and with some of these settings writes it too. Name
    who may have access; hand out single files by signed addresses, and put what must be public behind its
    own bucket.
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
        self._look_at_settings(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        self._look_at_settings(node)
        statement = entries(node)
        if literal(self.module, statement.get("Effect")) == "Allow" and "Condition" not in statement:
            if self._is_everybody(statement.get("Principal")):
                self.report(self.module.span(node), "everybody is allowed this, whatever their account")
            elif "Principal" not in statement and self._is_everything(statement):
                self.report(self.module.span(node), "every action is allowed on every resource")

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and node.value in _GOOGLES_ALL and self._is_granted(node):
            self.report(self.module.span(node), f"{node.value} is everybody: anybody may use this")

    def visit_Call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Attribute):
            return
        called = node.func.attr
        if called in {"make_public", "delete_public_access_block"} or (
            called == "grant_read" and ast.unparse(node.func.value).endswith(".all()")
        ):
            self.report(self.module.span(node), "from here on everybody may read this")
        elif called in {"add_ingress_rule", "allow_from"} and node.args:
            peer = ast.unparse(node.args[0])
            is_any = peer.endswith(("any_ipv4()", "any_ipv6()"))
            if is_any and not self._is_web(node) and "internet" not in ast.unparse(node.func.value):
                self.report(self.module.span(node), "every address may connect to this port")

    def _look_at_settings(self, node: ast.keyword | ast.Dict) -> None:
        for name, value, place in settings_in(node):
            complaint = self._complaint(name, value, node)
            if complaint is not None and not isinstance(place, ast.stmt):
                self.report(self.module.span(place), complaint)

    def _complaint(self, name: str, value: ast.expr, node: ast.keyword | ast.Dict) -> str | None:
        if name in _ENCRYPTED and literal(self.module, value) is False:
            is_there = any(one.partition(".")[0] in _CLOUDS for one in self.module.imported.values())
            return "what is stored or sent here is not encrypted" if is_there else None
        if name in _SWITCHES:
            return "this is open to the internet" if literal(self.module, value) is _SWITCHES[name] else None
        if _LIST.search(name):
            is_open = literal(self.module, value) in _OPEN_LISTS
            return "everybody may read what is stored here" if is_open else None
        if name in _RANGES and self._covers_all(value) and not self._is_web(node):
            return "every address may connect to this port"
        if name == "AuthType" and isinstance(node, ast.keyword) and literal(self.module, value) == "NONE":
            return "everybody may call this"
        if name == "public_access" and self._is_open_container(value):
            return "everybody may read what is stored here"
        if isinstance(node, ast.keyword) and name == "Principal" and literal(self.module, value) == "*":
            return "everybody is allowed this, whatever their account"
        return None

    def _covers_all(self, value: ast.expr) -> bool:
        parts = value.elts if isinstance(value, (ast.List, ast.Tuple, ast.Set)) else [value]
        return any(literal(self.module, one) in _EVERYBODY for one in parts)

    def _is_open_container(self, value: ast.expr) -> bool:
        named = ast.unparse(value).rpartition(".")[2].strip("'\"").lower()
        return named in {"blob", "container"} and not isinstance(value, ast.Name)

    def _is_everybody(self, principal: ast.expr | None) -> bool:
        if literal(self.module, principal) == "*":
            return True
        return any(
            literal(self.module, one) == "*"
            for kind, value in entries(principal).items()
            if kind == "AWS"
            for one in (value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value])
        )

    def _is_everything(self, statement: dict[str, ast.expr]) -> bool:
        given = (statement.get("Action"), statement.get("Resource"))
        parts = [one.elts[0] if isinstance(one, ast.List) and one.elts else one for one in given]
        return all(literal(self.module, one) in {"*", "*:*"} for one in parts)

    def _is_web(self, node: ast.AST) -> bool:
        """Whether a rule is for ports that are there for everybody, or for what goes out."""
        for parent in (node, *self.module.ancestors(node)):
            text = ast.unparse(parent) if isinstance(parent, ast.Call) else ""
            if _OUTWARD.search(text.partition("(")[0]):
                return True
            named = {**entries(parent), **_named(parent)} if isinstance(parent, (ast.Dict, ast.Call)) else {}
            if any(name.lower().startswith("egress") for name in named):
                return True
            ports = [literal(self.module, v) for k, v in named.items() if k.lower() in _FIRST_PORT]
            ports += [literal(self.module, one) for one in _ports(parent)]
            if ports:
                return all(port in _FOR_ALL for port in ports)
            if isinstance(parent, ast.keyword) and _OUTWARD.search(parent.arg or ""):
                return True
            if isinstance(parent, ast.stmt):
                break
        return False

    def _is_granted(self, node: ast.AST) -> bool:
        """Whether a name for everybody stands among those a role is given to."""
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


def _named(node: ast.AST) -> dict[str, ast.expr]:
    return {k.arg: k.value for k in node.keywords if k.arg is not None} if isinstance(node, ast.Call) else {}


def _ports(node: ast.AST) -> list[ast.expr]:
    """The ports that CDK's ``Port.tcp(443)`` names among the arguments of a call."""
    given = node.args[1:] if isinstance(node, ast.Call) else []
    return [
        one.args[0]
        for one in given
        if isinstance(one, ast.Call) and one.args and ".tcp" in ast.unparse(one.func)
    ]
