"""Plant secrets and look-alikes into real code, and count what is found and what is cried about.

    python evals/planted_secrets.py REPOSITORY ... [--lines 40] [--gitleaks] [--detect-secrets PROGRAM]

For every kind of secret that many lines of the repositories' own code get a generated value, each in a
file of its own with the lines around it; the same is done with placeholders, digests, identifiers and other
strings that are none. Values are drawn anew for each seed, and nothing is kept. Printed are, for each kind,
how many were found; for look-alikes, how many were taken for secrets. The same files can be given to other
scanners.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import random
import string
import subprocess
import sys
import tempfile
import uuid
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround_secrets.checks import CHECKS
from wardround_secrets.detection.scanner import scan

from wardround.checks.source import SourceFile

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
URL64 = string.ascii_letters + string.digits + "-_"
STD64 = string.ascii_letters + string.digits + "+/"
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
LOWER36 = string.ascii_lowercase + string.digits
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"

Maker = Callable[[random.Random], str]


def drawn(alphabet: str, length: int) -> Maker:
    return lambda rng: "".join(rng.choices(alphabet, k=length))


def after(prefix: str, *parts: Maker | str) -> Maker:
    """A prefix and drawn parts, one after another."""
    return lambda rng: prefix + "".join(p if isinstance(p, str) else p(rng) for p in parts)


def checked(prefix: str) -> Maker:
    """A token with the checksum of GitHub's and npm's."""

    def make(rng: random.Random) -> str:
        body = drawn(BASE62, 30)(rng)
        number, digits = zlib.crc32(body.encode()), ""
        while number:
            number, rest = divmod(number, 62)
            digits = BASE62[rest] + digits
        return prefix + body + digits.rjust(6, "0")

    return make


def uuid4(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def encoded(rng: random.Random, size: int) -> str:
    return base64.b64encode(rng.randbytes(size)).decode()


def url_encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def jwt(**claims: str) -> Maker:
    def make(rng: random.Random) -> str:
        payload = {"sub": uuid4(rng), "iat": rng.randint(1_600_000_000, 1_800_000_000), **claims}
        header = {"alg": "HS256", "typ": "JWT"}
        return f"{url_encoded(header)}.{url_encoded(payload)}.{drawn(URL64, 43)(rng)}"

    return make


TOKENS: dict[str, Maker] = {
    "github": checked("ghp_"),
    "github-app": checked("ghs_"),
    "github-fine": after("github_pat_", drawn(BASE62, 22), "_", drawn(BASE62, 59)),
    "gitlab": after("glpat-", drawn(URL64, 20)),
    "gitlab-routable": after("glpat-", drawn(URL64, 27), ".01.", drawn(LOWER36, 9)),
    "aws-id": after("AKIA", drawn(BASE32, 16)),
    "google-api": after("AIza", drawn(URL64, 35)),
    "google-oauth": after("GOCSPX-", drawn(URL64, 28)),
    "slack-bot": after(
        "xoxb-", drawn(string.digits, 12), "-", drawn(string.digits, 12), "-", drawn(BASE62, 24)
    ),
    "slack-app": after("xapp-1-", drawn(BASE32, 11), "-", drawn(string.digits, 13), "-", drawn(HEX, 64)),
    "stripe": after("sk_live_", drawn(BASE62, 24)),
    "stripe-long": after("sk_live_51", drawn(BASE62, 97)),
    "stripe-restricted": after("rk_live_", drawn(BASE62, 24)),
    "stripe-webhook": after("whsec_", drawn(BASE62, 32)),
    "sendgrid": after("SG.", drawn(URL64, 22), ".", drawn(URL64, 43)),
    "openai": after("sk-", drawn(BASE62, 20), "T3BlbkFJ", drawn(BASE62, 20)),
    "openai-project": after("sk-proj-", drawn(URL64, 74), "T3BlbkFJ", drawn(URL64, 74)),
    "anthropic": after("sk-ant-api03-", drawn(URL64, 93), "AA"),
    "openrouter": after("sk-or-v1-", drawn(HEX, 64)),
    "langfuse": after("sk-lf-", uuid4),
    "hugging-face": after("hf_", drawn(string.ascii_letters, 34)),
    "groq": after("gsk_", drawn(BASE62, 52)),
    "replicate": after("r8_", drawn(BASE62, 37)),
    "npm": checked("npm_"),
    "pypi": after("pypi-AgEIcHlwaS5vcmc", drawn(URL64, 150)),
    "rubygems": after("rubygems_", drawn(HEX, 48)),
    "docker-hub": after("dckr_pat_", drawn(URL64, 27)),
    "shopify": after("shpat_", drawn(HEX, 32)),
    "databricks": after("dapi", drawn(HEX, 32)),
    "digitalocean": after("dop_v1_", drawn(HEX, 64)),
    "supabase": after("sbp_", drawn(HEX, 40)),
    "supabase-service-role": jwt(iss="supabase", ref="abcdefghijklmnopqrst", role="service_role"),
    "telegram": after("", drawn(string.digits[1:], 10), ":AA", drawn(URL64, 33)),
    "discord-bot": after("M", drawn(BASE62, 25), ".", drawn(BASE62, 6), ".", drawn(URL64, 38)),
    "age": after("AGE-SECRET-KEY-1", drawn(BECH32, 58)),
    "atlassian": after("ATATT3xFfGF0", drawn(URL64, 171), "=", drawn("0123456789ABCDEF", 8)),
    "linear": after("lin_api_", drawn(BASE62, 40)),
    "notion": after("ntn_", drawn(string.digits, 11), drawn(BASE62, 35)),
    "figma": after("figd_", drawn(URL64, 40)),
    "grafana": after("glsa_", drawn(BASE62, 32), "_", drawn(HEX, 8)),
    "vault": after("hvs.", drawn(URL64, 95)),
    "terraform": after("", drawn(BASE62, 14), ".atlasv1.", drawn(URL64, 67)),
    "doppler": after("dp.pt.", drawn(BASE62, 43)),
    "postman": after("PMAK-", drawn(HEX, 24), "-", drawn(HEX, 34)),
    "new-relic": after("NRAK-", drawn(string.ascii_uppercase + string.digits, 27)),
    "sentry": after("sntryu_", drawn(HEX, 64)),
    "planetscale": after("pscale_tkn_", drawn(URL64, 43)),
    "airtable": after("pat", drawn(BASE62, 14), ".", drawn(HEX, 64)),
    "contentful": after("CFPAT-", drawn(URL64, 43)),
    "brevo": after("xkeysib-", drawn(HEX, 64), "-", drawn(BASE62, 16)),
    "resend": after("re_", drawn(BASE62, 8), "_", drawn(BASE62, 24)),
    "hubspot": after("pat-na1-", uuid4),
    "pulumi": after("pul-", drawn(HEX, 40)),
    "sonarqube": after("squ_", drawn(HEX, 40)),
    "netlify": after("nfp_", drawn(BASE62, 36)),
    "tailscale": after("tskey-auth-", drawn(BASE62, 17), "-", drawn(BASE62, 32)),
    "posthog": after("phx_", drawn(BASE62, 43)),
    "tavily": after("tvly-", drawn(BASE62, 32)),
    "heroku": after("HRKU-AA", drawn(URL64, 58)),
    "azure-ad": after("", drawn(BASE62, 3), "8Q~", drawn(BASE62 + "_-", 34)),
    "jwt": jwt(iss="https://login.acme.dev/"),
    "slack-webhook": after(
        "https://hooks.slack.com/services/T",
        drawn(BASE32, 10),
        "/B",
        drawn(BASE32, 10),
        "/",
        drawn(BASE62, 24),
    ),
    "discord-webhook": after(
        "https://discord.com/api/webhooks/", drawn(string.digits[1:], 19), "/", drawn(URL64, 68)
    ),
    "postgres-url": after("postgresql://app:", drawn(BASE62, 20), "@db.eu-west-1.rds.amazonaws.com:5432/app"),
    "amqp-url": after("amqps://worker:", drawn(BASE62, 24), "@cow.rmq2.cloudamqp.com/worker"),
    "azure-storage": after(
        "DefaultEndpointsProtocol=https;AccountName=acmeprod;AccountKey=",
        drawn(STD64, 86),
        "==;EndpointSuffix=core",
    ),
}
"""Values that tell by themselves what they are."""

NAMED: dict[str, tuple[Sequence[str], Maker]] = {
    "aws-secret": (("AWS_SECRET_ACCESS_KEY", "aws_secret_access_key", "secretAccessKey"), drawn(STD64, 40)),
    "api-key-hex": (("API_KEY", "apiKey", "mailchimp_api_key"), drawn(HEX, 32)),
    "api-key-base62": (("API_KEY", "maps_api_key", "datadogApiKey"), drawn(BASE62, 40)),
    "secret-key": (("SECRET_KEY", "client_secret", "jwtSecret"), drawn(BASE62 + "-_", 48)),
    "token": (("ACCESS_TOKEN", "authToken", "bot_token"), drawn(BASE62, 32)),
    "short-token": (("API_TOKEN", "apiToken"), drawn(BASE62, 20)),
    "django-key": (("SECRET_KEY",), drawn(LOWER36 + "!@#$%^&*(-_=+)", 50)),
    "password": (("DB_PASSWORD", "smtpPassword", "password"), drawn(BASE62 + "!%&*-_", 14)),
    "chosen-password": (
        ("PASSWORD", "dbPassword"),
        lambda rng: (
            rng.choice(["Tiger", "Blauwal", "Kestrel", "zanzibar"])
            + rng.choice("!_.")
            + str(rng.randint(10, 9999))
        ),
    ),
}
"""Values that only the name beside them gives away."""

LOOK_ALIKES: dict[str, Maker] = {
    "placeholder": lambda rng: rng.choice(
        [
            "changeme",
            "your-api-key-here",
            "<YOUR_TOKEN>",
            "${API_TOKEN}",
            "{{ secrets.token }}",
            "xxxxxxxxxxxxxxxxxxxx",
            "ghp_" + "x" * 36,
            "sk_live_" + "your_key_here_" * 2,
            "AKIA" + "IOSFODNN7EXAMPLE",
            "sk-proj-" + "1234567890" * 3,
            "00000000000000000000000000000000",
            "insert-token-here-please-1",
            "process.env.API_TOKEN",
            "my-super-secret-token-1",
            "hf_" + "a" * 34,
            "example-client-secret-42",
            "REPLACE_WITH_YOUR_KEY_1",
            "test_api_key_1234567890",
            "dummy-token-0001",
        ]
    ),
    "sha1": lambda rng: hashlib.sha1(rng.randbytes(8)).hexdigest(),
    "sha256": lambda rng: hashlib.sha256(rng.randbytes(8)).hexdigest(),
    "integrity": lambda rng: "sha512-" + encoded(rng, 64),
    "uuid": uuid4,
    "ssh-public": lambda rng: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + encoded(rng, 32)[:43],
    "data-url": lambda rng: "data:image/png;base64,iVBORw0KGgo" + encoded(rng, 150),
    "svg-path": lambda rng: "M" + " ".join(f"{rng.uniform(0, 99):.2f}" for _ in range(30)),
    "version": lambda rng: (
        f"v{rng.randint(0, 9)}.{rng.randint(0, 30)}.{rng.randint(0, 9)}-rc.{rng.randint(1, 9)}"
    ),
    "path": lambda rng: "/usr/share/app/" + drawn(string.ascii_lowercase, 12)(rng) + "/index.js",
    "url": lambda rng: "https://app.acme.dev/oauth2/token?next=" + drawn(BASE62, 20)(rng),
    "local-database": lambda rng: (
        "postgresql://postgres:postgres@localhost:5432/" + drawn(string.ascii_lowercase, 6)(rng)
    ),
    "words": lambda rng: "_".join(
        rng.sample(["refresh", "token", "grant", "session", "expired", "handler", "retry"], 4)
    ),
    "publishable-stripe": after("pk_live_", drawn(BASE62, 24)),
}
NEUTRAL = ("revision", "image_id", "checksum", "cacheKey", "asset", "traceId", "commit")
TELLING = ("token", "api_key", "secret", "accessToken")
"""Names for look-alikes: some of them stand beside a name that speaks of a secret."""
DIGESTS = ("sha1", "sha256")
"""Look-alikes that beside such a name would be secrets to any reader."""

FORMS: dict[str, Sequence[str]] = {
    ".py": (
        '{name} = "{value}"',
        "    {name}='{value}',",
        '    "{name}": "{value}",',
        'client({name}="{value}")',
    ),
    ".ts": ('const {name} = "{value}";', "  {name}: '{value}',", "this.{name} = `{value}`;"),
    ".js": ("const {name} = '{value}';", '  "{name}": "{value}",'),
    ".yml": ("  {name}: {value}", '  {name}: "{value}"'),
    ".json": ('  "{name}": "{value}",',),
    ".env": ("{name}={value}", 'export {name}="{value}"'),
    ".tf": ('  {name} = "{value}"',),
    ".go": ('\t{name} := "{value}"', '\t{name}: "{value}",'),
    ".java": ('    private static final String {name} = "{value}";',),
    ".sh": ("export {name}={value}", "{name}='{value}'"),
}
LIKE = {
    ".yaml": ".yml",
    ".tsx": ".ts",
    ".jsx": ".js",
    ".mjs": ".js",
    ".vue": ".ts",
    ".toml": ".tf",
    ".rs": ".go",
}
_AROUND = 6


@dataclass(frozen=True, slots=True)
class Planted:
    """A file with one value in it; ``line`` is where it stands."""

    kind: str
    path: str
    text: str
    line: int
    is_secret: bool


def code_of(repositories: Sequence[Path]) -> Iterator[tuple[str, list[str]]]:
    """(suffix, lines) of the repositories' own code, outside of tests and generated files."""
    for repository in repositories:
        argv = ["git", "-C", str(repository), "ls-files", "-z"]
        for name in subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split("\0"):
            suffix = Path(name).suffix
            if LIKE.get(suffix, suffix) not in FORMS or "test" in name.lower() or "lock" in name:
                continue
            file = repository / name
            if file.is_file() and file.stat().st_size < 200_000:
                yield LIKE.get(suffix, suffix), file.read_text("utf-8", "replace").split("\n")


def planted(
    kind: str, names: Sequence[str], make: Maker, count: int, places: Sequence[tuple[str, list[str]]],
    rng: random.Random, *, is_secret: bool,
) -> Iterator[Planted]:  # fmt: skip
    """Files with a value of one kind each, in all the forms there are."""
    for number in range(count):
        suffix, lines = (
            rng.choice(places) if number % 3 else (rng.choice([".env", ".sh", ".tf", ".java", ".go"]), [""])
        )
        at = rng.randrange(len(lines))
        around = lines[max(0, at - _AROUND) : at + _AROUND]
        line = min(at, _AROUND)
        value = make(rng)
        quoted = [
            f
            for f in FORMS[suffix]
            if '"' in f or "'" in f or "`" in f or not set(value) & set(" #;&!()$<>|{}")
        ]
        form = rng.choice(quoted or FORMS[suffix])
        around.insert(line, form.format(name=rng.choice(names), value=value))
        yield Planted(kind, f"src/{kind}_{number}{suffix}", "\n".join(around) + "\n", line + 1, is_secret)


def ours(cases: Sequence[Planted]) -> dict[str, set[int]]:
    """The lines on which our own checks report, by path."""
    found: dict[str, set[int]] = defaultdict(set)
    for case in cases:
        for result in scan(CHECKS, CHECKS, SourceFile(case.path, case.text)):
            found[case.path].add(result.span.line)
    return found


def written(cases: Sequence[Planted], folder: Path) -> None:
    for case in cases:
        (folder / case.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / case.path).write_text(case.text, "utf-8")


def gitleaks(folder: Path) -> dict[str, set[int]]:
    argv = ["gitleaks", "dir", "-f", "json", "-r", "-", "--exit-code", "0", "--no-banner", "--redact", "."]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=True)
    found: dict[str, set[int]] = defaultdict(set)
    for row in json.loads(done.stdout):
        found[row["File"].removeprefix("./")].add(row["StartLine"])
    return found


def detect_secrets(folder: Path, program: str) -> dict[str, set[int]]:
    done = subprocess.run(
        [program, "scan", "--all-files", "."], cwd=folder, capture_output=True, text=True, check=True
    )
    rows = json.loads(done.stdout)["results"]
    return {name.removeprefix("./"): {row["line_number"] for row in found} for name, found in rows.items()}


def print_table(cases: Sequence[Planted], scanners: dict[str, dict[str, set[int]]]) -> None:
    """For each kind, how many of its values each scanner reported."""
    total = Counter(case.kind for case in cases)
    hits = {
        name: Counter(c.kind for c in cases if c.line in found.get(c.path, ()))
        for name, found in scanners.items()
    }
    for is_secret, title in ((True, "secrets found"), (False, "look-alikes reported")):
        kinds = dict.fromkeys(case.kind for case in cases if case.is_secret is is_secret)
        print(f"\n{title:32}" + "".join(f"{name:>16}" for name in scanners))
        for kind in kinds:
            print(f"{kind:24}{total[kind]:8}" + "".join(f"{hits[name][kind]:16}" for name in scanners))
        whole = sum(total[kind] for kind in kinds)
        rates = (sum(hits[name][kind] for kind in kinds) / whole for name in scanners)
        print(f"{'in all':24}{whole:8}" + "".join(f"{rate:16.1%}" for rate in rates))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--lines", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gitleaks", action="store_true")
    parser.add_argument("--detect-secrets", default="")
    parser.add_argument("--show", default="", help="print what was missed or wrongly reported of this kind")
    options = parser.parse_args()

    rng = random.Random(options.seed)
    places = list(code_of(options.repositories))
    cases: list[Planted] = []
    for kind, make in TOKENS.items():
        names = ("value", "target", "endpoint", "config", "TOKEN", "credential")
        cases += planted(kind, names, make, options.lines, places, rng, is_secret=True)
    for kind, (telling, make) in NAMED.items():
        cases += planted(kind, telling, make, options.lines, places, rng, is_secret=True)
    for kind, make in LOOK_ALIKES.items():
        names = NEUTRAL if kind in DIGESTS else (*NEUTRAL, *TELLING)
        cases += planted(kind, names, make, options.lines, places, rng, is_secret=False)
    scanners = {"wardround": ours(cases)}
    with tempfile.TemporaryDirectory() as folder:
        written(cases, Path(folder))
        if options.gitleaks:
            scanners["gitleaks"] = gitleaks(Path(folder))
        if options.detect_secrets:
            scanners["detect-secrets"] = detect_secrets(Path(folder), options.detect_secrets)
    print_table(cases, scanners)
    for case in cases:
        if (
            case.kind == options.show
            and (case.line in scanners["wardround"].get(case.path, ())) != case.is_secret
        ):
            print(case.path, case.text.split("\n")[case.line - 1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
