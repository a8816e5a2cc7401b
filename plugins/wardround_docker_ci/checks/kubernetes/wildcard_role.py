from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.languages.yaml.tree import walk
from wardround.rules.cases import code
from wardround_docker_ci.check import HELM, KUBERNETES, TEMPLATE, CiCheck
from wardround_docker_ci.models.kubernetes import objects
from wardround_docker_ci.models.node_lists import mappings, scalars

_DANGEROUS = {"*", "secrets", "pods/exec", "roles", "clusterroles"}


class WildcardRole(CiCheck):
    """A role allows everything, or a binding grants such a role.

    Anyone who controls one pod of this account controls the cluster, including its secrets. Name the
    resources and verbs that the workload needs.
    """

    ID = "DC110"
    NAME = "wildcard-role"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "wildcard-role"
    KINDS = KUBERNETES | TEMPLATE | HELM
    NEEDS = ("Role", "apiGroups")
    CASE_PATH = "role.yaml"
    VALID = [
        code("""
            apiVersion: rbac.authorization.k8s.io/v1
            kind: Role
            rules:
            - apiGroups: ['*']
              resources: [pods]
              verbs: [get, list]
        """),
        code("""
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            rules:
            - apiGroups: [apps]
              resources: ['*']
              verbs: [get, list, watch]
        """),
    ]
    INVALID = [
        code("""
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRoleBinding
            roleRef: {kind: ClusterRole, name: view}
            subjects:
            - {kind: Group, name: '«system:unauthenticated»'}
        """),
        code("""
            apiVersion: rbac.authorization.k8s.io/v1
            kind: Role
            rules:
            - apiGroups: ['']
              resources: [pods, «pods/exec»]
              verbs: [create]
        """),
    ]

    def run(self) -> None:
        if self.file.kind in HELM:
            self._check_values()
            return
        for resource in objects(self.file.documents):
            kind = resource.text("kind")
            if kind in ("Role", "ClusterRole"):
                for rule in resource.items_at("rules"):
                    if isinstance(rule, Mapping):
                        self._check_rule(rule, kind)
            elif kind in ("RoleBinding", "ClusterRoleBinding"):
                self._check_binding(resource)

    def _check_values(self) -> None:
        """Check the rules that a chart's values add to its role."""
        for node in walk(self.file.root):
            for rule in node.items_at("rules") if isinstance(node, Mapping) else ():
                if isinstance(rule, Mapping) and rule.get("apiGroups") is not None:
                    self._check_rule(rule, "Role")

    def _check_rule(self, rule: Mapping, kind: str) -> None:
        if kind == "ClusterRole":
            self._check_secrets(rule)
        self._check_escalation(rule)
        verb = next((v for v in rule.items_at("verbs") if isinstance(v, Scalar) and v.value == "*"), None)
        resources = {r.value for r in rule.items_at("resources") if isinstance(r, Scalar)}
        if verb is not None and resources & _DANGEROUS:
            text = self.file.passage(verb)
            what = "everything" if "*" in resources else min(resources & _DANGEROUS)
            self.report_at(
                text.start, text.end, f"the role allows all verbs on {what}; name the required ones"
            )

    def _check_escalation(self, rule: Mapping) -> None:
        """Check for verbs and resources that grant more than the rule itself."""
        found = _escalating_verb(rule) or _entering_resource(rule)
        if found is not None and rule.get("resourceNames") is None:
            text = self.file.passage(found[0])
            self.report_at(text.start, text.end, found[1], severity=Severity.INFO)

    def _check_secrets(self, rule: Mapping) -> None:
        """Check for read access to the secrets of all namespaces."""
        verbs, groups = _values(rule, "verbs"), _values(rule, "apiGroups")
        names = ("secrets", "*") if groups & {"", "*"} else ("secrets",)
        named = next(
            (scalar for scalar in scalars(rule.items_at("resources")) if scalar.value in names), None
        )
        if named is None or (named.value == "*" and "*" in verbs):
            return  # a wildcard is reported by itself
        if verbs & {"get", "list", "watch"} and rule.get("resourceNames") is None:
            text = self.file.passage(named)
            message = "the role can read the secrets of every namespace; use a Role or resourceNames"
            self.report_at(text.start, text.end, message, severity=Severity.INFO)

    def _check_broad_binding(self, mapping: Mapping, role: Scalar | None) -> None:
        """Check for an administrative role that is granted to all accounts."""
        if role is None or role.value not in ("cluster-admin", "admin", "edit"):
            return
        for subject in mapping.items_at("subjects"):
            group = subject.scalar("name") if isinstance(subject, Mapping) else None
            if group is not None and group.value in ("system:authenticated", "system:serviceaccounts"):
                text = self.file.passage(role)
                self.report_at(
                    text.start,
                    text.end,
                    f"all of {group.value} get this role; bind the accounts that need it",
                )

    def _check_binding(self, mapping: Mapping) -> None:
        role = mapping.scalar("roleRef", "name")
        self._check_broad_binding(mapping, role)
        subjects = mappings(mapping.items_at("subjects"))
        for subject in subjects:
            name = subject.scalar("name")
            if name is not None and name.value in ("system:anonymous", "system:unauthenticated"):
                text = self.file.passage(name)
                message = "anyone who can reach the cluster gets this role without authentication"
                self.report_at(text.start, text.end, message)
        accounts = [subject for subject in subjects if subject.text("kind") == "ServiceAccount"]
        if role is not None and role.value == "cluster-admin" and accounts:
            text = self.file.passage(role)
            account = accounts[0].text("name")
            message = f'every pod of "{account}" controls the cluster; bind a narrower role'
            self.report_at(text.start, text.end, message)


def _escalating_verb(rule: Mapping) -> tuple[Scalar, str] | None:
    verbs = scalars(rule.items_at("verbs"))
    verb = next((verb for verb in verbs if verb.value in ("escalate", "bind", "impersonate")), None)
    if verb is None:
        return None
    return verb, f"{verb.value} grants permissions of other roles and users"


def _entering_resource(rule: Mapping) -> tuple[Scalar, str] | None:
    if not _values(rule, "verbs") & {"create", "get", "*"}:
        return None
    resources = scalars(rule.items_at("resources"))
    resource = next((scalar for scalar in resources if scalar.value in _ENTERING), None)
    if resource is None:
        return None
    return resource, f"{resource.value} runs commands in other containers with their permissions"


def _values(rule: Mapping, key: str) -> set[str]:
    return {scalar.value for scalar in scalars(rule.items_at(key))}


_ENTERING = ("pods/exec", "pods/attach", "nodes/proxy")
