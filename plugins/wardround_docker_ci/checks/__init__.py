"""The Docker and CI specialist's own checks, one rule in each file."""

from __future__ import annotations

from wardround_docker_ci.check import CiCheck, run_docker_ci_checks
from wardround_docker_ci.checks.action_by_branch import ActionByBranch
from wardround_docker_ci.checks.action_by_tag import ActionByTag
from wardround_docker_ci.checks.add_remote_file import AddRemoteFile
from wardround_docker_ci.checks.apt_lists_kept import AptListsKept
from wardround_docker_ci.checks.apt_update_alone import AptUpdateAlone
from wardround_docker_ci.checks.apt_without_yes import AptWithoutYes
from wardround_docker_ci.checks.as_casing import AsCasing
from wardround_docker_ci.checks.broken_exec_form import BrokenExecForm
from wardround_docker_ci.checks.build_argument_secret import BuildArgumentSecret
from wardround_docker_ci.checks.cache_busting_order import CacheBustingOrder
from wardround_docker_ci.checks.condition_always_true import ConditionAlwaysTrue
from wardround_docker_ci.checks.constant_platform import ConstantPlatform
from wardround_docker_ci.checks.credential_interpolated import CredentialInterpolated
from wardround_docker_ci.checks.database_published import DatabasePublished
from wardround_docker_ci.checks.debug_trace import DebugTrace
from wardround_docker_ci.checks.definition_description import DefinitionDescription
from wardround_docker_ci.checks.deprecated_workflow_command import DeprecatedWorkflowCommand
from wardround_docker_ci.checks.docker_socket import DockerSocket
from wardround_docker_ci.checks.duplicate_key import DuplicateKey
from wardround_docker_ci.checks.duplicate_stage_name import DuplicateStageName
from wardround_docker_ci.checks.empty_continuation import EmptyContinuation
from wardround_docker_ci.checks.empty_from_argument import EmptyFromArgument
from wardround_docker_ci.checks.evaluated_argument import EvaluatedArgument
from wardround_docker_ci.checks.evaluated_merge_request import EvaluatedMergeRequest
from wardround_docker_ci.checks.excessive_permissions import ExcessivePermissions
from wardround_docker_ci.checks.exposed_port import ExposedPort
from wardround_docker_ci.checks.failure_allowed import FailureAllowed
from wardround_docker_ci.checks.global_argument_in_run import GlobalArgumentInRun
from wardround_docker_ci.checks.hardcoded_secret import HardcodedSecret
from wardround_docker_ci.checks.hidden_failure import HiddenFailure
from wardround_docker_ci.checks.host_namespace import HostNamespace
from wardround_docker_ci.checks.host_root_mounted import HostRootMounted
from wardround_docker_ci.checks.ignored_file_copied import IgnoredFileCopied
from wardround_docker_ci.checks.input_without_timeout import InputWithoutTimeout
from wardround_docker_ci.checks.instruction_casing import InstructionCasing
from wardround_docker_ci.checks.legacy_key_value import LegacyKeyValue
from wardround_docker_ci.checks.maintainer import Maintainer
from wardround_docker_ci.checks.no_concurrency import NoConcurrency
from wardround_docker_ci.checks.no_healthcheck import NoHealthcheck
from wardround_docker_ci.checks.no_image_digest import NoImageDigest
from wardround_docker_ci.checks.no_job_timeout import NoJobTimeout
from wardround_docker_ci.checks.no_permissions import NoPermissions
from wardround_docker_ci.checks.no_resource_limits import NoResourceLimits
from wardround_docker_ci.checks.no_user import NoUser
from wardround_docker_ci.checks.outdated_action import OutdatedAction
from wardround_docker_ci.checks.password_argument import PasswordArgument
from wardround_docker_ci.checks.piped_to_shell import PipedToShell
from wardround_docker_ci.checks.pipeline_injection import PipelineInjection
from wardround_docker_ci.checks.pipeline_without_timeout import PipelineWithoutTimeout
from wardround_docker_ci.checks.plain_password import PlainPassword
from wardround_docker_ci.checks.plain_secret_manifest import PlainSecretManifest
from wardround_docker_ci.checks.pod_runs_as_root import PodRunsAsRoot
from wardround_docker_ci.checks.privileged_container import PrivilegedContainer
from wardround_docker_ci.checks.redundant_platform import RedundantPlatform
from wardround_docker_ci.checks.relative_workdir import RelativeWorkdir
from wardround_docker_ci.checks.repeated_instruction import RepeatedInstruction
from wardround_docker_ci.checks.reserved_stage_name import ReservedStageName
from wardround_docker_ci.checks.retired_runner import RetiredRunner
from wardround_docker_ci.checks.runs_as_root import RunsAsRoot
from wardround_docker_ci.checks.secret_file_copied import SecretFileCopied
from wardround_docker_ci.checks.secret_in_command import SecretInCommand
from wardround_docker_ci.checks.secret_in_image import SecretInImage
from wardround_docker_ci.checks.secret_printed import SecretPrinted
from wardround_docker_ci.checks.secrets_inherited import SecretsInherited
from wardround_docker_ci.checks.self_hosted_for_forks import SelfHostedForForks
from wardround_docker_ci.checks.shell_form_command import ShellFormCommand
from wardround_docker_ci.checks.stage_name_casing import StageNameCasing
from wardround_docker_ci.checks.status_ignored import StatusIgnored
from wardround_docker_ci.checks.substring_for_membership import SubstringForMembership
from wardround_docker_ci.checks.template_injection import TemplateInjection
from wardround_docker_ci.checks.tls_check_off import TlsCheckOff
from wardround_docker_ci.checks.undefined_from_argument import UndefinedFromArgument
from wardround_docker_ci.checks.undefined_variable import UndefinedVariable
from wardround_docker_ci.checks.unhealthy_dependency import UnhealthyDependency
from wardround_docker_ci.checks.unknown_dependency import UnknownDependency
from wardround_docker_ci.checks.unknown_stage import UnknownStage
from wardround_docker_ci.checks.unpinned_image import UnpinnedImage
from wardround_docker_ci.checks.unsafe_checkout_allowed import UnsafeCheckoutAllowed
from wardround_docker_ci.checks.unset_variable_removed import UnsetVariableRemoved
from wardround_docker_ci.checks.untrusted_artifact import UntrustedArtifact
from wardround_docker_ci.checks.untrusted_checkout import UntrustedCheckout
from wardround_docker_ci.checks.world_writable import WorldWritable

CHECKS: tuple[type[CiCheck], ...] = (
    SecretInImage,
    SecretFileCopied,
    BuildArgumentSecret,
    RunsAsRoot,
    NoUser,
    UnpinnedImage,
    NoImageDigest,
    AddRemoteFile,
    AptWithoutYes,
    AptUpdateAlone,
    AptListsKept,
    CacheBustingOrder,
    ShellFormCommand,
    BrokenExecForm,
    NoHealthcheck,
    RepeatedInstruction,
    DuplicateStageName,
    ReservedStageName,
    UndefinedFromArgument,
    EmptyFromArgument,
    UndefinedVariable,
    GlobalArgumentInRun,
    RelativeWorkdir,
    Maintainer,
    LegacyKeyValue,
    ConstantPlatform,
    RedundantPlatform,
    PipedToShell,
    TlsCheckOff,
    WorldWritable,
    HiddenFailure,
    UnsetVariableRemoved,
    SecretPrinted,
    PasswordArgument,
    EvaluatedArgument,
    SecretInCommand,
    HardcodedSecret,
    EmptyContinuation,
    InstructionCasing,
    AsCasing,
    StageNameCasing,
    ExposedPort,
    UnknownStage,
    DefinitionDescription,
    IgnoredFileCopied,
    TemplateInjection,
    UntrustedCheckout,
    ExcessivePermissions,
    NoPermissions,
    SecretsInherited,
    UntrustedArtifact,
    ActionByBranch,
    ActionByTag,
    NoJobTimeout,
    NoConcurrency,
    FailureAllowed,
    ConditionAlwaysTrue,
    DeprecatedWorkflowCommand,
    SubstringForMembership,
    OutdatedAction,
    RetiredRunner,
    SelfHostedForForks,
    UnsafeCheckoutAllowed,
    PrivilegedContainer,
    DockerSocket,
    HostNamespace,
    HostRootMounted,
    DatabasePublished,
    UnhealthyDependency,
    UnknownDependency,
    DuplicateKey,
    DebugTrace,
    EvaluatedMergeRequest,
    PipelineInjection,
    CredentialInterpolated,
    PlainPassword,
    InputWithoutTimeout,
    StatusIgnored,
    PipelineWithoutTimeout,
    PodRunsAsRoot,
    PlainSecretManifest,
    NoResourceLimits,
)
__all__ = ["CHECKS", "run_docker_ci_checks"]
