import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  runProgram,
  startAssistant,
  startPlatformProgram,
  statusWith,
  temporaryDirectory,
} from '../support/built-program.ts';
import { isLanding } from '../suites.ts';

/** What the platform prints in addition when it can be controlled. */
interface Controlled {
  readonly control_url: string;
  readonly control_token: string;
}

const tell = async (
  { control_url: url, control_token: token }: Controlled,
  method: string,
  path: string,
  body?: object,
) => {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

const inFile = async (directory: string, text: string): Promise<string> => {
  const path = join(directory, 'faults.yaml');
  await writeFile(path, text);
  return path;
};

describe('a platform that is controlled', () => {
  test('says in its ready line where and with which token, which is stored nowhere and new at each start', async () => {
    const directory = await temporaryDirectory();
    const start = () =>
      startPlatformProgram([
        '--data-dir',
        directory,
        '--control',
        '--stepped-time',
        '2026-03-01T12:00:00Z',
        '--random-seed',
        'one',
      ]);
    const first = await start();
    const ready = first.ready as typeof first.ready & Controlled;
    expect(ready.control_url).toBe(`${ready.url}/_control`);
    expect((await tell(ready, 'POST', '/time/advance', { by: 'PT90M' })).body).toMatchObject({
      now: '2026-03-01T13:30:00.000Z',
    });
    expect(await statusWith(ready.url, ready.control_token)).toBe(401);
    expect((await tell({ ...ready, control_token: ready.token! }, 'GET', '/time')).status).toBe(401);
    first.child.kill('SIGTERM');
    const { code, stderr } = await first.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const file of ['platform.sqlite', 'secret.key'])
      expect((await readFile(join(directory, file))).includes(ready.control_token)).toBe(false);

    const again = (await start()).ready as typeof ready;
    expect(again.control_token).not.toBe(ready.control_token);
    expect((await tell(again, 'GET', '/time')).body).toMatchObject({ now: '2026-03-01T13:30:00.000Z' });
  });

  test.skipIf(isLanding)('has its rules from a file, in YAML', async () => {
    const directory = await temporaryDirectory();
    const path = await inFile(
      directory,
      'faults:\n  - name: flaky\n    effect: status_500\n    operation: get_organization\n    count: 2\n',
    );
    const { ready } = await startPlatformProgram([
      '--data-dir',
      join(directory, 'data'),
      '--faults',
      path,
      '--token',
      'given-token',
    ]);
    const statuses = [];
    for (let turn = 0; turn < 3; turn += 1) statuses.push(await statusWith(ready.url, 'given-token'));
    expect(statuses).toEqual([500, 500, 200]);
    // Rules need no control.
    expect(ready).not.toHaveProperty('control_token');
  });
});

test('faults of a file of rules abort startup, each with its line', async () => {
  const directory = await temporaryDirectory();
  const path = await inFile(
    directory,
    [
      'faults:',
      '  - name: one',
      '    effect: status_500',
      '    oparation: get_organization',
      '  - name: two',
      '    effect: build_eror',
      '  - name: three',
      '    effect: latency',
      'other: 1',
    ].join('\n'),
  );
  const { code, stdout, stderr } = await runProgram([
    'platform',
    '--data-dir',
    join(directory, 'data'),
    '--faults',
    path,
  ]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  for (const words of [
    `${path}:4: faults[0].oparation: is not known; did you mean "operation"?`,
    `${path}:6: faults[1].effect: "build_eror" is none of its kind; did you mean "build_error"?`,
    `${path}:7: faults[2].latency_ms: is required for the effect latency`,
    `${path}:9: other: is not known; known here: faults`,
  ])
    expect(stderr).toContain(words);
  const missing = join(directory, 'missing.yaml');
  expect(await runProgram(['platform', '--faults', missing])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`${missing}: ENOENT`) as string,
  });
});

test('time that could not be moved is refused', async () => {
  const { code, stderr } = await runProgram([
    'platform',
    '--data-dir',
    await temporaryDirectory(),
    '--stepped-time',
    'now',
  ]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('A stepped time is set without --control')]);
  expect((await runProgram(['platform', '--control', '--stepped-time', 'tomorrow'])).stderr).toContain(
    '--stepped-time must be now, or a moment such as',
  );
});

test.skipIf(isLanding)(
  'the embedded platform of an assistant is never controlled, whatever the environment says',
  async () => {
    const directory = await temporaryDirectory();
    const assistant = await startAssistant({
      INFRA_DATA_DIR: directory,
      INFRA_PLATFORM_CONTROL: 'true',
      INFRA_STEPPED_TIME: 'now',
    });
    expect((await assistant.call('get_organization')).failed).toBe(false);
    const { url } = JSON.parse(await readFile(join(directory, 'serving.json'), 'utf8')) as { url: string };
    const token = (await readFile(join(directory, 'token'), 'utf8')).trim();
    expect(await statusWith(url, token, '/_control/time')).toBe(404);
    for (const command of ['stdio', 'http']) {
      const { code, stderr } = await runProgram([command, '--control'], { INFRA_DATA_DIR: directory });
      expect([command, code, stderr]).toEqual([command, 1, expect.stringContaining('--control')]);
    }
  },
);
