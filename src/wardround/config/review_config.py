"""The configuration of one review, read from the trusted side and checked against the installed plugins."""

from __future__ import annotations

from msgspec.structs import replace

from wardround.change.change_source import ChangeSource
from wardround.config.language_model import EXCHANGE
from wardround.config.loader import named_specialists, read, require_known_rules
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.errors import ConfigError, UsageError
from wardround.host import PluginHost


def read_config(source: ChangeSource, host: PluginHost, request: ReviewRequest) -> Config:
    """Read the configuration that applies to a change, from the trusted side.

    Raises:
        ConfigError: the configuration is wrong, or a required plugin is not installed.
        UsageError: the request names an unknown specialist.
    """
    paths = [path for file in source.change.files for path in (file.path, file.base_path) if path]
    side = request.trusted_side
    config = read(lambda path: source.read(path, side), paths, host.specialists, _explicit_file(request))
    _require_known_specialists(config, host, request)
    require_known_rules(config, host.catalogue.is_known)
    _require_plugins(config, host)
    if config.root.model_folders and config.root.models != "off":
        from wardround.inference.locations import require_models

        require_models(source.root, config.root.model_folders, config.origins["model-folders"])
    return config if request.exchange is None else _set_exchange(config, request)


def _set_exchange(config: Config, request: ReviewRequest) -> Config:
    """Return the configuration with a file exchange instead of its language model."""
    model = config.root.language_model
    profiles = tuple(dict.fromkeys((*model.profiles, request.profile.value)))
    timeout = model.timeout + request.exchange_wait
    model = replace(model, url="", api_key_env="", model=EXCHANGE, profiles=profiles, timeout=timeout)
    return replace(config, root=replace(config.root, language_model=model))


def _explicit_file(request: ReviewRequest) -> tuple[str, bytes] | None:
    """Return the name and the content of the file that ``--config`` names."""
    if request.config_file is None:
        return None
    try:
        return str(request.config_file), request.config_file.read_bytes()
    except OSError as cause:
        raise ConfigError(f"--config {request.config_file}: {cause.strerror}; give a file") from cause


def _require_known_specialists(config: Config, host: PluginHost, request: ReviewRequest) -> None:
    names = {s.name for s in host.specialists}
    for name, where in named_specialists(config, request):
        if name not in names:
            raise UsageError(f"{where}no specialist is named {name!r}; there are {', '.join(sorted(names))}")


def _require_plugins(config: Config, host: PluginHost) -> None:
    loaded = {plugin.name for plugin in host.plugins}
    for name in config.root.required_plugins:
        if name not in loaded:
            raise ConfigError(
                f"{config.origins['required-plugins']}: required plugin {name!r} is not installed; install it"
            )
