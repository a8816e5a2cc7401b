import groovy.transform.Field

// A step of a shared library: reviews the change of this build, publishes the reports, and fails with the status of the
// review. Add a checkout of wardround as a library whose "Library Path" is scripts/jenkins. On the agent,
// WARDROUND_SOURCE names a trusted checkout of wardround outside every workspace.
//
//   wardroundReview()
//   wardroundReview(failLevel: 'warn', ticket: 'auto', skipPublishingChecks: true)
//   wardroundReview(comment: true, credentialsId: 'review-token', repository: 'owner/name')
//
// The settings and the plugins that it needs are listed in docs/ci.md.

@Field
final Map VARIABLES = [
    source: 'WARDROUND_SOURCE',
    cache: 'WARDROUND_CACHE',
    extras: 'WARDROUND_EXTRAS',
    base: 'WARDROUND_BASE',
    head: 'WARDROUND_HEAD',
    configFrom: 'WARDROUND_CONFIG_FROM',
    failLevel: 'WARDROUND_FAIL_LEVEL',
    failOnVerdict: 'WARDROUND_FAIL_ON_VERDICT',
    filterMode: 'WARDROUND_FILTER_MODE',
    run: 'WARDROUND_RUN',
    buildEnvironments: 'WARDROUND_BUILD',
    policyFloor: 'WARDROUND_POLICY_FLOOR',
    ticket: 'WARDROUND_TICKET',
    store: 'WARDROUND_RECORD_STORE',
    signWith: 'WARDROUND_SIGN_WITH',
    publicKey: 'WARDROUND_PUBLIC_KEY',
    passphraseEnv: 'WARDROUND_PASSPHRASE_ENV',
    maxComments: 'WARDROUND_MAX_COMMENTS',
    act: 'WARDROUND_ACT',
    actKey: 'WARDROUND_ACT_KEY',
    approveAs: 'WARDROUND_APPROVE_AS',
    host: 'WARDROUND_HOST',
    api: 'WARDROUND_API',
    repository: 'WARDROUND_REPOSITORY'
]

@Field
final List OWN_SETTINGS = ['comment', 'credentialsId', 'tokenVariable', 'skipPublishingChecks']

int call(Map settings = [:]) {
    checkSettings(settings)
    int status = 0
    withEnv(variables(settings)) {
        status = start('review')
        publish(settings)
        if (env.CHANGE_ID) {
            writeToChangeRequest(settings)
        }
    }
    if (status != 0) {
        error("wardround: the review ended with status ${status}; docs/report.md describes each")
    }
    return status
}

private void checkSettings(Map settings) {
    List unknown = settings.keySet().toList() - VARIABLES.keySet().toList() - OWN_SETTINGS
    if (unknown) {
        error("wardroundReview: the setting ${unknown.first()} is unknown; docs/ci.md lists them")
    }
    if (!settings.source && !env.WARDROUND_SOURCE) {
        error('wardroundReview: set WARDROUND_SOURCE to a trusted checkout of wardround on the agent')
    }
    if (actions(settings) && !(settings.credentialsId && settings.repository)) {
        error('wardroundReview: comment and act need credentialsId and repository')
    }
}

private List variables(Map settings) {
    return VARIABLES.findAll { name, variable -> settings[name] != null }
        .collect { name, variable -> "${variable}=${settings[name]}" }
}

private int start(String action) {
    return dir(env.WORKSPACE_TMP) {
        sh(
            label: "wardround ${action}",
            returnStatus: true,
            script: '/bin/sh "$WARDROUND_SOURCE/.ci/jenkins.sh" ' + action
        )
    }
}

private void publish(Map settings) {
    boolean skip = settings.skipPublishingChecks ?: false
    dir("${env.WORKSPACE_TMP}/wardround/reports") {
        archiveArtifacts(artifacts: '*', fingerprint: true, allowEmptyArchive: true)
        junit(testResults: 'planes.xml', allowEmptyResults: true, skipPublishingChecks: skip)
        discoverGitReferenceBuild()
        recordIssues(
            tools: [issues(pattern: 'issues.json', id: 'wardround', name: 'wardround')],
            enabledForFailure: true,
            skipPublishingChecks: skip,
            sourceCodeEncoding: 'UTF-8',
            sourceDirectories: [[path: env.WORKSPACE]],
            qualityGates: [
                [threshold: 1, type: 'NEW_ERROR', criticality: 'NOTE'],
                [threshold: 1, type: 'NEW_HIGH', criticality: 'NOTE']
            ]
        )
    }
}

private List actions(Map settings) {
    boolean acts = settings.act == 'dry-run' || settings.act == 'apply'
    return (settings.comment ? ['post'] : []) + (acts ? ['act'] : [])
}

private void writeToChangeRequest(Map settings) {
    if (!actions(settings) || !fileExists("${env.WORKSPACE_TMP}/wardround/reports/report.json")) {
        return
    }
    String variable = settings.tokenVariable ?: 'GITHUB_TOKEN'
    withCredentials([string(credentialsId: settings.credentialsId, variable: variable)]) {
        for (String action in actions(settings)) {
            int status = start(action)
            if (status != 0) {
                unstable("wardround ${action} ended with status ${status}")
            }
        }
    }
}
