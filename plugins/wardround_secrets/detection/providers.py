"""Tokens of providers that have a recognisable format.

Each row has the prefix of a token, the format of the rest, and a word that the file must contain where the
format alone is ambiguous. The formats are those the providers document for secret scanning and in their API
documentation; tokens are matched where a run of token characters begins.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from wardround.lazy import LazyPattern

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKSUM_LENGTH = 6


class KnownToken(msgspec.Struct, frozen=True):
    """One kind of token.

    Attributes:
        kind: its usual name.
        prefixes: literal prefixes; ``shape`` is the rest, as a regular expression.
        needs: a lower-case word that the file must contain; empty if the format is sufficient.
        checked: True if its last characters are a checksum of the others, so that real ones are recognised.
        signs_messages: a key that both ends of a connection have; tests make one up and sign with it.
        mild: grants little by itself or is often public, so it is reported as a warning.
    """

    kind: str
    prefixes: tuple[str, ...]
    shape: str
    needs: str = ""
    checked: bool = False
    signs_messages: bool = False
    mild: bool = False


_W = r"[A-Za-z0-9]"
_U = r"[A-Za-z0-9_-]"
_H = r"[0-9a-f]"

TOKENS: tuple[KnownToken, ...] = (
    KnownToken("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"{_W}{{36}}", checked=True),
    KnownToken("GitHub fine-grained token", ("github_pat_",), rf"{_W}{{22}}_{_W}{{59}}"),
    KnownToken(
        "GitLab token",
        (
            "glpat-",
            "gldt-",
            "glrt-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glsoat-",
            "glimt-",
            "glagent-",
            "glffct-",
            "gloas-",
            "glwt-",
        ),
        rf"{_U}{{20,300}}(?:\.[0-9a-z]{{2}}\.[0-9a-z]{{7,9}})?",
    ),
    KnownToken("AWS access key", ("AKIA",), r"[A-Z2-7]{16}"),
    KnownToken("AWS temporary access key", ("ASIA",), r"[A-Z2-7]{16}", mild=True),
    KnownToken("AWS Bedrock API key", ("ABSKQmVkcm9ja0FQSUtleS",), r"[A-Za-z0-9+/=]{80,300}"),
    KnownToken("Google API key", ("AIza",), rf"{_U}{{35}}", mild=True),
    KnownToken("Google OAuth client secret", ("GOCSPX-",), rf"{_U}{{28}}"),
    KnownToken("Google OAuth access token", ("ya29.",), rf"{_U}{{50,500}}"),
    KnownToken(
        "Slack token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-"),
        r"(?:\d+-)?(?:\d{9,}-){0,3}[A-Za-z0-9%-]{20,250}",
    ),
    KnownToken("Slack app token", ("xapp-",), r"\d-[A-Z0-9]{9,12}-\d{11,14}-[0-9a-f]{64}"),
    KnownToken(
        "Slack configuration token", ("xoxe.xoxp-", "xoxe.xoxb-", "xoxe-"), r"\d-[A-Za-z0-9]{100,250}"
    ),
    KnownToken("Stripe live key", ("sk_live_", "rk_live_"), rf"{_W}{{20,250}}"),
    KnownToken("Stripe organisation key", ("sk_org_live_",), rf"{_W}{{20,250}}"),
    KnownToken("webhook signing secret", ("whsec_",), rf"{_W}{{32,64}}(?![A-Za-z0-9])", signs_messages=True),
    KnownToken("Twilio API key", ("SK",), rf"{_H}{{32}}", needs="twilio"),
    KnownToken("SendGrid API key", ("SG.",), rf"{_U}{{22}}\.{_U}{{43}}"),
    KnownToken(
        "OpenAI API key",
        ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"),
        rf"{_U}{{20,120}}T3BlbkFJ{_U}{{20,120}}",
    ),
    KnownToken("OpenAI API key", ("sk-",), rf"{_W}{{20}}T3BlbkFJ{_W}{{20}}"),
    KnownToken("OpenAI API key", ("sk-proj-", "sk-svcacct-"), rf"{_U}{{40,200}}", needs="openai", mild=True),
    KnownToken(
        "Anthropic API key",
        ("sk-ant-api03-", "sk-ant-admin01-", "sk-ant-oat01-", "sk-ant-ort01-"),
        rf"{_U}{{80,120}}",
    ),
    KnownToken("OpenRouter API key", ("sk-or-v1-",), rf"{_H}{{64}}"),
    KnownToken("Langfuse secret key", ("sk-lf-",), rf"{_H}{{8}}-(?:{_H}{{4}}-){{3}}{_H}{{12}}"),
    KnownToken("LangSmith API key", ("lsv2_pt_", "lsv2_sk_"), rf"{_H}{{32}}_{_H}{{10}}"),
    KnownToken("Hugging Face token", ("hf_",), r"[A-Za-z]{34}"),
    KnownToken("Hugging Face organisation token", ("api_org_",), r"[A-Za-z]{34}"),
    KnownToken("Groq API key", ("gsk_",), rf"{_W}{{52}}"),
    KnownToken("Perplexity API key", ("pplx-",), rf"{_W}{{48,56}}"),
    KnownToken("xAI API key", ("xai-",), rf"{_W}{{80}}"),
    KnownToken("Replicate API token", ("r8_",), rf"{_W}{{37}}"),
    KnownToken("npm token", ("npm_",), rf"{_W}{{36}}", checked=True),
    KnownToken("PyPI token", ("pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"), rf"{_U}{{50,1000}}"),
    KnownToken("RubyGems API key", ("rubygems_",), rf"{_H}{{48}}"),
    KnownToken("Clojars deploy token", ("CLOJARS_",), r"[a-z0-9]{60}"),
    KnownToken("Docker Hub token", ("dckr_pat_", "dckr_oat_"), rf"{_U}{{27,40}}"),
    KnownToken("Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"[0-9a-fA-F]{32}"),
    KnownToken("Databricks token", ("dapi",), rf"{_H}{{32}}(?:-\d)?"),
    KnownToken("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), rf"{_H}{{64}}"),
    KnownToken("Supabase access token", ("sbp_",), rf"(?:oauth_|v0_)?{_H}{{40}}"),
    KnownToken("Supabase secret key", ("sb_secret_",), rf"{_U}{{30,48}}"),
    KnownToken("Cloudflare API token", ("cfut_", "cfat_", "cfk_"), rf"{_U}{{40,64}}", needs="cloudflare"),
    KnownToken("Cloudflare origin CA key", ("v1.0-",), rf"{_H}{{24}}-{_H}{{146}}"),
    KnownToken("age secret key", ("AGE-SECRET-KEY-1",), r"[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    KnownToken("Atlassian API token", ("ATATT3xFfGF0", "ATCTT3xFfGN0"), r"[A-Za-z0-9_=-]{60,260}"),
    KnownToken("Bitbucket app password", ("ATBB",), rf"{_W}{{24}}[0-9A-F]{{8}}"),
    KnownToken("Linear API key", ("lin_api_", "lin_oauth_"), rf"{_W}{{40,64}}"),
    KnownToken("Notion token", ("ntn_",), rf"\d{{11}}{_W}{{35}}"),
    KnownToken("Notion token", ("secret_",), rf"{_W}{{43}}", needs="notion"),
    KnownToken("Figma token", ("figd_", "figdr_"), rf"{_U}{{40,48}}"),
    KnownToken("Grafana service-account token", ("glsa_",), rf"{_W}{{32}}_{_H}{{8}}"),
    KnownToken("Grafana cloud token", ("glc_eyJ",), r"[A-Za-z0-9+/=]{40,400}"),
    KnownToken("Heroku API key", ("HRKU-AA",), rf"{_U}{{58}}"),
    KnownToken("Vault token", ("hvs.", "hvb."), rf"{_U}{{90,300}}"),
    KnownToken(
        "Doppler token",
        ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
        rf"(?:[a-z0-9_-]{{2,35}}\.)?{_W}{{40,44}}",
    ),
    KnownToken("Postman API key", ("PMAK-",), rf"{_H}{{24}}-{_H}{{34}}"),
    KnownToken("New Relic key", ("NRAK-",), r"[A-Z0-9]{27}"),
    KnownToken("Sentry token", ("sntryu_",), rf"{_H}{{64}}"),
    KnownToken("Sentry organisation token", ("sntrys_eyJ",), rf"[A-Za-z0-9+/=]{{80,250}}_{_U}{{40,50}}"),
    KnownToken("Square access token", ("sq0atp-", "sq0csp-"), rf"{_U}{{22,43}}"),
    KnownToken("Square access token", ("EAAA",), rf"{_U}{{60}}", needs="square"),
    KnownToken(
        "PlanetScale credential", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), r"[A-Za-z0-9_.=-]{32,64}"
    ),
    KnownToken("Airtable token", ("pat",), rf"{_W}{{14}}\.{_H}{{64}}"),
    KnownToken("Contentful token", ("CFPAT-",), rf"{_U}{{43}}"),
    KnownToken("Fly.io token", ("fo1_",), rf"{_U}{{43}}"),
    KnownToken("Fly.io token", ("fm1r_", "fm1a_", "fm2_"), r"[A-Za-z0-9+/]{100,700}={0,3}"),
    KnownToken("Facebook access token", ("EAA",), rf"{_W}{{90,250}}", needs="facebook"),
    KnownToken("Brevo API key", ("xkeysib-", "xsmtpsib-"), rf"{_H}{{64}}-{_W}{{16}}"),
    KnownToken("MailerSend token", ("mlsn.",), rf"{_H}{{64}}"),
    KnownToken("Mailgun key", ("key-",), rf"{_H}{{32}}", needs="mailgun"),
    KnownToken("Resend API key", ("re_",), rf"{_W}{{8}}_{_W}{{24}}"),
    KnownToken("EasyPost API key", ("EZAK",), rf"{_W}{{54}}"),
    KnownToken("Shippo live token", ("shippo_live_",), rf"{_H}{{40}}"),
    KnownToken("Plaid access token", ("access-production-",), rf"{_H}{{8}}-(?:{_H}{{4}}-){{3}}{_H}{{12}}"),
    KnownToken("Flutterwave secret key", ("FLWSECK-",), rf"{_H}{{32}}-X"),
    KnownToken("Prefect API key", ("pnu_",), r"[a-z0-9]{36}"),
    KnownToken("Pulumi access token", ("pul-",), rf"{_H}{{40}}"),
    KnownToken("ReadMe API key", ("rdme_",), r"[a-z0-9]{70}"),
    KnownToken("SonarQube token", ("squ_", "sqp_", "sqa_"), rf"{_H}{{40}}"),
    KnownToken("Buildkite token", ("bkua_", "bkaj_"), rf"{_H}{{40}}"),
    KnownToken("CircleCI token", ("CCIPAT_", "CCIPRJ_"), rf"{_W}{{22}}_{_H}{{40}}"),
    KnownToken("Netlify token", ("nfp_",), rf"{_W}{{36}}"),
    KnownToken("Vercel token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), rf"{_W}{{24,60}}", needs="vercel"),
    KnownToken(
        "Tailscale key",
        ("tskey-auth-", "tskey-api-", "tskey-client-", "tskey-scim-", "tskey-webhook-"),
        rf"{_W}{{8,24}}-{_W}{{20,40}}",
    ),
    KnownToken("1Password service-account token", ("ops_eyJ",), rf"{_U}{{250,1500}}={{0,3}}"),
    KnownToken(
        "HubSpot private-app token",
        ("pat-na1-", "pat-na2-", "pat-eu1-", "pat-ap1-"),
        rf"{_H}{{8}}-(?:{_H}{{4}}-){{3}}{_H}{{12}}",
    ),
    KnownToken("PostHog personal API key", ("phx_",), rf"{_U}{{40,56}}"),
    KnownToken("Artifactory API key", ("AKCp",), rf"{_W}{{69,75}}"),
    KnownToken("Artifactory reference token", ("cmVmdGtu",), rf"{_W}{{56}}"),
    KnownToken("Sourcegraph token", ("sgp_",), rf"(?:{_H}{{16}}_|local_)?{_H}{{40}}"),
    KnownToken("Typeform token", ("tfp_",), rf"{_U}{{40,64}}"),
    KnownToken("Adafruit IO key", ("aio_",), rf"{_W}{{28}}"),
    KnownToken("Dynatrace token", ("dt0c01.",), r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    KnownToken("Dropbox token", ("sl.u.", "sl."), rf"{_U}{{130,2000}}"),
    KnownToken("Duffel token", ("duffel_live_",), rf"{_U}{{43}}"),
    KnownToken("Firecrawl API key", ("fc-",), rf"{_H}{{32}}", needs="firecrawl"),
    KnownToken("Tavily API key", ("tvly-",), rf"(?:dev-|prod-)?{_W}{{32}}"),
    KnownToken("Pinecone API key", ("pcsk_",), rf"{_W}{{5,8}}_{_W}{{60,68}}"),
    KnownToken("NVIDIA API key", ("nvapi-",), rf"{_U}{{60,72}}"),
    KnownToken("Weights & Biases key", ("wandb_v1_",), rf"{_U}{{60,90}}", needs="wandb"),
    KnownToken("Cerebras API key", ("csk-",), r"[a-z0-9]{48}"),
    KnownToken("ElevenLabs API key", ("sk_",), rf"{_H}{{48}}(?![A-Za-z0-9_])", needs="elevenlabs"),
    KnownToken("Alibaba Cloud access key", ("LTAI",), rf"{_W}{{20}}"),
    KnownToken("Mapbox secret token", ("sk.eyJ",), rf"{_U}{{40,200}}\.{_U}{{22}}"),
    KnownToken("OpenShift token", ("sha256~",), rf"{_U}{{43}}"),
    KnownToken("Octopus Deploy API key", ("API-",), r"[A-Z0-9]{26,34}", needs="octopus"),
    KnownToken("Neon API key", ("napi_",), r"[a-z0-9]{60,70}"),
    KnownToken("NuGet API key", ("oy2",), r"[a-z0-9]{43}"),
    KnownToken("crates.io token", ("cio",), rf"{_W}{{32}}", needs="cargo"),
    KnownToken("Render API key", ("rnd_",), rf"{_W}{{28,40}}"),
    KnownToken("Frame.io token", ("fio-u-",), rf"{_U}{{64}}"),
    KnownToken("Scalingo token", ("tk-us-",), rf"{_U}{{48}}"),
    KnownToken("Infracost API key", ("ico-",), rf"{_W}{{32}}", needs="infracost"),
    KnownToken("Harness token", ("pat.", "sat."), rf"{_U}{{22}}\.{_H}{{24}}\.{_W}{{20}}"),
    KnownToken("Yandex Cloud API key", ("AQVN",), rf"{_U}{{35,38}}"),
    KnownToken("GoCardless token", ("live_",), rf"{_U}{{40}}", needs="gocardless"),
    KnownToken("Okta API token", ("00",), rf"{_U}{{40}}", needs="okta"),
    KnownToken(
        "LaunchDarkly key",
        ("sdk-", "api-"),
        rf"{_H}{{8}}-(?:{_H}{{4}}-){{3}}{_H}{{12}}",
        needs="launchdarkly",
    ),
    KnownToken("Trello token", ("ATTA",), rf"{_H}{{72}}"),
    KnownToken("DeepSeek API key", ("sk-",), rf"{_H}{{32}}", needs="deepseek"),
    KnownToken("Jina API key", ("jina_",), rf"{_U}{{60}}"),
    KnownToken("LlamaCloud API key", ("llx-",), rf"{_W}{{48}}"),
    KnownToken("E2B API key", ("e2b_",), rf"{_H}{{40}}"),
    KnownToken("Apify API token", ("apify_api_",), rf"{_W}{{36}}"),
    KnownToken("Xendit secret key", ("xnd_production_",), rf"{_W}{{40,80}}"),
    KnownToken("Paddle API key", ("pdl_live_apikey_",), rf"{_W}{{26}}_{_W}{{22}}_{_W}{{3}}"),
    KnownToken("Infisical token", ("st.",), rf"{_H}{{24}}\.{_H}{{32}}\.{_H}{{32}}"),
)

DOTTED: tuple[str, ...] = tuple(
    sorted({p[: p.rfind(".") + 1] for t in TOKENS for p in t.prefixes if "." in p} | {"v1."})
)
"""Parts of a token before a dot, which no run of token characters contains."""
_BEHIND = r"(?![A-Za-z0-9])"


@cache
def tokens_by_start() -> Mapping[str, Sequence[tuple[str, KnownToken]]]:
    """Return the tokens by their first two characters; the longest prefix first."""
    found: dict[str, list[tuple[str, KnownToken]]] = defaultdict(list)
    for token in TOKENS:
        for prefix in token.prefixes:
            found[prefix[:2]].append((prefix, token))
    return {start: sorted(rows, key=lambda row: -len(row[0])) for start, rows in found.items()}


@cache
def shape_of(token: KnownToken) -> LazyPattern:
    """Return the pattern of a token after its prefix, up to a character that cannot continue it."""
    return LazyPattern(token.shape + _BEHIND)


def checksum_of(body: str) -> str:
    """Return the checksum that ends a token with this body, the characters after the prefix.

    Source: GitHub, "Behind GitHub's new authentication token formats"; npm follows it.
    """
    number, digits = zlib.crc32(body.encode()), ""
    while number:
        number, rest = divmod(number, len(_BASE62))
        digits = _BASE62[rest] + digits
    return digits.rjust(_CHECKSUM_LENGTH, "0")


def is_checksum_valid(value: str, prefix: str) -> bool:
    """Return True if the checksum at a token's end is correct, so it was issued and not made up."""
    return checksum_of(value[len(prefix) : -_CHECKSUM_LENGTH]) == value[-_CHECKSUM_LENGTH:]
