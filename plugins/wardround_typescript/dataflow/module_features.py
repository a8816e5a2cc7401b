"""The frameworks and libraries that a module uses, by its source."""

from __future__ import annotations

from functools import cached_property

from tree_sitter import Node

from wardround.change.repository_view import RepositoryView
from wardround.lazy import LazyPattern
from wardround_typescript.dataflow import sinks, sources
from wardround_typescript.dataflow.scope import ModuleScope

_PROGRAM = LazyPattern(
    r"['\"](commander|yargs|cac|@commander-js/\S+|sade|oclif|@oclif/core|minimist|meow|citty)['\"]"
)
_SOCKETS = LazyPattern(
    r"socket\.io|['\"]ws['\"]|WebSocket|uWebSockets|@fastify/websocket|express-ws|sockjs|['\"]net['\"]"
    r"|node:net|\bio\.on\(\s*['\"]connection"
)
_UPLOADS = LazyPattern(
    r"multer|busboy|formidable|multiparty|@fastify/multipart|fastify-multipart|multipart|koa-body"
    r"|graphql-upload"
)
_QUERIES = LazyPattern(r"(Query|Mutation)\s*:\s*\{|@Resolver|resolvers")
_OLD_YAML = LazyPattern(r'"js-yaml"\s*:\s*"[~^]?[0-3]\.')
_RECORDS = LazyPattern(r"mongoose|sequelize|typeorm|[mM]odel|objection|bookshelf|waterline|entit(y|ies)", 2)
_MODELS = LazyPattern(r"models?/|[mM]odel['\"]")
_SQL_STORES = LazyPattern(r"(?i)sequelize|typeorm|prisma|knex|objection|drizzle|Repository|mikro-orm")


class ModuleFeatures:
    """Facts about a module that decide which sources and sinks it can have; each is computed once."""

    def __init__(self, scope: ModuleScope, project: RepositoryView) -> None:
        self._module = scope.module
        self._text = scope.module.text
        self._project = project

    def _contains_pattern(self, pattern: LazyPattern) -> bool:
        return pattern.search(self._text) is not None

    def is_server_action(self, function: Node) -> bool:
        """Return True if a browser may call the function by itself."""
        if sources.is_marked_as_action(self._module, function):
            return True
        return self._has_server_actions and sources.is_exported(function)

    @cached_property
    def _has_server_actions(self) -> bool:
        return sources.is_server_module(self._module)

    @cached_property
    def is_program(self) -> bool:
        """It parses the arguments of a command."""
        return self._contains_pattern(_PROGRAM)

    @cached_property
    def is_hapi(self) -> bool:
        """It defines routes of hapi."""
        return "@hapi/" in self._text or "server.route(" in self._text

    @cached_property
    def is_nitro(self) -> bool:
        """It defines event handlers of h3, whose functions Nitro imports automatically."""
        return "defineEventHandler" in self._text or "eventHandler" in self._text

    @cached_property
    def serves_sockets(self) -> bool:
        """It receives messages of sockets."""
        return self._contains_pattern(_SOCKETS)

    @cached_property
    def accepts_uploads(self) -> bool:
        """It receives uploaded files."""
        return self._contains_pattern(_UPLOADS)

    @cached_property
    def preserves_paths(self) -> bool:
        """Its uploads keep the paths that their sender wrote."""
        return "preservePath" in self._text

    @cached_property
    def resolves_queries(self) -> bool:
        """It has resolvers of GraphQL."""
        return self._contains_pattern(_QUERIES)

    @cached_property
    def reads_archives(self) -> bool:
        """It reads entries of archives."""
        return self._contains_pattern(sinks.ARCHIVES)

    @cached_property
    def uses_mongo(self) -> bool:
        """It queries MongoDB."""
        return self._contains_pattern(sinks.MONGO) or (
            self._contains_pattern(_MODELS) and not self._contains_pattern(_SQL_STORES)
        )

    @cached_property
    def builds_queries(self) -> bool:
        """It uses the query builder of TypeORM."""
        return self._contains_pattern(sinks.TYPEORM)

    @cached_property
    def uses_record_classes(self) -> bool:
        """It uses the classes of an object-relational mapper."""
        return self._contains_pattern(_RECORDS)

    @cached_property
    def writes_lines(self) -> bool:
        """It composes text of lines that end as in HTTP headers."""
        return "\\r\\n" in self._text

    @cached_property
    def has_unsafe_yaml(self) -> bool:
        """It loads YAML with a version or a schema that can create functions."""
        package = self._project.read("package.json") or ""
        return _OLD_YAML.search(package) is not None or "DEFAULT_FULL_SCHEMA" in self._text
