"""Rules as data: tool maps under ``tools``, declarative rules under the name of their language."""
