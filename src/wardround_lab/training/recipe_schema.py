"""The JSON schema of recipes, for completion and checks in editors."""

from __future__ import annotations

from wardround.text.struct_schema import attribute_texts, document_text, struct_schemas
from wardround_lab.training.boosting_pipeline import TreeRecipe
from wardround_lab.training.chat.recipe import ChatRecipe
from wardround_lab.training.line_defects.recipe import LineRecipe
from wardround_lab.training.recipe import Recipe
from wardround_lab.training.text_classes.recipe import TextRecipe

_KINDS = (Recipe, ChatRecipe, LineRecipe, TextRecipe, TreeRecipe)


def recipe_schema() -> str:
    """Return the schema of a recipe of any kind."""
    shared = {"kind": "The kind of training; a recipe of choices has none.", **attribute_texts(Recipe)}
    schemas = struct_schemas(_KINDS, shared)
    any_kind = {"anyOf": [schemas.roots[kind] for kind in _KINDS]}
    return document_text("Recipe of a model of wardround", any_kind, schemas.definitions)
