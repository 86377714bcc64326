import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openGuard } from '../../src/cli/wiring/guard.ts';
import { readConfig } from '../../src/cli/config/index.ts';
import { contextWith } from '../support/call-context.ts';
import { runProgram, temporaryDirectory } from '../support/built-program.ts';

const facts = {
  tool: 'stop_environment',
  principal: 'ann',
  connection: 'stdio',
  tier: 'destructive',
  confirmed: 'elicited',
  plan: 'abc',
  target: { kind: 'environment', id: 'e', name: 'prod', mode: 'PRODUCTION' },
} as const;

/** A data directory with some calls in its log. */
async function recorded(): Promise<string> {
  const dataDir = await temporaryDirectory();
  const { dependencies: parts, close } = openGuard(readConfig('stdio', { dataDir }, {}).config);
  for (const requestId of ['1', '2', '3']) {
    await parts.recorder.intent({ ...facts, requestId }, contextWith());
    await parts.recorder.outcome({ ...facts, requestId, outcome: 'done', duration: 7 }, contextWith());
  }
  await close();
  return dataDir;
}

describe('audit show', () => {
  test('prints who did what to what, how it was agreed to, and what came of it', async () => {
    const { code, stdout } = await runProgram(['audit', 'show', '--limit', '2'], { INFRA_DATA_DIR: await recorded() });
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(/^time +who +tool +target +tier +confirmed +outcome +why +took$/);
    expect(stdout.match(/ann +stop_environment +environment prod +destructive +elicited +done +7 ms$/gm)).toHaveLength(
      2,
    );
  });

  test('tells who read what: by its path, or else its name, or else its id', async () => {
    const dataDir = await temporaryDirectory();
    const { dependencies: parts, close } = openGuard(readConfig('stdio', { dataDir }, {}).config);
    const read = {
      tool: 'get_application_logs',
      principal: 'eve',
      tier: 'read',
      target: { kind: 'organization', mode: 'none' },
      outcome: 'done',
      duration: 1,
    } as const;
    const subjects = [{ path: 'shop/staging/api', name: 'api', more: 2 }, { name: 'api' }, {}];
    for (const [at, subject] of subjects.entries())
      await parts.recorder.outcome(
        { ...read, requestId: String(at), subject: { kind: 'application', id: 'a-1', ...subject } },
        contextWith(),
      );
    await close();
    const { stdout } = await runProgram(['audit', 'show'], { INFRA_DATA_DIR: dataDir });
    expect(
      stdout
        .match(/eve +get_application_logs +application .*(?= {2}read)/g)
        ?.map((line) => line.trim().replace(/^eve +get_application_logs +/, '')),
    ).toEqual(['application shop/staging/api and 2 more', 'application api', 'application a-1']);
  });

  test('prints lines of JSON', async () => {
    const { stdout } = await runProgram(['audit', 'show', '--json'], { INFRA_DATA_DIR: await recorded() });
    const calls = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(calls).toHaveLength(3);
    expect(calls[0]).toMatchObject({ who: 'ann', tool: 'stop_environment', confirmed: 'elicited', outcome: 'done' });
  });
});

describe('audit verify', () => {
  const cannotTell = expect.stringMatching(
    /^What nothing on this machine can tell: whether the newest chain was removed together with its head, or .* earlier copy/,
  ) as string;

  test('says that a log is whole, and what it can not know', async () => {
    const { code, stdout, stderr } = await runProgram(['audit', 'verify'], { INFRA_DATA_DIR: await recorded() });
    expect({ code, stderr, lines: stdout.split('\n') }).toEqual({
      code: 0,
      stderr: '',
      lines: ['The audit log is whole: 6 entries of 1 process.', cannotTell, ''],
    });
  });

  test('tells of an entry that was cut off, without crying tampering', async () => {
    const dataDir = await recorded();
    const file = join(dataDir, 'audit.jsonl');
    const chain = /"chain":"([^"]+)"/.exec(await readFile(file, 'utf8'))![1]!;
    await appendFile(file, `{"chain":"${chain}","seq":7,"at":"20`);
    const { code, stdout } = await runProgram(['audit', 'verify'], { INFRA_DATA_DIR: dataDir });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /audit\.jsonl:7: Entry 7 of chain 1-\w+ was cut off while it was written.*\nThe audit log is whole: 6 entries of 1 process\.\n/,
    );
  });

  test('says where it was changed, and fails', async () => {
    const dataDir = await recorded();
    const file = join(dataDir, 'audit.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"confirmed":"elicited"', '"confirmed":"terminal"'));
    const { code, stdout } = await runProgram(['audit', 'verify'], { INFRA_DATA_DIR: dataDir });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /audit\.jsonl:1: Entry 1 of chain 1-\w+ was changed.*\nThe audit log is not as it was written: 1 found/,
    );
  });

  test('takes files that were moved away, and prints JSON', async () => {
    const dataDir = await recorded();
    const moved = join(dataDir, 'november.jsonl');
    await rename(join(dataDir, 'audit.jsonl'), moved);
    const { code, stdout } = await runProgram(['audit', 'verify', '--json', moved], { INFRA_DATA_DIR: dataDir });
    expect({ code, verdict: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      verdict: { entries: 6, chains: 1, faults: [], cannot_tell: cannotTell },
    });
  });
});
