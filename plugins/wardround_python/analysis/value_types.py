"""The types of what well-known functions, methods and attributes return."""

from __future__ import annotations

from collections.abc import Mapping

TEXT, BYTES, NUMBER = "text", "bytes", "a number"
_TEXTS = """
    str repr input format ascii chr hex json.dumps os.getenv os.environ.get os.path.join os.path.basename
    os.path.dirname os.getcwd platform.system platform.machine secrets.token_hex secrets.token_urlsafe
    html.escape
    getpass.getpass textwrap.dedent urllib.parse.quote urllib.parse.urlencode yaml.dump inspect.getsource
    """
_BYTES = """
    bytes bytearray os.urandom secrets.token_bytes struct.pack pickle.dumps zlib.compress gzip.compress
    zlib.decompress gzip.decompress bz2.compress base64.b64encode base64.b64decode base64.b85encode
    base64.urlsafe_b64encode base64.urlsafe_b64decode base64.b32encode base64.b32decode orjson.dumps os.read
    base64.standard_b64encode base64.standard_b64decode binascii.hexlify binascii.unhexlify hmac.digest
    """
_NUMBERS = """
    int float len ord time.time time.monotonic os.getpid math.ceil math.floor decimal.Decimal
    """
_DATETIMES = """
    datetime.datetime.now datetime.datetime.utcnow datetime.datetime.fromisoformat datetime.datetime.strptime
    datetime.datetime.fromtimestamp django.utils.timezone.now
    """
_PATHS = """
    pathlib.Path pathlib.PurePath pathlib.Path.cwd pathlib.Path.home
    """
CALLS: Mapping[str, str] = {
    name: kind
    for kind, names in (
        (TEXT, _TEXTS),
        (BYTES, _BYTES),
        (NUMBER, _NUMBERS),
        ("a list", "list sorted"),
        ("a set", "set frozenset"),
        ("a class", "type"),
        ("a tuple", "tuple"),
        ("a mapping", "dict collections.Counter collections.defaultdict"),
        ("an iterator", "map filter zip reversed enumerate iter"),
        ("a UUID", "uuid.UUID uuid.uuid1 uuid.uuid4 uuid.uuid5"),
        ("a datetime", _DATETIMES),
        ("a date", "datetime.date.today datetime.date.fromisoformat"),
        ("a Path", _PATHS),
    )
    for name in names.split()
}
METHODS: Mapping[str, str] = {
    "encode": BYTES, "digest": BYTES, "read_bytes": BYTES, "to_bytes": BYTES, "recv": BYTES, "tobytes": BYTES,
    "decode": TEXT, "hexdigest": TEXT, "isoformat": TEXT, "strftime": TEXT, "read_text": TEXT,
    "as_posix": TEXT,
    "total_seconds": NUMBER, "timestamp": NUMBER, "weekday": NUMBER, "isoweekday": NUMBER,
    "bit_length": NUMBER,
    "splitlines": "a list", "rsplit": "a list", "partition": "a tuple", "rpartition": "a tuple",
}  # fmt: skip
"""Methods that return this type on any receiver."""
REQUEST_PARTS = frozenset({"args", "form", "GET", "POST", "query_params", "cookies", "COOKIES", "headers"})
"""The parts of a request that contain strings, by the names of the frameworks."""
CALLS_WITH_DEFAULT = frozenset({"os.getenv", "os.environ.get"})
VIEWS = frozenset({"keys", "values", "items"})
TEXT_METHODS = frozenset(
    """
    strip lstrip rstrip lower upper title capitalize casefold replace removeprefix removesuffix zfill ljust
    rjust center
    """.split()  # noqa: SIM905
)
"""Methods of text and of bytes that return the type of their receiver."""
ANNOTATIONS = {
    "str": TEXT, "bytes": BYTES, "int": NUMBER, "float": NUMBER, "UUID": "a UUID", "datetime": "a datetime",
    "Path": "a Path", "date": "a date", "Decimal": NUMBER, "list": "a list", "dict": "a mapping",
    "set": "a set",
}  # fmt: skip
REDIS_CLIENTS = frozenset({"redis.Redis", "redis.StrictRedis", "redis.from_url", "redis.Redis.from_url",
    "redis.asyncio.Redis", "redis.asyncio.from_url", "redis.asyncio.Redis.from_url",
    "redis.StrictRedis.from_url"})  # fmt: skip
VALUE_COMMANDS = frozenset(
    {"get", "hget", "getset", "getdel", "getex", "lpop", "rpop", "lindex", "spop", "echo"}
)
COLLECTION_COMMANDS = frozenset(
    {"smembers", "lrange", "hgetall", "hkeys", "hvals", "zrange", "mget", "hmget", "sinter"}
)
OUTPUT_CALLS = frozenset({"subprocess.check_output"})
PROCESS_CALLS = frozenset({"subprocess.run"})
TEXT_MODE_KEYWORDS = frozenset({"text", "universal_newlines", "encoding", "errors"})
HTTP_CALLS = frozenset({f"{package}.{verb}" for package in ("requests", "httpx") for verb in
    ("get", "post", "put", "patch", "delete", "head", "request")})  # fmt: skip
RESPONSE_ATTRIBUTES = {"content": BYTES, "text": TEXT, "status_code": NUMBER}
PROCESS_ATTRIBUTES = {"stdout": BYTES, "stderr": BYTES, "returncode": NUMBER}
