"""Small decoders with random weights, exported as real ones are: ``python making.py OUT``.

Their first dimension is the same at every token, and the output prefers the tokens that end a value of a
JSON document by it, so that an answer has an end. All else is random.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from wardround.inference.decoder_folder import decoder_metadata
from wardround.inference.locations import METADATA_FILE
from wardround.inference.metadata import write_metadata

ARCHITECTURES = ("llama", "qwen2", "gemma3")
WINDOW = 16_384
SPECIAL = ("<pad>", "<s>", "</s>", "<|system|>", "<|user|>", "<|assistant|>")
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}"
    "{{ eos_token }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_PREFERRED = {'"': 9.0, ",": 8.5, "{": 8.0, "]": 7.5, "}": 7.0, "1": 6.5}
SILENT = "gemma3"
"""The architecture whose decoder ends a list before it begins, and so makes no claim."""
_VALUE = 4.0


def byte_tokenizer() -> Tokenizer:
    """Return a tokenizer with a token for each byte, and the special ones."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=256 + len(SPECIAL),
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["return values"], trainer)
    return tokenizer


def write_decoder(architecture: str, folder: Path) -> None:
    """Write a decoder as ``folder``, with its metadata; it is in shadow, and its name is the architecture."""
    import torch
    import transformers
    from onnxruntime_genai.models.builder import create_model

    configuration, kind = {
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
        "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
        "gemma3": (transformers.Gemma3TextConfig, transformers.Gemma3ForCausalLM),
    }[architecture]
    tokenizer = byte_tokenizer()
    torch.manual_seed(0)
    model = kind(
        configuration(
            vocab_size=tokenizer.get_vocab_size(),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=16,
            max_position_embeddings=WINDOW,
            bos_token_id=1,
            eos_token_id=2,
            pad_token_id=0,
            tie_word_embeddings=False,
        )
    )
    with torch.no_grad():
        model.get_input_embeddings().weight[:, 0] = _VALUE
        model.get_output_embeddings().weight[:, 0] = 0.0
        preferred = _PREFERRED | ({"]": 10.0} if architecture == SILENT else {})
        for text, preference in preferred.items():
            model.get_output_embeddings().weight[tokenizer.token_to_id(text), 0] = preference
    source = folder.parent / f"{architecture}-source"
    model.save_pretrained(source)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        chat_template=TEMPLATE,
    ).save_pretrained(source)
    create_model(None, str(source), str(folder), "fp32", "cpu", str(folder.parent / "cache"))
    metadata = decoder_metadata(folder, architecture, licence="MIT", date="2026-01-01", window=WINDOW)
    write_metadata(folder, metadata)


def main() -> None:
    out = Path(sys.argv[1])
    for architecture in ARCHITECTURES:
        if not (out / architecture / METADATA_FILE).exists():
            write_decoder(architecture, out / architecture)


if __name__ == "__main__":
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")
    main()
