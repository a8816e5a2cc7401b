"""Facts about well-known libraries and programs."""
