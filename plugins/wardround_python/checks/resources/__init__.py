"""Rules about files, connections and other resources that are opened and released."""
