"""Rules about changes to tests, snapshots and their configuration."""
