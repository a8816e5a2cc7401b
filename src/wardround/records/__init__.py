"""Audit records: their content, in-toto statements in signed envelopes, verification, replay and the store.

``record`` is the content, which ``bundle.write`` encodes and signs; ``verify.verify_record`` checks the bytes
of a record, ``replay`` derives its verdict again; ``store.RecordStore`` stores records outside of the work
tree.
"""
