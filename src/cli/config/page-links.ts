import manifest from '../../../package.json' with { type: 'json' };

/** Address of the repository, without the parts that only npm needs. */
export const repositoryUrl = manifest.repository.url.replace(/^git\+|\.git$/g, '');

/** The pages of docs/ that help texts and errors refer to. */
export const linkedPages = [
  'chat-ops',
  'configuration',
  'guardrails',
  'http',
  'metrics',
  'platform-on-postgresql',
  'policy',
  'profiles',
  'run-a-platform',
  'run-for-a-team',
  'scenarios',
  'several-machines',
] as const;

/** The URL of a page for users of the package, which doesn't contain docs/. */
export const pageLink = (page: (typeof linkedPages)[number]): string => `${repositoryUrl}/blob/main/docs/${page}.md`;
