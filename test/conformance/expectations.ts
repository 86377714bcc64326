/** The revisions that the suite knows requirements of. */
export const revisions = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof revisions)[number];

/**
 * Scenarios that any server of its own domain can pass, without a tool made for the suite. Of these none may fail on
 * the real server.
 */
export const neutral: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'resources-list',
    'prompts-list',
    'caching',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
};

/** Scenarios of the extensions that the real server declares; none may fail either. */
export const extensions: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [],
  '2026-07-28': ['sep-2640-skills-enumeration', 'sep-2640-skills-manifest', 'sep-2640-skills-directory'],
};

/** Checks within these scenarios that look for a tool made for the suite. */
export const checksNeedingFixtures: readonly string[] = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
];

/** Scenarios that the suite runs without requiring them, and that the host passes all the same. */
export const alsoPassed: readonly string[] = ['server-session-lifecycle', 'http-header-validation'];
