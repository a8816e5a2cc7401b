"""Taint from outside in servers of several frameworks, and its sanitizers."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from wardround_typescript.dataflow.domain import SinkKind
from wardround_typescript.dataflow.file_analysis import hits, parameter_hits

from wardround.change.repository_view import InMemoryRepository
from wardround.checks.source import SourceFile
from wardround.languages.script.syntax import parse_script


def found(
    text: str, path: str = "src/a.ts", others: Mapping[str, str] | None = None
) -> list[tuple[int, str]]:
    """The (line, text) of what a stranger's data reaches."""
    source = SourceFile(path, text, project=InMemoryRepository({**(others or {}), path: text}))
    module = parse_script(path, text)
    return [(module.place(hit.node)[0], module.of(hit.node)) for hit in hits(source)]


SOURCES = {
    "express": "app.get('/', (req, res) => db.query(`select * from t where a = '${req.query.a}'`));",
    "express, taken apart": "app.get('/', ({ query: { a } }: Request, res) => db.query('select * "
    "from t where a = ' + a));",
    "koa": "import Router from '@koa/router';\nr.get('/', async (ctx) => { await db.query('select * "
    "from t where a = ' + ctx.query.a); });",
    "fastify": "app.get<{ Params: { a: string } }>('/', async (request) => db.query(`select 1 from t "
    "where a = ${request.params.a}`));",
    "hono": "app.get('/', async (c) => db.query(`select * from t where a = ${c.req.query('a')}`));",
    "nest": "class C { @Get() list(@Query('a') a: string) { return this.db.query(`select * from t "
    "where a = '${a}'`); } }",
    "next, route": "export async function GET(request: NextRequest) {\n const a = "
    "request.nextUrl.searchParams.get('a');\n return db.query(`select * from t where "
    "a = ${a}`); }",
    "next, parameters": "export async function GET(_: Request, { params }: P) {\n const { a } = "
    "await params;\n return db.query(`select * from t where a = ${a}`); }",
    "server action": "'use server';\nexport async function find(data: FormData) { await "
    "db.query(`select * from t where a = ${data.get('a')}`); }",
    "trpc": "p.input(z.object({ a: z.string() })).query(({ ctx, input }) => ctx.db.execute(`select * "
    "from t where a = ${input.a}`));",
    "lambda": "exports.handler = async (event) => {\n const { a } = JSON.parse(event.body);\n await "
    "db.query(`select * from t where a = ${a}`); };",
    "socket": "import { WebSocketServer } from 'ws';\nws.on('message', (data) => db.query('select * "
    "from t where a = ' + data.toString()));",
}


@pytest.mark.parametrize("name", SOURCES)
def test_request_data_is_followed_to_the_query(name: str) -> None:
    assert len({line for line, _ in found(SOURCES[name])}) == 1


CLEANSED = {
    "number": "const a = Number(req.query.a);",
    "list": "const a = String(req.query.a);\n  if (!['x', 'y'].includes(a)) return res.sendStatus(400);",
    "set": "const a = KNOWN.has(req.query.a) ? req.query.a : 'x';",
    "table": "const a = TABLE[String(req.query.a)];",
    "pattern": "const a = String(req.query.a);\n  if (!/^\\w+$/.test(a)) throw new Error('a');",
    "switch": "let a = 'x';\n  switch (req.query.a) {\n    case 'y':\n      a = req.query.a;\n  }",
    "helper that throws": "const { a } = req.query;\n  assertKnown(a);",
    "schema": "const { a } = z.object({ a: z.enum(['x', 'y']) }).parse(req.query);",
    "uuid in a safe parse": "const parsed = z.object({ a: z.string().uuid() "
    "}).safeParse(req.query);\n  const a = parsed.data.a;",
    "all but letters taken out": "const a = String(req.query.a).replace(/[^a-z]/g, '');",
    "length": "const a = req.query.a.length;",
}


@pytest.mark.parametrize("name", CLEANSED)
def test_validated_or_converted_data_is_not_reported(name: str) -> None:
    text = (
        f"app.get('/', (req, res) => {{\n  {CLEANSED[name]}\n  db.query('select * from t where a = ' "
        f"+ a);\n}});\n"
    )
    assert found(text) == []


def test_text_accepted_by_a_schema_stays_tainted() -> None:
    text = (
        "app.get('/', (req, res) => {\n  const { a } = z.object({ a: z.string().min(2) }).parse(req.query);\n"
        "  db.query(`select * from t where a = ${a}`);\n});\n"
    )
    assert [line for line, _ in found(text)] == [3, 3]


FLOWS = {
    "assignment": "let a = ''; a = q; use(a);",
    "concatenation in steps": "let a = 'x '; a += q; use(a);",
    "array": "const a = ['x']; a.push(q); use(a.join(' '));",
    "spread": "const a = { b: 1, ...{ q } }; use(a.q);",
    "choice": "use(flag ? q : 'x');",
    "default": "const { a = q } = {}; use(a);",
    "callback": "[q].map((one) => use(one));",
    "closure": "const run = () => use(q); run();",
    "helper": "use(made(q)); function made(x) { return `x ${x}`; }",
    "class": "class A { constructor(x) { this.x = x; } go() { use(this.x); } } new A(q).go();",
    "optional chain": "use(q?.trim());",
    "loop": "for (const one of [q]) use(one);",
    "promise": "Promise.resolve(q).then((one) => use(one));",
    "try": "try { use(q); } catch {}",
    "field of an object": "const o = { a: 1, b: q }; use(o.b);",
}


@pytest.mark.parametrize("name", FLOWS)
def test_taint_propagates_through(name: str) -> None:
    steps = FLOWS[name].replace("use(", "eval(")
    assert found(f"app.get('/', (req, res) => {{ const q = req.body.q; {steps} }});\n"), name


def test_sibling_of_a_tainted_field_is_clean() -> None:
    text = "app.get('/', (req) => { const o = { a: 'x', b: req.query.b }; eval(o.a); });\n"
    assert found(text) == []


def test_fields_are_bound_separately_to_parameters() -> None:
    text = "function run({ a, b }) { eval(a); }\napp.get('/', (req) => run({ a: 'x', b: req.query.b }));\n"
    assert found(text) == []


IMPORTED = {"src/run.ts": "export function run(code: string) {\n  return eval(code);\n}\n"}
CALLER = "import { run } from './run';\napp.get('/', (req, res) => run(req.query.q));\n"


def test_sink_in_an_unchanged_file_is_reported_at_the_call() -> None:
    assert found(CALLER, others=IMPORTED) == [(2, "run(req.query.q)")]


def test_sink_in_a_changed_file_is_reported_at_the_sink() -> None:
    source = SourceFile(
        "src/a.ts",
        CALLER,
        project=InMemoryRepository({"src/a.ts": CALLER, **IMPORTED}),
        is_changed=IMPORTED.__contains__,
    )
    assert hits(source) == []
    assert found(IMPORTED["src/run.ts"], "src/run.ts", {"src/a.ts": CALLER}) == [(2, "code")]


def test_method_is_resolved_by_the_type_of_its_receiver() -> None:
    service = "export class Git {\n  log(ref: string) {\n    return eval(ref);\n  }\n}\n"
    controller = (
        "import { Git } from './git';\nclass C {\n  constructor(private readonly git: Git) {}\n"
        "  @Get()\n  show(@Query('ref') ref: string) {\n    return this.git.log(ref);\n  }\n}\n"
    )
    assert found(service, "src/git.ts", {"src/c.ts": controller}) == [(3, "ref")]


def test_parameters_are_distinct_from_request_data() -> None:
    text = "export const rows = (a: string) => db.query(`select * from t where a = '${a}'`);\n"
    source = SourceFile("a.ts", text, project=InMemoryRepository({"a.ts": text}))
    assert hits(source) == []
    assert any(hit.labels & SinkKind.QUOTED for hit in parameter_hits(source))


@pytest.mark.parametrize(
    "text", ["", "{", "const = ;", "app.get('/', (req) => eval(", "class { @Get( }", "`${", "\0é"]
)
def test_invalid_syntax_does_not_crash(text: str) -> None:
    found(text)


def test_deep_nesting_does_not_crash() -> None:
    found("const a = " + "(" * 3000 + "1" + ")" * 3000 + ";\n")
    found("app.get('/', (req) => eval(" + "f(" * 400 + "req.query.a" + ")" * 400 + "));\n")


def test_columns_are_code_points() -> None:
    text = "app.get('/', (req) => { const é = '😀'; eval(req.query.a); });\n"
    source = SourceFile("a.js", text)
    span = parse_script("a.js", text).span(hits(source)[0].node)
    assert text[span.column - 1 : span.end_column - 1] == "req.query.a"
