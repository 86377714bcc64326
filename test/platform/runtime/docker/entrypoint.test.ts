import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeSecretVariables } from '../../../../src/platform/runtime/docker/services/secret-variables.ts';
import { installPrograms, type ProgramEnd, runnableKinds } from '../../../support/container-programs.ts';
import { runs } from '../../../support/runs.ts';

const env = { PATH: '/usr/bin:/bin', KEPT: 'kept', REPLACED: 'before' };

/** What `env -0` printed. */
const variablesIn = ({ output }: ProgramEnd): Record<string, string> =>
  Object.fromEntries(
    output
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

if (runnableKinds.length === 0) test.skip('the entrypoint, which runs on Linux only', () => {});

describe.each(runnableKinds)('the entrypoint for $architecture', async (kind) => {
  const { directory, entrypoint } = await installPrograms(kind);
  let files = 0;
  const fileWith = async (content: Buffer | string): Promise<string> => {
    const path = join(directory, `variables-${files++}`);
    await writeFile(path, content);
    return path;
  };
  const scriptWith = async (content: string): Promise<string> => {
    const path = await fileWith(content);
    await chmod(path, 0o755);
    return path;
  };
  const secrets = (...variables: [string, string][]): Promise<string> =>
    fileWith(encodeSecretVariables(variables.map(([key, value]) => ({ key, value }))));

  test('adds variables to the environment, and replaces those with the same name', async () => {
    const end = await entrypoint(
      [await secrets(['SECRET', 'a b\n"c"$d='], ['REPLACED', 'after'], ['EMPTY', '']), 'env', '-0'],
      { env },
    );
    expect(end).toMatchObject({ code: 0, errors: '' });
    expect(variablesIn(end)).toEqual({
      PATH: env.PATH,
      KEPT: 'kept',
      REPLACED: 'after',
      SECRET: 'a b\n"c"$d=',
      EMPTY: '',
    });
    expect(end.output.split('REPLACED=')).toHaveLength(2);
  });

  test('takes the last of several with the same name', async () => {
    expect(
      variablesIn(await entrypoint([await secrets(['A', '1'], ['AB', '2'], ['A', '3']), '/usr/bin/env', '-0'])),
    ).toEqual({ A: '3', AB: '2' });
  });

  test('takes any name and value', async () => {
    // The emulator and the loader have variables of their own.
    const key = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((name) => !/[=\0]/.test(name))
      .map((name) => `V_${name}`);
    const value = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, value, { maxKeys: 20, noNullPrototype: true }), async (variables) => {
        expect(
          variablesIn(await entrypoint([await secrets(...Object.entries(variables)), '/usr/bin/env', '-0'])),
        ).toEqual(variables);
      }),
      { numRuns: runs(25) },
    );
  });

  test('takes as many as an engine keeps', async () => {
    const many = Array.from({ length: 5 }, (_, index): [string, string] => [
      `KEY_${index}`,
      String(index).repeat(100_000),
    ]);
    expect(variablesIn(await entrypoint([await secrets(...many), '/usr/bin/env', '-0']))).toEqual(
      Object.fromEntries(many),
    );
  });

  test('is replaced by the program, which keeps its process id, arguments and input', async () => {
    const end = await entrypoint([await secrets(), 'sh', '-c', 'echo $$; echo "$@"; cat; exit 7', 'sh', 'a b', ''], {
      env,
      input: 'input',
    });
    expect(end).toMatchObject({ code: 7, errors: '' });
    expect(end.output).toBe(`${end.pid}\na b \ninput`);
  });

  test('searches PATH of the resulting environment', async () => {
    const folder = join(directory, 'programs');
    await mkdir(folder);
    await writeFile(join(folder, 'here'), '#!/bin/sh\necho found\n');
    await chmod(join(folder, 'here'), 0o755);
    const found = await entrypoint([await secrets(['PATH', `/nowhere:${directory}/entrypoint:${folder}`]), 'here'], {
      env,
    });
    expect(found).toMatchObject({ code: 0, output: 'found\n' });
    // Without any PATH it is the usual one.
    expect(await entrypoint([await secrets(), 'true'])).toMatchObject({ code: 0 });
  });

  test.each([
    ['a program that is not there', async () => ['/nowhere/program'], 127, '/nowhere/program was not found'],
    ['a name that no folder has', async () => ['no-such-program'], 127, 'no-such-program was not found'],
    ['an empty name', async () => [''], 127, 'an empty name was not found'],
    [
      'a file that is no program',
      async () => [await fileWith('text')],
      126,
      "can't be started: it may not be executed",
    ],
    ['a folder', async () => ['/usr'], 126, "/usr can't be started: it may not be executed"],
    ['no program', async () => [], 125, 'there is no program to start: set an entrypoint or arguments'],
  ])('says why it does not start %s', async (_, command, code, message) => {
    const end = await entrypoint([await secrets(['SECRET', 'hidden']), ...(await command())], { env });
    expect(end).toMatchObject({ code, output: '' });
    expect(end.errors).toMatch(/^infra-entrypoint: [^\n]+\n$/);
    expect(end.errors).toContain(message);
  });

  test('says that a program needs an interpreter which is not there, or is for another CPU', async () => {
    expect(await entrypoint([await secrets(), await scriptWith('#!/nowhere/sh\n')])).toMatchObject({
      code: 126,
      errors: expect.stringContaining('interpreter or loader'),
    });
    expect(await entrypoint([await secrets(), await scriptWith('echo no first line')])).toMatchObject({
      code: 126,
      errors: expect.stringContaining('kind of CPU'),
    });
  });

  test.each([
    ['a file that is not there', async () => '/nowhere/secrets', "can't be read"],
    ['a file without names', async () => fileWith('hidden\0'), 'is damaged'],
    ['a variable without a name', async () => fileWith('A=1\0=hidden\0'), 'is damaged'],
    ['an empty line', async () => fileWith('A=hidden\0\0B=2\0'), 'is damaged'],
    ['a file that is too long', async () => fileWith(`A=${'hidden'.repeat(200_000)}`), 'is damaged'],
  ])('refuses %s', async (_, file, message) => {
    const end = await entrypoint([await file(), 'true'], { env });
    expect(end).toMatchObject({ code: 125, errors: expect.stringContaining(message) });
    expect(end.errors).not.toContain('hidden');
  });

  test('shows no value when a variable is too long for the kernel', async () => {
    const end = await entrypoint([await fileWith(`A=${'hidden'.repeat(150_000)}`), 'true'], { env });
    expect(end).toMatchObject({ code: 126, output: '', errors: expect.stringContaining('too long') });
    expect(end.errors).not.toContain('hidden');
  });
});

describe('the file with secret variables', () => {
  test.each([
    ['', 'a', 'can\'t be called ""'],
    ['A=B', 'a', 'can\'t be called "A=B"'],
    ['A', 'hidden\0', 'The value of A has a zero byte'],
    ['A', 'hidden'.repeat(22_000), 'A is too long for a variable'],
  ])('refuses %j', (key, value, message) => {
    expect(() => encodeSecretVariables([{ key, value }])).toThrow(message);
    expect(() => encodeSecretVariables([{ key, value }])).not.toThrow('hidden');
  });

  test('has at most what an engine keeps', () => {
    const variables = Array.from({ length: 5 }, (_, index) => ({ key: `KEY_${index}`, value: 'x'.repeat(110_000) }));
    expect(encodeSecretVariables(variables.slice(1)).length).toBeLessThan(500 * 1024);
    expect(() => encodeSecretVariables(variables)).toThrow('at most 511999 are possible');
  });
});
