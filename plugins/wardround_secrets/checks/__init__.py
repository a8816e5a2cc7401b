"""The secrets specialist's checks, in order: the first that matches a value reports it."""

from __future__ import annotations

from wardround_secrets.checks.keys.cloud_key import CloudKey
from wardround_secrets.checks.keys.private_key import PrivateKey
from wardround_secrets.checks.merge_conflicts.conflict_marker import ConflictMarker
from wardround_secrets.checks.passwords.assigned_secret import AssignedSecret
from wardround_secrets.checks.passwords.committed_credentials import CommittedCredentials
from wardround_secrets.checks.passwords.connection_string_password import ConnectionStringPassword
from wardround_secrets.checks.passwords.hardcoded_password import HardcodedPassword
from wardround_secrets.checks.passwords.password_in_test import PasswordInTest
from wardround_secrets.checks.passwords.sql_password import SqlPassword
from wardround_secrets.checks.passwords.url_password import UrlPassword
from wardround_secrets.checks.passwords.username_password_pair import UsernamePasswordPair
from wardround_secrets.checks.tokens.json_web_token import JsonWebToken
from wardround_secrets.checks.tokens.provider_token import ProviderToken
from wardround_secrets.checks.tokens.split_token import SplitToken
from wardround_secrets.checks.tokens.webhook_url import WebhookUrl
from wardround_secrets.detection.scanner import SecretCheck

CHECKS: tuple[type[SecretCheck], ...] = (
    PrivateKey,
    ProviderToken,
    WebhookUrl,
    CloudKey,
    JsonWebToken,
    UrlPassword,
    CommittedCredentials,
    AssignedSecret,
    HardcodedPassword,
    ConnectionStringPassword,
    UsernamePasswordPair,
    SqlPassword,
    SplitToken,
    PasswordInTest,
    ConflictMarker,
)
