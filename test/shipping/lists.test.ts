import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { programDirectoryVariable } from '../support/build-once.ts';
import { missingPackages } from '../support/debian-packages.ts';
import { suites, suitesIn } from '../suites.ts';
import { root } from './repository-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'infra-mcp-lists-'));
});
afterEach(() => rm(folder, { recursive: true }));

/**
 * Runs the landing list with a program in place of npm, which notes what is run, leaves these reports, and fails at
 * these scripts.
 */
async function runLanding(
  reports: Readonly<Record<string, object>>,
  failing: readonly string[],
): Promise<{ code: number | null; lines: string[]; ran: string[] }> {
  await writeFile(
    join(folder, 'npm'),
    [
      '#!/bin/sh',
      `echo "$2 $TEST_LIST $([ -e "$TEST_PROGRAM_DIRECTORY/infra-mcp.mjs" ] && echo built)" >> "${join(folder, 'ran')}"`,
      'echo "output of $2"',
      ...Object.entries(reports).map(
        ([script, report]) =>
          `[ "$2" = ${script} ] && cat > "$TEST_REPORTS/${suites.find((suite) => suite.script === script)!.name}.json" << 'END'\n${JSON.stringify({ testResults: [], ...report })}\nEND`,
      ),
      `case "$2" in ${failing.join('|') || 'none'}) exit 1;; esac`,
      'exit 0',
      '',
    ].join('\n'),
  );
  await chmod(join(folder, 'npm'), 0o755);
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(root, 'scripts/suites.ts'), 'landing'],
    {
      cwd: root,
      env: {
        ...process.env,
        [programDirectoryVariable]: undefined,
        PATH: [folder, process.env['PATH']].join(delimiter),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  return {
    code,
    lines: output.trimEnd().split('\n'),
    ran: (await readFile(join(folder, 'ran'), 'utf8')).trimEnd().split('\n'),
  };
}

const landing = suitesIn('landing');

// Running a list installs what it lacks.
describe.skipIf(missingPackages(landing.flatMap(({ needs = [] }) => needs)).length > 0)('a list of suites', () => {
  test('runs each of them once, the check and the fast tests first, with one program, and counts at the end', async () => {
    const { code, lines, ran } = await runLanding(
      { test: { numPassedTests: 40, numFailedTests: 0 }, 'test:docker': { numPassedTests: 5, numFailedTests: 0 } },
      [],
    );
    expect(code).toBe(0);
    expect(ran.map((line) => line.split(' ')[0]!).toSorted()).toEqual(landing.map(({ script }) => script).toSorted());
    expect(ran.slice(0, 2)).toEqual(['check landing ', 'test landing ']);
    expect(ran.slice(2).filter((line) => !line.endsWith(' landing built'))).toEqual([]);
    expect(lines).toContain('output of test:docker');
    expect(lines.at(-1)).toBe(`${45 + landing.length - 2} passed, 0 failed`);
  });

  test('goes on where one fails, names it, and fails', async () => {
    const { code, lines, ran } = await runLanding({ 'test:attacks': { numPassedTests: 3, numFailedTests: 2 } }, [
      'test:attacks',
      'test:docker',
    ]);
    expect(code).toBe(1);
    expect(ran).toHaveLength(landing.length);
    expect(
      lines
        .filter((line) => line.startsWith('NOT OK'))
        .map((line) => line.replace(/, \d+ s$/, ''))
        .toSorted(),
    ).toEqual(['NOT OK: attacks: 3 passed, 2 failed, 0 skipped', 'NOT OK: docker: 0 passed, 1 failed, 0 skipped']);
    expect(lines.at(-1)).toBe(`${landing.length + 1} passed, 3 failed`);
  });

  test('begins nothing else where the fast tests fail, though by an error outside of them', async () => {
    const { code, lines, ran } = await runLanding({ test: { numPassedTests: 3, numFailedTests: 0 } }, ['test']);
    expect([code, lines.at(-1)]).toEqual([1, '4 passed, 1 failed']);
    expect(ran).toHaveLength(2);
  });
});
