"""Functions and methods that wait for a network, a child, a clock or a queue."""

from __future__ import annotations

from collections.abc import Mapping

_HTTP_VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "request")
WAITING_CALLS = frozenset(
    {f"requests.{verb}" for verb in _HTTP_VERBS}
    | {f"urllib3.{name}" for name in ("request",)}
    | {f"httpx.{verb}" for verb in (*_HTTP_VERBS, "stream")}
    | {f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "getoutput")}
    | {"time.sleep", "os.system", "urllib.request.urlopen", "urllib.request.urlretrieve"}
    | {"socket.create_connection", "smtplib.SMTP", "smtplib.SMTP_SSL", "concurrent.futures.wait"}
    | {f"django.core.mail.{name}" for name in ("send_mail", "send_mass_mail", "mail_admins", "mail_managers")}
)
_VERBS = frozenset({*_HTTP_VERBS, "send", "stream"})
_SQL = frozenset({"execute", "scalars", "scalar", "commit", "flush", "refresh", "get"})
_REDIS = frozenset(
    {
        "get", "set", "setex", "incr", "hget", "hset", "hgetall", "lpush", "rpush", "lpop", "blpop",
        "publish", "delete", "expire", "ping", "exists", "sadd", "smembers",
    }
)  # fmt: skip
_FTP = frozenset({"connect", "login", "retrbinary", "storbinary", "nlst", "cwd"})
_MONGO = frozenset(
    {
        "find_one", "insert_one", "insert_many", "update_one", "update_many", "delete_one", "delete_many",
        "replace_one",
        "count_documents", "aggregate", "find_one_and_update",
    }
)  # fmt: skip
_CLOUD = frozenset(
    {
        "put_object", "get_object", "head_object", "delete_object", "copy_object", "list_objects_v2",
        "upload_file", "upload_fileobj", "download_file", "download_fileobj", "send_message",
        "receive_message", "delete_message", "publish", "invoke", "put_item", "get_item",
        "query", "scan", "update_item", "send_email", "put_events", "get_secret_value",
    }
)  # fmt: skip
WAITING_METHODS: Mapping[str, frozenset[str]] = {
    "requests.Session": _VERBS,
    "requests.session": _VERBS,
    "httpx.Client": _VERBS,
    "subprocess.Popen": frozenset({"wait", "communicate"}),
    "queue.Queue": frozenset({"get", "join"}),
    "queue.SimpleQueue": frozenset({"get"}),
    "threading.Event": frozenset({"wait"}),
    "threading.Thread": frozenset({"join"}),
    "smtplib.SMTP": frozenset({"send_message", "sendmail", "login", "starttls", "connect"}),
    "smtplib.SMTP_SSL": frozenset({"send_message", "sendmail", "login", "connect"}),
    "django.core.mail.EmailMessage": frozenset({"send"}),
    "django.core.mail.EmailMultiAlternatives": frozenset({"send"}),
    "sqlalchemy.orm.Session": _SQL,
    "sqlalchemy.orm.session.Session": _SQL,
    "redis.Redis": _REDIS,
    "redis.StrictRedis": _REDIS,
    "redis.from_url": _REDIS,
    "redis.Redis.from_url": _REDIS,
    "boto3.client": _CLOUD,
    "paramiko.SSHClient": frozenset({"connect", "exec_command"}),
    "urllib3.PoolManager": frozenset({"request", "urlopen"}),
    "http.client.HTTPSConnection": frozenset({"request", "getresponse", "connect"}),
    "http.client.HTTPConnection": frozenset({"request", "getresponse", "connect"}),
    "ftplib.FTP": _FTP,
    "ftplib.FTP_TLS": _FTP,
    "kafka.KafkaProducer": frozenset({"flush"}),
    "psycopg2.connect": frozenset({"commit", "rollback"}),
    "psycopg.connect": frozenset({"execute", "commit", "rollback"}),
    "asyncio.run_coroutine_threadsafe": frozenset({"result"}),
    "pymongo.MongoClient": _MONGO,
    "stripe.StripeClient": frozenset(),
    "openai.OpenAI": frozenset({"create"}),
    "openai.AzureOpenAI": frozenset({"create"}),
    "anthropic.Anthropic": frozenset({"create"}),
}
BELOW = frozenset({"pymongo.MongoClient", "openai.OpenAI", "openai.AzureOpenAI", "anthropic.Anthropic"})
"""Types whose attributes also wait: ``client.shop.orders.find_one()``."""
WAITING_ROOTS = tuple(sorted({name.partition(".")[0] for name in (*WAITING_CALLS, *WAITING_METHODS)}))
