from __future__ import annotations

import re

from wardround.findings import Plane
from wardround.languages.dockerfile import DockerfileToken, Instruction
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_SECRET_FILE = LazyPattern(
    r"(?:^|/)(?:\.env(?:\.(?:local|prod|production|staging|secret|secrets))?|(?:prod|production|staging|secrets?|live)\.env|id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|\.netrc|\.git-credentials|\.pypirc|\.pgpass|\.aws(?:/credentials)?|\.docker/config\.json|\.ssh|\.htpasswd"
    r"|\.kube/config|kubeconfig[\w.-]*|\.vault[-_]?(?:token|pass)\w*|[\w.-]*\.(?:p12|pfx|jks|keystore)"
    r"|(?:server|tls|ssl|client|signing|deploy|host|domain)[\w.-]*\.key|gcp[-_]?key[\w-]*\.json|service[-_]?account[\w-]*\.json|credentials\.json|[\w.-]*private[\w.-]*\.(?:pem|key))$"
)

_BECOMES_SECRET = LazyPattern(
    r"(?:^|/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|\.pgpass|\.git-credentials|\.pypirc|\.env)$"
)
"""Names of a file in the image that make it a secret, despite its former name."""
_HARMLESS = LazyPattern(
    r"example|sample|template|\.dist\b|dummy|fake|test|docker|build|\.pub$|public", re.IGNORECASE
)
_MAY_BE_SECRET = LazyPattern(
    r"(?:^|/)(?:\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|auth\.json|nuget\.config|\.bundle/config|settings\.xml|\.condarc)$",
    re.IGNORECASE,
)
_CREDENTIAL = LazyPattern(
    r"(?:_auth(?:Token)?|_password|npmAuthToken|npmAuthIdent)\s*[=:]\s*[\"']?(?!\s*$|\$\{?)[^\s\"']{8}|://[^\s/:@$]+:[^\s/@$]{6,}@"
    r"|<password>[^<$]{6}|ClearTextPassword\"\s+value=\"[^\"%]{6}|\"(?:password|token)\"\s*:\s*\"[^\"$]{6}",
    re.MULTILINE | re.IGNORECASE,
)


class SecretFileCopied(CiCheck):
    """A file that usually contains secrets is copied into the image.

    It stays in its layer even if a later RUN deletes it, and anyone who pulls the image can read it. Mount
    it for the step that needs it (`RUN --mount=type=secret`), or pass it to the container at run time.
    """

    ID = "DC003"
    NAME = "secret-file-copied"
    PLANE = Plane.SECURITY
    NEEDS = ("COPY", "ADD", "copy", "add")
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM alpine:3.20
            COPY .env.example .env
        """),
        code("""
            FROM alpine:3.20
            COPY . .
        """),
    ]
    INVALID = [
        code("""
            FROM node:22
            COPY package.json «.npmrc» ./
            RUN npm ci
            RUN rm -f .npmrc
        """),
        code("""
            FROM node:22
            COPY «deploy_key» /root/.ssh/id_rsa
        """),
    ]

    def run(self) -> None:
        for instruction in self.file.dockerfile.instructions:
            if instruction.keyword in ("COPY", "ADD") and instruction.flag("from") is None:
                becomes = instruction.words[-1].text if len(instruction.words) == 2 else ""
                for word in instruction.words[:-1]:
                    self._check(instruction, word, becomes)

    def _check(self, instruction: Instruction, word: DockerfileToken, becomes: str) -> None:
        if _SECRET_FILE.search(word.text.rstrip("/")) or _BECOMES_SECRET.search(becomes):
            if not _HARMLESS.search(word.text.rpartition("/")[2]):
                message = f"{word.text} becomes part of the image; mount it as a secret"
                self.report_at(word.start, word.end, message)
        elif _MAY_BE_SECRET.search(word.text) and self._contains_secret(instruction, word.text):
            message = f"{word.text} and its credentials become part of the image; mount it"
            self.report_at(word.start, word.end, message)

    def _contains_secret(self, item: Instruction, path: str) -> bool:
        """Return True if a package manager's configuration contains credentials, or is removed later."""
        folder = self.source.path.rpartition("/")[0]
        texts = [
            self.source.project.read(f"{base}/{path}".lstrip("/")) for base in dict.fromkeys((folder, ""))
        ]
        known = [text for text in texts if text is not None]
        if known:
            return any(_CREDENTIAL.search(text) for text in known)
        name = re.escape(path.rpartition("/")[2])
        later = [other for other in self.file.dockerfile.instructions if other.start > item.start]
        return any(
            other.keyword == "RUN" and re.search(rf"\brm\b[^\n&;|]*{name}", other.text) for other in later
        )
