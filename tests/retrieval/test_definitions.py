"""Definitions detected from lines and indentation."""

from __future__ import annotations

import pytest

from wardround.retrieval.definitions import enclosing, functions

PYTHON = '''\
import os


class Store:
    """Keeps things."""

    def get(
        self,
        name: str,
    ) -> str:
        def inner():
            return 1

        return name

    async def put(self): ...


@decorated
def last():
    return 2
'''
TYPESCRIPT = """\
export interface User {
  name: string;
}

export const LoginForm = ({
  user,
}: Props) => {
  const submit = async (event) => {
    send(event);
  };
  return <Form onSubmit={submit} />;
};

class Api {
  private async load(id: string): Promise<User> {
    if (id) {
      return fetchUser(id);
    }
    throw new Error("no id");
  }
}

export default function App() {
  return null;
}
const answer = 42;
"""
SQL = """\
create table if not exists orders (
  id bigint primary key
);

CREATE OR REPLACE FUNCTION total(o bigint) RETURNS numeric AS $$
  SELECT 1;
$$ LANGUAGE sql;
"""
GO = """\
func (s *Store) Get(name string) string {
\treturn name
}

func main() {
\tprintln(1)
}
"""


@pytest.mark.parametrize(
    ("path", "text", "places"),
    [
        (
            "store.py",
            PYTHON,
            [
                ("Store", 4, 16),
                ("Store.get", 7, 14),
                ("Store.get.inner", 11, 12),
                ("Store.put", 16, 16),
                ("last", 20, 21),
            ],
        ),
        (
            "form.tsx",
            TYPESCRIPT,
            [
                ("User", 1, 3),
                ("LoginForm", 5, 12),
                ("LoginForm.submit", 8, 10),
                ("Api", 14, 21),
                ("Api.load", 15, 20),
                ("App", 23, 25),
            ],
        ),
        ("m.sql", SQL, [("orders", 1, 3), ("total", 5, 6)]),
        ("main.go", GO, [("Get", 1, 3), ("main", 5, 7)]),
        ("notes.yml", "on: push\n", []),
        ("empty.py", "", []),
        ("broken.py", "def f(:\n  x = (\n", [("f", 1, 2)]),
    ],
)
def test_definitions_are_found_with_their_lines(
    path: str, text: str, places: list[tuple[str, int, int]]
) -> None:
    assert [(function.name, function.line, function.end_line) for function in functions(path, text)] == places


def test_the_innermost_definition_encloses_a_line() -> None:
    found = functions("store.py", PYTHON)
    around = enclosing(found, 12)
    assert around is not None
    assert (around.name, around.signature) == ("Store.get.inner", "def inner():")
    assert enclosing(found, 1) is None


def test_a_minified_file_is_read_in_linear_time() -> None:
    assert functions("app.js", "const a=(" * 200_000) == []
    assert len(functions("app.js", "function f() {\n" * 5_000)) == 5_000
