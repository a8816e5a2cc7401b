"""Chat templates are rendered as transformers renders them, and open no file."""

from __future__ import annotations

import json

import pytest

from wardround.errors import ModelError
from wardround.models.chat_template import ChatMessage, ChatTemplate

MESSAGES = (ChatMessage("system", "Be brief."), ChatMessage("user", "Hello"))


def template(text: str, **config: object) -> ChatTemplate:
    return ChatTemplate(json.dumps(config).encode(), text.encode())


def test_a_template_gets_the_messages_and_the_special_tokens() -> None:
    text = (
        "{{ bos_token }}{% for m in messages %}{{ m.role }}:{{ m['content'] | trim }}"
        "{{ eos_token }}{% endfor %}"
    )
    found = template(text, bos_token="<s>", eos_token={"content": "</s>"}).render(MESSAGES)
    assert found == "<s>system:Be brief.</s>user:Hello</s>"


def test_the_template_of_the_configuration_counts_without_a_file() -> None:
    assert ChatTemplate(b'{"chat_template": "{{ messages[1].content }}>"}', b"").render(MESSAGES) == "Hello>"


def test_blocks_leave_no_line_of_their_own() -> None:
    text = (
        "{% for m in messages %}\n  {% if loop.first %}\n{% continue %}\n  {% endif %}\n"
        "{{ m.content }}\n{% endfor %}"
    )
    assert template(text).render(MESSAGES) == "Hello\n"


def test_a_template_without_a_message_of_the_system_gets_it_with_the_first_of_the_user() -> None:
    text = (
        "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "{{ messages[0].content }}"
    )
    assert template(text).render(MESSAGES) == "Be brief.\n\nHello"


@pytest.mark.parametrize(
    "text",
    [
        "{{ messages.__class__.__mro__ }}",
        "{% include '/etc/passwd' %}",
        "{{ raise_exception('never') }}",
        "{% for",
        "{{ messages.append(1) }}",
    ],
)
def test_a_template_that_cannot_be_used_is_an_error(text: str) -> None:
    with pytest.raises(ModelError, match=r"^its chat template cannot be used: "):
        template(text).render(MESSAGES)


def test_no_template_is_an_error() -> None:
    with pytest.raises(ModelError, match=r"^it has no chat template; "):
        template("")
