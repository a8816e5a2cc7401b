"""The places a stranger's text must not reach as it is: tables of functions and methods."""

from __future__ import annotations

from dataclasses import dataclass

from wardround.checks.lazy import LazyPattern
from wardround_typescript.dataflow.domain import SinkKind


@dataclass(frozen=True, slots=True)
class Sink:
    """Arguments of a call that must not be a stranger's, by position.

    Attributes:
        fields: of an object given as one of them only these properties count; none: the whole.
        receiver: what a method is called on, where its name alone says too little.
    """

    kind: SinkKind
    first: int = 0
    last: int = 0
    fields: tuple[str, ...] = ()
    receiver: LazyPattern | None = None


def _each(names: str, *sinks: Sink) -> dict[str, tuple[Sink, ...]]:
    return dict.fromkeys(names.split(), sinks)


def _under(roots: str, names: str, *sinks: Sink) -> dict[str, tuple[Sink, ...]]:
    return {f"{root}.{name}": sinks for root in roots.split() for name in names.split()}


def _table(*rows: dict[str, tuple[Sink, ...]]) -> dict[str, tuple[Sink, ...]]:
    """One table of several; a name that stands in more than one has the sinks of all."""
    whole: dict[str, tuple[Sink, ...]] = {}
    for row in rows:
        for name, sinks in row.items():
            whole[name] = (*whole.get(name, ()), *sinks)
    return whole


DATABASE = LazyPattern(
    r"(?i)(^|[._])\$?\w*(db|pool|client|conn|connection|knex|sequelize|prisma|pg|mysql|sqlite|database|datasource|"
    r"queryrunner|manager|tx|trx|transaction|sql|orm|em|drizzle|repository|repo|kysely)(\(\))?$"
)
_MODEL = LazyPattern(
    r"(^|\.)([A-Z][A-Za-z]*|\w*([mM]odel|[rR]epo(sitory)?|[cC]ollection|[eE]ntityManager|manager|[dD]ao|s))(\(\))?$"
    r"|\b(prisma|db|tx|trx|knex|database)\b|\bcollection\(|\bmodel\("
)
_RECORDS = LazyPattern(
    r"(^|\.)([A-Z][A-Za-z]*|\w*([mM]odel|[rR]epo(sitory)?|[cC]ollection|[eE]ntityManager|[mM]anager|[dD]ao))(\(\))?$"
    r"|\b(prisma|db|tx|trx|knex|database|em)\b|\bcollection\(|\bmodel\("
)
_NOT_RECORDS = LazyPattern(
    r"(^|\.)(Object|axios|crypto|hash|hmac|cipher|sign|verify|stripe|z|Joi|yup|cache|Array|Map|Set|Promise|React|ReactDOM|"
    r"Date|JSON|URL|Readable|Writable|Buffer|i18n|router|redis|Redis|Intl|Error|Reflect|Symbol|Proxy)(\.\w+)?$|createH"
)
_LDAP = LazyPattern(r"(?i)ldap|directory|^client$|\.client$|\bad$")
_XPATH = LazyPattern(r"(?i)xpath")
_DOCUMENT = LazyPattern(r"(?i)(^|\.)(doc|document|xml\w*|root|tree|dom)$")
_RESPONSE = LazyPattern(r"(^|\.)(res|response|_res|reply|rep)(\.(raw|status\(\w*\)|code\(\w*\)))?$")
_ANSWER = LazyPattern(
    r"(?i)(^|\.)(res|response|_res|reply|rep|ctx|context|c|NextResponse|Response|h|event)(\.(status|code)\(\w*\))?$|redirect"
)
_HTTP = LazyPattern(
    r"(?i)(^|\.)(axios|axiosRef|http|https|httpService|httpClient|got|ky|request|superagent|needle|agent|undici|fetcher|"
    r"axiosInstance|rp|wretch|bent|\$fetch|ofetch)$"
)
_BROWSER = LazyPattern(r"(?i)(^|\.)(page|tab|browserPage|newPage)$")
_TEMPLATES = LazyPattern(
    r"(?i)(^|\.)(ejs|pug|jade|handlebars|hbs|nunjucks|mustache|eta|dot|liquid|engine|env|twig|swig|doT|_|lodash)$"
)
_VIEWS = LazyPattern(r"(^|\.)(res|response|reply|rep|ctx|app)(\.status\(\w*\)|\.code\(\w*\))?$")
_BUILDER = LazyPattern(
    r"(?i)(^|\.)(\w*(qb|query|builder|q|knex|db|select|sql|repository|repo|manager)|createQueryBuilder\(\w*\))$|\)$"
)

_PATH = Sink(SinkKind.PATH)
_TWO_PATHS = Sink(SinkKind.PATH, 0, 1)
_URL_OPTIONS = ("url", "uri", "baseURL", "hostname", "host", "href", "prefixUrl")
_URL = Sink(SinkKind.URL, 0, 0, _URL_OPTIONS)
_FS = "fs fs.promises fs-extra graceful-fs node:fs fs-extra.promises"
_VM = "vm node:vm"

FUNCTIONS: dict[str, tuple[Sink, ...]] = {
    **_under("child_process shelljs", "exec execSync", Sink(SinkKind.SHELL)),
    **_each("exec execSync execAsync execPromise", Sink(SinkKind.SHELL)),
    **_each("execa.command execa.commandSync execa.execaCommand", Sink(SinkKind.SHELL)),
    **_under(
        _FS,
        "readFile readFileSync createReadStream writeFile writeFileSync createWriteStream appendFile "
        "appendFileSync "
        "unlink unlinkSync rm rmSync rmdir rmdirSync readdir readdirSync open openSync opendir "
        "opendirSync outputFile outputFileSync remove removeSync ensureFile readJson "
        "readJsonSync readJSON writeJson writeJsonSync writeJSON outputJson emptyDir emptyDirSync "
        "chmod chmodSync "
        "truncate truncateSync chown mkdtemp",
        _PATH,
    ),
    **_under(_FS, "copyFile copyFileSync rename renameSync cp cpSync copy copySync move moveSync "
                  "symlink link", _TWO_PATHS),
    **_each("Bun.file Bun.write Deno.readTextFile Deno.writeTextFile Deno.readFile Deno.remove", _PATH),
    **_each("rimraf rimraf.sync del read-chunk koa-send", _PATH),
    "koa-send": (Sink(SinkKind.PATH, 1, 1),),
    **_each("eval Function", Sink(SinkKind.CODE, 0, 9)),
    **_under(_VM, "runInNewContext runInThisContext runInContext compileFunction Script",
             Sink(SinkKind.CODE)),
    **_each("vm2.VMScript safe-eval static-eval notevil", Sink(SinkKind.CODE)),
    **_each("require import importScripts", Sink(SinkKind.CODE)),
    **_each(
        "ejs.render ejs.compile pug.render pug.compile jade.render handlebars.compile "
        "Handlebars.compile hbs.compile "
        "nunjucks.renderString nunjucks.compile lodash.template _.template underscore.template "
        "dot.template doT.template "
        "eta.renderString Eta.renderString liquidjs.parseAndRender swig.render twig.twig "
        "ejs.renderString art-template.render "
        "velocityjs.render hogan.js.compile template7.compile",
        Sink(SinkKind.TEMPLATE),
    ),
    **_each(
        "node-serialize.unserialize serialize-to-js.deserialize funcster.deepDeserialize cryo.parse "
        "v8.deserialize php-serialize.unserialize serialijse.deserialize",
        Sink(SinkKind.OBJECTS),
    ),
    **_each(
        "fetch node-fetch cross-fetch isomorphic-fetch node-fetch.default got axios request "
        "request-promise needle superagent ky "
        "undici.request undici.fetch undici.stream bent rp phin ofetch $fetch wretch http.get "
        "http.request https.get "
        "https.request urllib.request open-graph-scraper link-preview-js.getLinkPreview got.default "
        "axios.default "
        "isomorphic-unfetch",
        _URL,
    ),
    "needle": (Sink(SinkKind.URL, 0, 1),),
    **_each(
        "next/navigation.redirect next/navigation.permanentRedirect @remix-run/node.redirect "
        "react-router.redirect "
        "@remix-run/server-runtime.redirect @remix-run/cloudflare.redirect",
        Sink(SinkKind.REDIRECT),
    ),
    **_each("@sveltejs/kit.redirect", Sink(SinkKind.REDIRECT, 1, 1)),
    **_each("h3.sendRedirect sendRedirect", Sink(SinkKind.REDIRECT, 1, 1)),
    **_each("wkhtmltopdf html-pdf.create html-to-pdf.convertHTMLString", Sink(SinkKind.HTML)),
    **_each("RegExp", Sink(SinkKind.PATTERN)),
    **_each("sequelize.literal sequelize.Sequelize.literal drizzle-orm.sql.raw sql.raw sql.unsafe Prisma.raw "
            "@prisma/client.Prisma.raw typeorm.Raw sequelize.fn",
            Sink(SinkKind.SQL)),
    **_each("xpath.select xpath.select1 xpath.evaluate xpath.useNamespaces xpath.parse",
            Sink(SinkKind.XPATH)),
    **_each("lodash.set lodash.setWith object-path.set dot-prop.set set-value _.set dotProp.set "
            "objectPath.set lodash.zipObjectDeep",
            Sink(SinkKind.KEY, 1, 1)),
    **_each("lodash.merge lodash.defaultsDeep lodash.mergeWith deepmerge deep-extend merge-deep "
            "deepmerge.all extend "
            "_.merge _.defaultsDeep defaults-deep merge defaultsDeep",
            Sink(SinkKind.FIELDS, 1, 9)),
}  # fmt: skip
"""By the name as imported: ``fs.readFile``; names that the language brings by themselves."""

METHODS: dict[str, tuple[Sink, ...]] = _table(
    _each("query execute raw unsafe executeSql", Sink(SinkKind.SQL, 0, 0, ("text", "sql"), DATABASE),
    Sink(SinkKind.STATEMENT, 0, 0, ("text", "sql"))),
    _each("$queryRawUnsafe $executeRawUnsafe", Sink(SinkKind.SQL)),
    _each("whereRaw andWhereRaw orWhereRaw orderByRaw groupByRaw havingRaw joinRaw fromRaw selectRaw",
    Sink(SinkKind.SQL)),
    _each("where andWhere orWhere having andHaving orHaving orderBy addOrderBy groupBy addGroupBy "
          "select addSelect",
            Sink(SinkKind.STATEMENT, 0, 0, (), _BUILDER)),
    _each("innerJoin leftJoin innerJoinAndSelect leftJoinAndSelect", Sink(SinkKind.STATEMENT, 0, 2)),
    _each("run all get each exec prepare iterate pluck literal queryRaw one many none any manyOrNone "
          "oneOrNone simple task createNativeQuery",
            Sink(SinkKind.STATEMENT)),
    _each(
        "find findOne findOneAndUpdate findOneAndDelete findOneAndReplace updateOne updateMany "
        "deleteOne deleteMany "
        "countDocuments replaceOne findOneAndRemove exists distinct count remove",
        Sink(SinkKind.NOSQL, 0, 0, (), _MODEL),
    ),
    _each("aggregate", Sink(SinkKind.NOSQL, 0, 0, (), _MODEL)),
    _each("$where mapReduce", Sink(SinkKind.CODE)),
    _each(
        "create insert insertMany insertOne upsert save bulkCreate build update updateOne updateMany "
        "findByIdAndUpdate findOneAndUpdate patch "
        "createMany persist assign merge replaceOne preload findOrCreate insertAndFetch patchAndFetchById",
        Sink(SinkKind.FIELDS, 0, 2, (), _RECORDS),
    ),
    _each("sendFile sendfile download", Sink(SinkKind.PATH, 0, 0, (), _RESPONSE)),
    _each("file", Sink(SinkKind.PATH, 0, 0, (), LazyPattern(r"^h$"))),
    _each("response", Sink(SinkKind.PAGE, 0, 0, (), LazyPattern(r"^h$"))),
    _each("render view", Sink(SinkKind.PATH, 0, 0, (), _VIEWS)),
    _each("renderString compile template renderFile", Sink(SinkKind.TEMPLATE, 0, 0, (), _TEMPLATES)),
    _each("redirect location", Sink(SinkKind.REDIRECT, 0, 1, (), _ANSWER)),
    _each("goto", Sink(SinkKind.URL, 0, 0, (), _BROWSER)),
    _each("get post put patch delete head request options", Sink(SinkKind.URL, 0, 0, _URL_OPTIONS, _HTTP)),
    _each("search searchAsync searchReturnAll", Sink(SinkKind.LDAP, 1, 1, ("filter",), _LDAP)),
    _each("bind", Sink(SinkKind.LDAP, 0, 0, (), LazyPattern(r"(?i)ldap"))),
    _each("select select1 evaluate", Sink(SinkKind.XPATH, 0, 0, (), _XPATH)),
    _each("get find", Sink(SinkKind.XPATH, 0, 0, (), _DOCUMENT)),
    _each("writeFile toFile saveAs extractAllTo mv readFile outputFile", Sink(SinkKind.PATH)),
    _each("unlink rename rm", Sink(SinkKind.PATH, 0, 1, (), LazyPattern(r"(?i)(^|\.)(fs\w*|sftp|fse)$"))),
    _each("runInContext runInNewContext runInThisContext", Sink(SinkKind.CODE, 0, 0, (),
    LazyPattern(r"(?i)\bvm\b"))),
    _each("run", Sink(SinkKind.CODE, 0, 0, (), LazyPattern(r"(?i)(^|\.)(vm|sandbox|nodevm)$"))),
    _each("setContent", Sink(SinkKind.HTML, 0, 0, (), _BROWSER)),
    _each("evaluate evaluateHandle", Sink(SinkKind.CODE, 0, 0, (), _BROWSER)),
    _each("unserialize deepDeserialize", Sink(SinkKind.OBJECTS)),
    _each("html", Sink(SinkKind.HTML, 0, 0, (), LazyPattern(r"^(c|ctx|context)$"))),
)  # fmt: skip
"""By the method's name, whatever it is called on unless that is said."""

NOT_RECORDS = _NOT_RECORDS
PROCESSES = frozenset(
    {f"child_process.{name}" for name in ("spawn", "spawnSync", "execFile", "execFileSync", "fork")}
    | {"cross-spawn", "cross-spawn.sync", "execa", "execa.execa", "execa.execaSync", "execa.sync", "execa.$"}
)
"""Functions that start a program from a list of words: by a shell only where they are told to."""
LISTED_PROCESSES = {"Deno.Command": "args", "Deno.run": "cmd", "Bun.spawn": "cmd", "Bun.spawnSync": "cmd"}
"""Functions that take a program's words as one list -> the option that may hold them."""
FORMATS = frozenset({"util.format", "node:util.format", "util.formatWithOptions"})
SHELLS = LazyPattern(r"(^|/)(ba|z|da|k)?sh$|^(cmd(\.exe)?|powershell(\.exe)?|pwsh)$")
COMMAND_FLAGS = LazyPattern(r"^(-[elui]*c|/[cC]|-Command)$")
RESPONSES = LazyPattern(
    r"^((this\.)?(res|response|_res|reply|rep|ctx\.res)(\.raw)?)((\.status|\.code|\.type|\.header|\.set|\.setHeader)\(.*\))?$",
    16,
)
"""What answers a request in Express, Fastify and Node itself."""
LOG_METHODS = frozenset(
    {"log", "info", "warn", "warning", "error", "debug", "trace", "verbose", "notice", "fatal"}
)
LOGS = LazyPattern(r"^console$|(^|\.)log4js$")
"""Logs that write text as it is; most others write JSON, in which line breaks are escaped."""
TYPED_TEXT = LazyPattern(
    r"(?i)content-type['\"]?\s*[,:]\s*['\"`](text/(plain|csv|xml|markdown|javascript|event-stream|calendar)|application/|image/)"
    r"|\.type\(\s*['\"](text|txt|json|csv|xml|js|text/(plain|csv|markdown|xml)|application/[\w.+-]+|image/\w+)['\"]"
)
TYPED_HTML = LazyPattern(
    r"(?i)text/html|\.type\(\s*['\"](html|\.html)['\"]|[tT]ype\s*=\s*['\"](html|text/html)"
)

ARCHIVES = LazyPattern(
    r"['\"](?:node:)?(unzipper|yauzl(-promise)?|adm-zip|tar-stream|tar|jszip|unzip|node-stream-zip|extract-zip|decompress\w*|"
    r"fflate|zip-lib|yazl|zipjs|@zip\.js/zip\.js)['\"]"
)
ARCHIVE_NAMES = frozenset({"entryName", "fileName", "relativePath", "filename", "path", "name"})
ARCHIVE_ENTRY = LazyPattern(r"(?i)^(zip_?|tar_?)?(entry|header|member|zipentry|e|file|item)$")
MONGO = LazyPattern(r"(?i)mongo|\bcollection\(|\bCollection<")
TYPEORM = LazyPattern(r"createQueryBuilder|SelectQueryBuilder")
NO_RECORDS = frozenset(
    [
        "Error",
        "Date",
        "Map",
        "Set",
        "URL",
        "Promise",
        "RegExp",
        "Buffer",
        "Array",
        "Object",
        "Function",
        "Response",
        "NextResponse",
        "Headers",
        "URLSearchParams",
        "Proxy",
        "FormData",
        "Blob",
        "Readable",
        "PassThrough",
        "ObjectId",
        "Client",
        "Pool",
        "TextEncoder",
        "TextDecoder",
        "AbortController",
        "Uint8Array",
        "Request",
        "WeakMap",
        "Worker",
        "Function",
        "Intl",
        "Agent",
        "Number",
        "String",
        "Boolean",
    ]
)
"""Classes whose objects are no rows of a table."""
SESSION = LazyPattern(r"^(req|request|ctx|this\.ctx|c)\.session$")
TRUSTED = LazyPattern(
    r"^(req|request|ctx|this\.ctx|c)\.session(\.\w+)?\.\w*(?i:user|account|role|admin|tenant|org|team|perm|scope|plan|group|owner|"
    r"email|flag|price|total|amount|credit|level|verified|auth|login|workspace|project|customer|privilege|feature|"
    r"impersonat|id)\w*$"
)
"""What a session says about who somebody is and what they may do."""
