"""Words of docstrings, comments and names that promise work or declare a stub."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern

MARKER = LazyPattern(
    r"\b(TODO|FIXME|XXX)\b(?!-)|(?i:\b(not implemented yet|not yet implemented|implement me)\b)"
)
_RESULTS = (
    "Compute|Calculate|Return|Fetche?|Validate|Parse|Retrieve|Determine|Estimate|Convert|Count|Checke?|Verif(?:y|ie)"
    "|Authenticate|Authori[sz]e|Decide|Find|Search|Select|Recommend|Rank|Score|Render|Generate|Build|Decode"
    "|Encode|Encrypt|Decrypt|Hashe?|Sign|Extract|Load|Read|Resolve|Translate|Measure|Detect|Look up|Sum"
    "|Ping|Probe|Ask|Compare|Classif(?:y|ie)|Screen|Scan|Collect|Query|Querie|Predict|Format|Match(?:e)?|Assesse?|Evaluate"
    "|Derive|Work out|Inspect|Map|Split|Group|Filter|Sort|Download|Request|Lookup"
)
_EFFECTS = (
    "Delete|Remove|Send|Save|Store|Write|Update|Insert|Create|Revoke|Cancel|Refund|Charge|Notify|Publishe?"
    "|Upload|Archive|Lock|Unlock|Purge|Apply|Applie|Schedule|Enqueue|Record|Flushe?|Invalidate|Clear|Copy|Move"
    "|Register|Persist|Sync|Synchroni[sz]e|Merge|Migrate|Rotate|Import|Export|Email|E-mail|Block|Expire"
    "|Restore|Reset|Release|Reserve|Deactivate|Activate|Disable|Enable|Ensure|Enforce|Log|Post|Push|Deliver"
    "|Erase|Wipe|Anonymi[sz]e|Redact|Drop|Submit|Start|Stop|Add|Append|Book|Bill|Pay|Settle|Close|Trigger|Print|Replace"
    "|Rebuild|Reindex|Index|Mark|Assign|Attach|Grant|Deny|Reject|Approve|Retry|Forward|Track|Emit|Broadcast|Subscribe"
)
PROMISE = LazyPattern(rf"(?:{_RESULTS}|{_EFFECTS})s?\b(?!:)", re.IGNORECASE)
EFFECT = LazyPattern(rf"({_EFFECTS})s?\b", re.IGNORECASE)
# Guards: a stub of one lets everyone in.
GUARD_NAME = LazyPattern(
    r"_*(verify_\w+|authenticate\w*|authori[sz]e\w*|is_(authori[sz]ed|authenticated|allowed"
    r"|permitted|trusted)"
    r"|has_(permission|access|role)\w*|(check|validate)_(\w+_)?(signature|password|permissions?|access|token"
    r"|credentials|hmac|csrf))"
)
# Words of a docstring that documents the constant.
CONSTANT_DOCUMENTED = LazyPattern(
    r"\b(always|never|none|true|false|nothing|default|no-?op|dummy|empty|constant|subclass\w*"
    r"|overrid\w+|abstract"
    r"|placeholder|mock|fake|not supported|unsupported|deprecated|compatib\w+)\b",
    re.IGNORECASE,
)
CONDITION = LazyPattern(
    r"(?i)\b(returns?|gives?|says?|tells?|checks?)?\s?(true|false)?\s?\b(if|whether|when|iff)\b"
)
# Words of a comment that declares a constant temporary.
TEMPORARY = LazyPattern(
    r"\b(for now|placeholder|hard-?coded|stub(bed)?|temporar(y|ily)|comes? (later|with|once|when)"
    r"|not (yet )?wired|until\b.*\b(ready|done))\b",
    re.IGNORECASE,
)
MISSING_WORK = LazyPattern(
    r"#\s*(?:TODO|FIXME|XXX)\b[\s:,()\w-]{0,30}?\b(?:send|call|store|save|delete|remove|implement|persist|charge"
    r"|notify|validate|verify|check|publish|enqueue|upload|create|update|apply|write|revoke|refund|email"
    r"|schedule)\b.*",
    re.IGNORECASE,
)
SUCCESS = LazyPattern(
    r"(?i)\bTrue\b|'(success\w*|ok|okay|done|sent|created|updated|deleted|queued|accepted)'|\b20[0124]\b"
)
