"""TS096: getter with side effect."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.checks.base import Check
from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.checks import said_of_name, stale_reader_names
from wardround_typescript.check import SCRIPTS


class GetterWithSideEffect(Check):
    """A function with the name of a getter removes or writes data since this change.

    Callers of ``getBasket`` do not expect the second call to find nothing. Name the function after its
    effect, for example ``takeBasket``.
    """

    ID = "TS096"
    NAME = "getter-with-side-effect"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "reader-that-changes"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    CASE_PATH = "a.ts"
    VALID = [
        code(
            """
            class Baskets {
              async takeBasket(visitor: string) {
                return this.redis.getdel(visitor);
              }
            }
            """,
            base="""
            class Baskets {
              async takeBasket(visitor: string) {
                return this.redis.get(visitor);
              }
            }
            """,
        ),
        code("""
            class Baskets {
              async getBasket(visitor: string) {
                return this.redis.getdel(visitor);
              }
            }
        """),
    ]
    INVALID = [
        code(
            """
            class Baskets {
              async «getBasket»(visitor: string) {
                return this.redis.getdel(visitor);
              }
            }
            """,
            base="""
            class Baskets {
              async getBasket(visitor: string) {
                return this.redis.get(visitor);
              }
            }
            """,
        ),
        code(
            """
            class Baskets {
              async «peek»(visitor: string) {
                return this.redis.shift(visitor);
              }
            }
            """,
            base="""
            class Baskets {
              async peek(visitor: string) {
                return this.redis.first(visitor);
              }
            }
            """,
        ),
    ]

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, ()

    def run(self) -> None:
        from wardround.semantics.docdrift.comment_lines import SCRIPT  # not needed where nothing changed

        for one in stale_reader_names(self.source, SCRIPT):
            self.report(*said_of_name(one))
