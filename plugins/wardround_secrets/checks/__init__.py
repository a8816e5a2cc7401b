"""The secrets specialist's checks, one kind of secret in each file; the first that sees one speaks."""

from __future__ import annotations

from wardround_secrets.checks.assigned_secret import AssignedSecret
from wardround_secrets.checks.cloud_key import CloudKey
from wardround_secrets.checks.conflict_marker import ConflictMarker
from wardround_secrets.checks.connection_string import ConnectionString
from wardround_secrets.checks.credential_file import CredentialFile
from wardround_secrets.checks.hardcoded_password import HardcodedPassword
from wardround_secrets.checks.json_web_token import JsonWebToken
from wardround_secrets.checks.login_pair import LoginPair
from wardround_secrets.checks.password_in_test import PasswordInTest
from wardround_secrets.checks.private_key import PrivateKey
from wardround_secrets.checks.provider_token import ProviderToken
from wardround_secrets.checks.split_token import SplitToken
from wardround_secrets.checks.sql_password import SqlPassword
from wardround_secrets.checks.url_password import UrlPassword
from wardround_secrets.checks.webhook_url import WebhookUrl
from wardround_secrets.detection.scanner import SecretCheck

CHECKS: tuple[type[SecretCheck], ...] = (
    PrivateKey,
    ProviderToken,
    WebhookUrl,
    CloudKey,
    JsonWebToken,
    UrlPassword,
    CredentialFile,
    AssignedSecret,
    HardcodedPassword,
    ConnectionString,
    LoginPair,
    SqlPassword,
    SplitToken,
    PasswordInTest,
    ConflictMarker,
)
