/** A change that can lose data, open something or undo what somebody meant, as a code with its data. */
export type PlanWarning =
  /** A disk gets smaller. Sizes are in GB. */
  | { readonly code: 'DISK_SHRINKS'; readonly disk?: string; readonly from: number; readonly to: number }
  | { readonly code: 'DISK_REMOVED'; readonly disk: string }
  | { readonly code: 'VERSION_LOWERED'; readonly from: string; readonly to: string }
  | { readonly code: 'DATABASE_MADE_PUBLIC' }
  /**
   * Commits: the one that was left by the rollback, the one that runs since, and the one to deploy unless it is the newest.
   * `service` is its name in a plan of several.
   */
  | {
      readonly code: 'ROLLBACK_UNDONE';
      readonly service?: string;
      readonly left: string;
      readonly running: string;
      readonly next?: string;
    }
  /** A commit that is neither among the newest of its branch, of which so many are listed, nor was deployed lately. */
  | { readonly code: 'COMMIT_NOT_LISTED'; readonly commit: string; readonly listed: number }
  /** What a repository of charts lists: `newest` of the same chart, if it lists any. */
  | {
      readonly code: 'CHART_VERSION_NOT_FOUND';
      readonly chart: string;
      readonly version: string;
      readonly newest?: string;
    };

const replacement = (left: string, next: string | undefined): string => {
  if (next === undefined)
    return `The newest commit of its branch replaces that: ${left} again, unless there is a newer one.`;
  return next === left ? 'This deploys the commit again that was left.' : `Commit ${next} replaces that.`;
};

type TextsOfWarnings = {
  readonly [Code in PlanWarning['code']]: (warning: Extract<PlanWarning, { code: Code }>) => string;
};

const texts: TextsOfWarnings = {
  DISK_SHRINKS: ({ disk, from, to }) =>
    `${disk === undefined ? 'the disk' : `the disk at ${disk}`} gets smaller, ${from} → ${to} GB. What is on it may not fit: a platform may refuse that, or lose data.`,
  DISK_REMOVED: ({ disk }) => `the disk at ${disk} goes, with what is on it.`,
  VERSION_LOWERED: ({ from, to }) =>
    `version ${to} is older than ${from}, which wrote the data. An older version may not start with it; a backup may be needed.`,
  ROLLBACK_UNDONE: ({ service, left, running, next }) =>
    `${service === undefined ? 'it' : JSON.stringify(service)} was rolled back from commit ${left} to ${running}. ${replacement(left, next)}`,
  CHART_VERSION_NOT_FOUND: ({ chart, version, newest }) =>
    `not found: version ${version} of chart ${JSON.stringify(chart)}. ${newest === undefined ? 'Its repository lists no chart of this name' : `The first that its repository lists is ${newest}`}.`,
  COMMIT_NOT_LISTED: ({ commit, listed }) =>
    `not found: commit ${commit}. It is not among the ${listed} newest of the branch that are listed, nor was it deployed lately: it may be older, of another branch, or nowhere.`,
  DATABASE_MADE_PUBLIC: () => 'everybody on the internet reaches the database: only its password protects it.',
};

/** The sentence of a warning. */
export const warningText = (warning: PlanWarning): string =>
  `Warning: ${(texts[warning.code] as (of: PlanWarning) => string)(warning)}`;
