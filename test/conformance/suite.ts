import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Revision } from './expectations.ts';

/** One thing that a scenario looked at. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** What came of every scenario, by its name. */
export type Results = ReadonlyMap<string, readonly Check[]>;

const home = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json')).replace(
  /package\.json$/,
  '',
);
const program = join(home, 'dist/index.js');

/** The scenarios that a revision requires of servers. */
export async function requiredBy(revision: Revision): Promise<readonly string[]> {
  const text = await readFile(join(home, 'requirements', `${revision}.yaml`), 'utf8');
  return (parse(text) as { server: string[] }).server;
}

/** The suite's own exit code counts what needs fixtures as well, so only its results are read. */
const runSuite = (args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, 'server', '--timeout', '300000', ...args],
      { maxBuffer: 64 * 1024 * 1024 },
      (_, stdout, stderr) => resolve(stdout + stderr),
    );
  });

/** `server-tools-list-2026-11-20T22-02-03-431Z` → `tools-list` */
const scenarioOf = (folder: string): string => folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');

async function resultsOf(args: readonly string[]): Promise<Results> {
  const output = await mkdtemp(join(tmpdir(), 'infra-mcp-conformance-'));
  try {
    const said = await runSuite([...args, '--output-dir', output]);
    const folders = await readdir(output);
    if (folders.length === 0) throw new Error(`The conformance suite did not run:\n${said}`);
    const read = async (folder: string) =>
      [scenarioOf(folder), JSON.parse(await readFile(join(output, folder, 'checks.json'), 'utf8')) as Check[]] as const;
    return new Map(await Promise.all(folders.map(read)));
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

/** The suite gives a request up after ten seconds, which is no fault of a server on a busy machine. */
const wasGivenUp = ([, checks]: readonly [string, readonly Check[]]): boolean =>
  checks.some(({ status, errorMessage }) => status === 'FAILURE' && errorMessage?.includes('operation was aborted'));

/** How often a scenario is run by itself while the suite gives its requests up. */
const attempts = 5;

/**
 * Runs what a revision requires of servers against the one at this address, and scenarios of extensions.
 * @throws Error with what the suite said, when it did not run.
 */
export async function conformanceOf(
  url: string,
  revision: Revision,
  extensions: readonly string[] = [],
): Promise<Results> {
  const results = [await resultsOf(['--url', url, '--requirements', revision])];
  // One after the other: the suite counts streams.
  for (const scenario of extensions) results.push(await resultsOf(['--url', url, '--scenario', scenario]));
  const found = new Map(results.flatMap((result) => [...result]));
  for (let attempt = 0; attempt < attempts; attempt += 1)
    for (const [scenario] of [...found].filter(wasGivenUp)) {
      const again = await resultsOf(['--url', url, '--scenario', scenario, '--spec-version', revision]);
      for (const [name, checks] of again) found.set(name, checks);
    }
  return found;
}

/** The checks that failed, each with its scenario and what the suite says of it. */
export const failuresIn = (results: Results): { scenario: string; check: string; said: string }[] =>
  [...results].flatMap(([scenario, checks]) =>
    checks
      .filter(({ status }) => status === 'FAILURE')
      .map(({ id, errorMessage = '' }) => ({ scenario, check: id, said: errorMessage })),
  );
