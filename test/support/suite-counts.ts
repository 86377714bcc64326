/** The variable with the directory in which suites leave reports, by which a run of several suites counts tests. */
export const reportsVariable = 'TEST_REPORTS';

/** What vitest's JSON reporter writes, as far as it is read. Paths are absolute. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

/** How many tests passed and failed. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** Counts the tests of a report. A file that couldn't be loaded holds no test, so it counts as one that failed. */
export function countsOf({ numPassedTests, numFailedTests, testResults }: TestReport): Counts {
  const unloaded = testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);
  return { passed: numPassedTests, failed: numFailedTests + unloaded.length };
}

export const sumOf = (all: readonly Counts[]): Counts => ({ passed: all.reduce((sum, { passed }) => sum + passed, 0), failed: all.reduce((sum, { failed }) => sum + failed, 0) });
