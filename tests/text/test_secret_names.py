"""Names of environment variables that denote a secret, and those that do not."""

from __future__ import annotations

import pytest

from wardround.text.secret_names import is_secret_name


@pytest.mark.parametrize(
    "name",
    [
        "SUPABASE_SERVICE_ROLE_KEY", "APP_KEY", "AZURE_STORAGE_KEY", "API_KEYS", "OPENAI_API_KEY_DEV",
        "JWTSECRET",
        "NPM_TOKEN", "dbPassword", "ENCRYPTION_PRIMARY_KEY", "RECORD_KEY", "SMTP_DBPASS", "GITHUB_PAT",
        "CLOUD_CREDENTIALS_JSON", "API_KEY_2",
        "APP_PRIVATE_KEY_BASE64", "WALLET_PRIVATE_KEY_HEX", "HASHING_KEY_V1",  # the form of the value follows
        "QUEUE_API_KEY_FOR_JOBS", "SIGNING_KEY_MIRROR", "ACCESS_KEY_MIRROR",  # what uses it follows
        "DIRECTORY_BINDPW", "OWNERPASS", "STORE_ENCRYPTIONKEY", "NODE_AUTHKEY", "PASS", "ADMIN_PW",
        "PARTNER_API_TOKENS", "LOGIN_PEPPER", "NODE_COOKIE", "DOOR_ACCESS_CODE", "CLOUD_SERVICE_ACCOUNT_JSON",
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
        "OWN_SECRET_NAMES", "APIKEY_HOSTS", "LOGIN_TOKEN_REALM", "PASSWORD_MODULE",
        "CREDENTIALS_REGION", "CREDENTIALS_URL_V2", "CREDENTIALS_FILEPATH", "SECRET_STORE_DIRECTORY",
        "REQUIRE_CLIENT_TOKEN", "DISABLED_MAIL_AND_PASSWORD", "CORS_SEND_CREDENTIALS",
        "SKIP_REFRESH_TOKENS",
        "MAX_TOKENS", "CONTEXT_TOKENS", "SECURE_COOKIE", "UWSGI_PASS", "OLDPWD", "BYPASS", "MONKEY",
        "PREFIX_KEY", "SITEKEY", "PWD", "SERVICE_ACCOUNT",
    ],
)  # fmt: skip
def test_no_secret(name: str) -> None:
    assert not is_secret_name(name)
