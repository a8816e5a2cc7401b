"""The experiments of wardround itself."""
