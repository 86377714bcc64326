/** Runs the official conformance suite, both revisions, against the program and against its HTTP host with fixtures. */
import { extensions, needFixtures, neutral, passedBesides, revisions, type Revision } from './expectations.ts';
import { startFixtures, startProgram, type Subject } from './servers.ts';
import { conformanceOf, failuresIn, requiredBy, type Results } from './suite.ts';

/** What is wrong with the results of one server, a line each. */
type Judge = (results: Results, revision: Revision) => Promise<string[]>;

/** What failed or never ran of these scenarios. */
const faultsIn = (results: Results, scenarios: readonly string[], unless: readonly string[] = []): string[] => [
  ...scenarios.filter((scenario) => !results.has(scenario)).map((scenario) => `${scenario}: did not run`),
  ...failuresIn(results)
    .filter(({ scenario, check }) => scenarios.includes(scenario) && !unless.includes(check))
    .map(({ scenario, check, said }) => `${scenario}: ${check}: ${said}`),
];

const judgeProgram: Judge = async (results, revision) => faultsIn(results, [...neutral[revision], ...extensions[revision]], needFixtures);

const judgeFixtures: Judge = async (results, revision) =>
  faultsIn(results, [...(await requiredBy(revision)), ...passedBesides.filter((scenario) => results.has(scenario))]);

/** @param more scenarios beside those that each revision requires. */
async function examine(name: string, start: () => Promise<Subject>, judge: Judge, more?: typeof extensions): Promise<number> {
  const subject = await start();
  let faults = 0;
  try {
    for (const revision of revisions) {
      // One after the other: the suite counts streams.
      // oxlint-disable-next-line no-await-in-loop
      const results = await conformanceOf(subject.url, revision, more?.[revision]);
      // oxlint-disable-next-line no-await-in-loop
      const found = await judge(results, revision);
      const checks = [...results.values()].flat().filter(({ status }) => status === 'SUCCESS').length;
      console.log(`${found.length === 0 ? 'ok' : 'NOT OK'}: ${name}, ${revision}: ${results.size} scenarios run, ${checks} checks passed, ${found.length} unexpected failures`);
      for (const fault of found) console.log(`  ${fault}`);
      faults += found.length;
    }
  } finally {
    await subject.close();
  }
  return faults;
}

const faults = (await examine('the program', startProgram, judgeProgram, extensions)) + (await examine('the HTTP host with fixtures', startFixtures, judgeFixtures));
process.exitCode = faults === 0 ? 0 : 1;
