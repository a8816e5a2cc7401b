from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from wardround_docker_ci.models.jenkinsfile import Jenkinsfile


def test_only_strings_that_groovy_fills_in_have_interpolations() -> None:
    text = "sh 'a $B'\nsh \"a ${b.c} $d \\$e\"\nsh '''${x}'''\nsh \"\"\"${params['y']}\"\"\"\n"
    found = [
        [i.inside for t in call.script for i in t.interpolations] for call in Jenkinsfile(text).shell_steps
    ]
    assert found == [[], ["b.c", "d"], [], ["params['y']"]]


def test_an_interpolation_has_its_place() -> None:
    text = 'node { sh(script: "é ${params.X}", returnStatus: true) }'
    (call,) = Jenkinsfile(text).shell_steps
    (found,) = call.script[0].interpolations
    assert text[found.start : found.end] == "${params.X}"
    status = call.named_argument("returnStatus")
    assert status is not None
    assert status.text == "true"


def test_a_token_knows_the_blocks_around_it() -> None:
    text = "pipeline { stages { stage('a') { steps { withCredentials([string(x: 'y')]) { sh 'b' } } } } }"
    (call,) = Jenkinsfile(text).shell_steps
    assert call.name.is_in("withCredentials")
    assert call.name.is_in("stage")
    assert not call.name.is_in("script")


def test_an_answer_that_is_used_is_reported_from_one_that_is_dropped() -> None:
    text = "sh 'a'\ndef x = sh(script: 'b')\nif (sh(script: 'c') != 0) {}\nsh(script: 'd').trim()\n"
    assert [call.assigned for call in Jenkinsfile(text).shell_steps] == [False, True, True, True]


def test_comments_and_slashy_strings_are_no_code() -> None:
    text = "// sh 'a'\n/* sh 'b' */\ndef r = ~/sh 'c'/\nsh 'd'\n"
    assert [call.script[0].text for call in Jenkinsfile(text).shell_steps] == ["d"]


@given(st.text(alphabet="sh a(){}[]'\"$\\/*\n=.,:é", max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for token in Jenkinsfile(text).tokens:
        assert 0 <= token.start <= token.end <= len(text)
        assert token.passage().end <= len(text)
