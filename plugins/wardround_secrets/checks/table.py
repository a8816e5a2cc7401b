"""What each check is for. Not to be edited: ``wardround.checks.index`` writes it."""

from __future__ import annotations

from wardround.checks.registry import CheckEntry

TABLE: tuple[CheckEntry, ...] = (
    ("SE001", "provider_token:ProviderToken", (), (), ""),
    ("SE002", "private_key:PrivateKey", (), (), ""),
    ("SE003", "url_password:UrlPassword", (), (), ""),
    ("SE004", "assigned_secret:AssignedSecret", (), (), ""),
    ("SE005", "hardcoded_password:HardcodedPassword", (), (), ""),
    ("SE006", "json_web_token:JsonWebToken", (), (), ""),
    ("SE007", "webhook_url:WebhookUrl", (), (), ""),
    ("SE008", "cloud_key:CloudKey", (), (), ""),
    ("SE009", "credential_file:CredentialFile", (), (), ""),
    ("SE010", "password_in_test:PasswordInTest", (), (), ""),
    ("SE011", "login_pair:LoginPair", (), (), ""),
    ("SE012", "sql_password:SqlPassword", (), (), ""),
    ("SE013", "connection_string:ConnectionString", (), (), ""),
    ("SE014", "split_token:SplitToken", (), (), ""),
    ("SE015", "conflict_marker:ConflictMarker", (), (), ""),
)
