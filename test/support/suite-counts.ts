/** The variable with the directory in which suites leave reports, by which a run of several suites counts tests. */
export const reportsVariable = 'TEST_REPORTS';

/** What vitest's JSON reporter writes, as far as it is read. Paths are absolute. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    /** Why the file couldn't be loaded. */
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

/** A test that failed, or a file that couldn't be loaded. */
export interface Failure {
  readonly file: string;
  /** The whole name of the test; undefined for a file. */
  readonly test?: string;
  readonly message: string;
}

/** How many tests passed and failed, which failed, and which were skipped. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly Failure[];
  readonly skipped: readonly Omit<Failure, 'message'>[];
}

/** What is counted of something that is one step, and no suite of tests. */
export const countsOfStep = (hasPassed: boolean): Counts => ({
  passed: hasPassed ? 1 : 0,
  failed: hasPassed ? 0 : 1,
  failures: [],
  skipped: [],
});

/** Counts the tests of a report. A file that couldn't be loaded holds no test, so it counts as one that failed. */
export function countsOf({ numPassedTests, numFailedTests, testResults }: TestReport): Counts {
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  const failures = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }): Failure => ({
        file: name,
        test: fullName,
        message: failureMessages?.join('\n') ?? '',
      })),
  );
  const skipped = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => ['skipped', 'pending', 'todo'].includes(status))
      .map(({ fullName }) => ({ file: name, test: fullName })),
  );
  return {
    skipped,
    passed: numPassedTests,
    failed: numFailedTests + unloaded.length,
    failures: [...failures, ...unloaded.map(({ name, message = '' }) => ({ file: name, message }))],
  };
}

export const sumOf = (all: readonly Counts[]): Counts => ({
  passed: all.reduce((sum, { passed }) => sum + passed, 0),
  failed: all.reduce((sum, { failed }) => sum + failed, 0),
  failures: all.flatMap(({ failures }) => failures),
  skipped: all.flatMap(({ skipped }) => skipped),
});
