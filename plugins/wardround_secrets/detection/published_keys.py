"""Keys that their maker publishes: an emulator or a local stack has the same key on every machine."""

from __future__ import annotations

from wardround.storage.digest import sha256

_DIGESTS = frozenset(
    {
        # Supabase CLI, `supabase start`: the secret key, and the access key of its local object storage
        "c85debb55f2f204d868cc1552c42faa143b4c675f61363ab040dd50b5b5304cd",
        "b0f3a96ded759f6c5f13d27881ffcbfd7821fd6bb5858b0ab819e7a187e46452",
        "7f59edafa4d502ca0156b8fddf28394634d77b1843838b5783a7c9c95fcbd32f",
        # Azurite, account devstoreaccount1
        "0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059",
        # emulator of Azure Cosmos DB
        "aa6547439583c3a275d4542a0df6c1ad6a863971be9f2a2220f027cc02aef615",
    }
)
"""SHA-256 of the keys, so that no scanner reports this file."""
_SHORTEST, _LONGEST = 32, 90
_QUOTES = "\"'`"


def is_published(value: str) -> bool:
    """Return True for a key that opens only services on the machine that starts them."""
    key = value.strip(_QUOTES)
    if not _SHORTEST <= len(key) <= _LONGEST:
        return False
    return sha256(key.encode("utf-8", "replace")).hexdigest() in _DIGESTS
