"""Names of environment variables that denote a secret, and those that do not."""

from __future__ import annotations

import pytest
from wardround_docker_ci.analysis.secret_names import is_secret_name, is_setting


@pytest.mark.parametrize(
    "name",
    [
        "SUPABASE_SERVICE_ROLE_KEY", "APP_KEY", "AZURE_STORAGE_KEY", "API_KEYS", "OPENAI_API_KEY_DEV",
        "JWTSECRET",
        "NPM_TOKEN", "dbPassword", "ENCRYPTION_PRIMARY_KEY", "RECORD_KEY", "SMTP_DBPASS", "GITHUB_PAT",
        "CLOUD_CREDENTIALS_JSON", "API_KEY_2",
    ],
)  # fmt: skip
def test_a_secret(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "PASSWORD_ITERATIONS", "JWT_EXPIRES_IN", "PASSWORD_LOGIN_ALLOWED", "KEY", "PUBLIC_KEY", "SORT_KEY",
        "PRIMARY_KEY", "FOREIGN_KEY", "CACHE_KEY", "PARTITION_KEY", "TURNSTILE_SITE_KEY", "TOKEN_URL",
        "AWS_ACCESS_KEY_ID", "REDIS_KEY_PREFIX", "ID_TOKEN_SIGNED_RESPONSE_ALG", "GPG_KEY",
        "PASSWORD_RESET_DISABLED",
        "GOOGLE_APPLICATION_CREDENTIALS", "NEXT_PUBLIC_API_KEY",
    ],
)  # fmt: skip
def test_no_secret(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("600000", True), ("'true'", True), ("30s", True), ("", False), ("hunter2", False), ("none", False)],
)
def test_numbers_and_switches_are_settings(value: str, expected: bool) -> None:
    assert is_setting(value) is expected
