"""Tools of the secrets specialist."""

from wardround_secrets.tools.gitleaks import GITLEAKS

TOOLS = (GITLEAKS,)
