"""Breaking changes and additions of published surfaces, with their forms, migrations and commits."""
