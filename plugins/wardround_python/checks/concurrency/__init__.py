"""Rules about coroutines, threads, locks, retries and transactions."""
