from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, Word, unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import COMPOSE, HELM, KUBERNETES, SCRIPTS, TEMPLATE, CiCheck
from wardround_docker_ci.libraries.commands import program

_LOCAL = LazyPattern(
    r"\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|kubernetes\.default|host\.docker\.internal)"
)
_VARIABLES = {
    "NODE_TLS_REJECT_UNAUTHORIZED": ("0",),
    "GIT_SSL_NO_VERIFY": ("1", "true"),
    "PYTHONHTTPSVERIFY": ("0",),
    "NPM_CONFIG_STRICT_SSL": ("false",),
    "YARN_ENABLE_STRICT_SSL": ("false",),
    "CURL_INSECURE": ("1", "true"),
    "VAULT_SKIP_VERIFY": ("1", "true"),
    "CONSUL_HTTP_SSL_VERIFY": ("0", "false"),
    "CONDA_SSL_VERIFY": ("false", "no"),
    "GOINSECURE": ("*",),
    "GONOSUMDB": ("*",),
    "GOFLAGS": ("-insecure",),
    "ANSIBLE_HOST_KEY_CHECKING": ("false", "0"),
}
_TRUSTED_HOSTS = "PIP_TRUSTED_HOST"
_WITHIN = LazyPattern(
    r"^[\w-]+(?::\d+)?$|\.(?:local|svc|internal|test|lan)(?::\d+)?$|^(?:10|127|192\.168)\.|\$"
)
"""Hosts of a private network, which often have no certificate."""
_OPTIONS = {
    "wget": ("--no-check-certificate", "--no-hsts"),
    "apt-get": ("--allow-unauthenticated", "--force-yes", "--allow-insecure-repositories"),
    "apt": ("--allow-unauthenticated", "--force-yes", "--allow-insecure-repositories"),
    "apk": ("--allow-untrusted",),
    "yum": ("--nogpgcheck",),
    "dnf": ("--nogpgcheck", "--no-gpgchecks"),
    "microdnf": ("--nogpgcheck",),
    "zypper": ("--no-gpg-checks", "--allow-unsigned-rpm"),
    "rpm": ("--nosignature", "--nodigest", "--noverify"),
    "aws": ("--no-verify-ssl",),
    "helm": ("--insecure-skip-tls-verify",),
    "kubectl": ("--insecure-skip-tls-verify", "--insecure-skip-tls-verify=true"),
    "oc": ("--insecure-skip-tls-verify", "--insecure-skip-tls-verify=true"),
    "argocd": ("--insecure",),
    "skopeo": ("--src-tls-verify=false", "--dest-tls-verify=false", "--tls-verify=false"),
    "podman": ("--tls-verify=false",),
    "buildah": ("--tls-verify=false",),
    "vault": ("-tls-skip-verify", "--tls-skip-verify"),
    "npm": ("--strict-ssl=false", "--no-strict-ssl"),
    "pnpm": ("--strict-ssl=false", "--no-strict-ssl"),
    "http": ("--verify=no", "--verify=false"),
    "https": ("--verify=no", "--verify=false"),
    "cf": ("--skip-ssl-validation",),
    "mvn": ("-Dmaven.wagon.http.ssl.insecure=true",),
}
"""Options that disable the verification of certificates or package signatures."""
_INSTALLERS = ("apt-get", "apt", "apk", "yum", "dnf", "microdnf", "zypper", "rpm")
_LONG = 40
_SETTINGS = LazyPattern(
    r"^(?:(?:npm|pnpm) (?:config )?set (?:-\S+ )*strict-ssl[ =]false"
    r"|yarn config set (?:-\S+ )*(?:strict-ssl|enableStrictSsl) false"
    r"|conda config --set ssl_verify (?:false|no|0)"
    r"|composer config (?:-\S+ )*(?:disable-tls true|secure-http false)"
    r"|bundle config (?:set )?(?:-\S+ )*ssl_verify_mode[: ]+0|pip3? config set global\.trusted-host \S+"
    r"|git config (?:-\S+ )*http\.(?:\S+\.)?sslverify (?:false|0)"
    r"|poetry config certificates\.\S+\.cert false|gcloud config set auth/disable_ssl_validation true)",
    re.IGNORECASE,
)
_OFF_IN_FILE = LazyPattern(
    r"\bstrict-ssl\s*=\s*false|\bsslverify\s*=\s*(?:0|false)|\bgpgcheck\s*=\s*0|Verify-Peer[\s\"=]+false"
    r"|\bcheck_certificate\s*=\s*off|^insecure$|StrictHostKeyChecking\s+no\b|AllowUnauthenticated[\s\"=]+true",
    re.IGNORECASE,
)
"""Configuration lines that scripts write."""
_WITH_SETTINGS = COMPOSE | KUBERNETES | HELM | TEMPLATE
_OFF_IN_MANIFEST = LazyPattern(
    r"^[ \t]*(?:-[ \t]+)?[\"']?(?P<key>insecure[-_]?skip[-_]?(?:tls[-_]?)?verify|tls[-_]?insecure"
    r"|skip[-_]?tls[-_]?verify|tls[-_]?skip[-_]?verify)[\"']?[ \t]*:[ \t]*[\"']?(?:true|yes|on)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Keys of clusters, API services, scrape configurations and data sources that disable verification."""
_UNSIGNED = LazyPattern(
    r"\bdeb\s+\[[^\]]*trusted=yes[^\]]*\]\s*(?!file:|copy:|cdrom:)\S|\bdeb\s+\[[^\]]*trusted=yes[^\]]*$"
)
"""An apt source without signatures; packages of a local folder, which the build made, have none."""


class TlsVerificationDisabled(CiCheck):
    """A download does not verify the server's certificate or the package's signature.

    Anyone on the network path can replace the download, and a build runs it. Install the missing
    certificate authority instead of disabling the verification.
    """

    ID = "DC031"
    NAME = "tls-verification-disabled"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "tls-verification-off"
    KINDS = SCRIPTS | HELM | TEMPLATE
    CASE_PATH = "a.sh"
    VALID = [
        code(
            """
            apiVersion: v1
            kind: Config
            clusters:
            - cluster:
                insecure-skip-tls-verify: false
            """,
            path="kubeconfig.yaml",
        ),
        code("""
            pip install --trusted-host pypi.internal --trusted-host 10.0.0.5 a
        """),
    ]
    INVALID = [
        code(
            """
            apiVersion: apiregistration.k8s.io/v1
            kind: APIService
            spec:
              «insecureSkipTLSVerify»: true
            """,
            path="api.yaml",
        ),
        code(
            """
            apiVersion: v1
            kind: ConfigMap
            data:
              prometheus.yml: |
                scrape_configs:
                  - tls_config:
                      «insecure_skip_verify»: true
            """,
            path="prometheus.yaml",
        ),
    ]

    def run(self) -> None:
        if self.file.kind in _WITH_SETTINGS:
            for match in _OFF_IN_MANIFEST.finditer(self.file.text):
                self._report(*match.span("key"), match["key"])
        if self.file.kind not in SCRIPTS:
            return
        for variable in self.file.variables:
            if _is_off_by(variable.name, variable.value):
                self._report(variable.start, variable.end, variable.name)
        for script in self.file.scripts:
            for command in script.commands:
                self._check(command)

    def _report(self, start: int, end: int, what: str) -> None:
        self.report_at(start, end, f"{what} disables TLS verification; install the CA certificate instead")

    def _check(self, command: Command) -> None:
        exported = command.words[1:] if command.name in ("export", "declare") else ()
        for word in (*command.assignments, *exported):
            name, _, value = word.text.partition("=")
            if _is_off_by(name, value):
                self._report(word.start, word.end, name)
        words = unwrap_command(command)
        if words and not any(_LOCAL.search(word.text) for word in words):
            self._check_program(command, program(command), words)

    def _check_program(self, command: Command, name: str, words: Sequence[Word]) -> None:
        texts = [word.text for word in words]
        if name in ("echo", "printf"):
            self._check_config_lines(words)
        elif _SETTINGS.match(" ".join((name, *texts[1:]))):
            self._report(command.start, command.end, " ".join(texts[-2:]))
        else:
            for word, following in zip(words[1:], (*texts[2:], ""), strict=False):
                if _is_off(name, word.text, following):
                    self._report_option(name, word, texts)

    def _report_option(self, name: str, word: Word, texts: Sequence[str]) -> None:
        if name in _INSTALLERS:
            message = f"{word.text} accepts packages without verifying signatures; import the key"
            is_own = any(text.endswith((".rpm", ".apk", ".deb")) for text in texts)
            self.report_at(word.start, word.end, message, severity=Severity.INFO if is_own else None)
        else:
            self._report(word.start, word.end, word.text if len(word.text) < _LONG else name)

    def _check_config_lines(self, words: Sequence[Word]) -> None:
        """Check the lines that a script writes into a configuration file."""
        for word in words[1:]:
            if _UNSIGNED.search(word.text):
                message = "trusted=yes accepts unsigned packages of this source; use signed-by"
                self.report_at(word.start, word.end, message)
                return
            if found := _OFF_IN_FILE.search(word.text):
                self._report(word.start, word.end, found.group().strip())
                return


def _is_off_by(name: str, value: str) -> bool:
    """Return True if a variable disables the verification of certificates."""
    setting, name = value.strip("\"'").lower(), name.upper()
    if name == _TRUSTED_HOSTS:
        return any(not _WITHIN.search(host) for host in setting.split())
    return setting in _VARIABLES.get(name, ())


def _is_off(name: str, text: str, following: str) -> bool:
    """Return True if an argument disables the verification of certificates or signatures."""
    if text in _OPTIONS.get(name, ()):
        return True
    if name == "curl":
        short = re.fullmatch(r"-[a-jl-zA-Z#]*k[a-zA-Z#]*", text)
        return text == "--insecure" or (short is not None and not _SHORT_WITH_VALUE.match(text))
    if name == "git":
        return re.fullmatch(r"http\.(?:\S+\.)?sslverify=(?:false|0)", text, re.IGNORECASE) is not None
    if name in ("ssh", "scp", "sftp", "rsync"):
        return re.search(r"(?:^|[\s,o])StrictHostKeyChecking[= ](?:no|off)\b", text) is not None
    return _installs_python_packages(name, text) and _trusts_host(text, following)


def _installs_python_packages(name: str, text: str) -> bool:
    is_module = name.startswith("python") and text.startswith("--trusted")
    return is_module or re.match(r"pip[\d.]*$|uv$|pipenv$", name) is not None


def _trusts_host(text: str, following: str) -> bool:
    host = text.partition("=")[2] or following
    is_option = text.startswith(("--trusted-host", "--allow-insecure-host"))
    return is_option and bool(host) and not _WITHIN.search(host)


_SHORT_WITH_VALUE = LazyPattern(r"-[a-zA-Z]*[XHdoAuebFTmx]")
