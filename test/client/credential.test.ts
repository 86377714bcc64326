import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { credentialOf, readCredentialFile } from '../../src/client/credential.ts';
import { token } from './stub-server.ts';

describe('a credential', () => {
  test('is a Token unless another scheme is asked for or written before it', () => {
    expect(credentialOf(` ${token}\n`)).toMatchObject({ scheme: 'Token', value: token });
    expect(credentialOf(token, 'Bearer')).toMatchObject({ scheme: 'Bearer', value: token });
    expect(credentialOf(`bearer ${token}`)).toMatchObject({ scheme: 'Bearer', value: token });
    expect(credentialOf(`Token  ${token}`, 'Bearer')).toMatchObject({ scheme: 'Token', value: token });
  });

  test('has a key that is stable, differs by scheme and value, and is not the value', () => {
    expect(credentialOf(token).key).toBe(credentialOf(` ${token}`).key);
    expect(
      new Set([credentialOf(token).key, credentialOf(token, 'Bearer').key, credentialOf(`${token}x`).key]).size,
    ).toBe(3);
    expect(credentialOf(token).key).not.toContain(token);
  });

  test('shows its value neither in JSON nor when inspected', () => {
    const credential = credentialOf(token);
    const shown = JSON.stringify({ credential }) + inspect(credential, { depth: 9 }) + inspect({ credential });
    expect(shown).toContain(credential.key);
    expect(shown).not.toContain(token);
  });

  test.each(['', ' \n\t'])('%j is refused as empty', (text) => {
    expect(() => credentialOf(text)).toThrow('empty');
  });

  test.each(['two words', 'line\nbreak', 'tök', 'nul\u0000'])('%j is refused without being repeated', (text) => {
    expect(() => credentialOf(text)).toThrow(/characters that no token has/);
    expect(() => credentialOf(text)).not.toThrow(text);
  });
});

describe('a credential file', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'infra-mcp-credential-'));
    return () => rm(directory, { recursive: true });
  });

  const file = async (content: string): Promise<string> => {
    const path = join(directory, 'token');
    await writeFile(path, content, { mode: 0o600 });
    onTestFinished(() => rm(path));
    return path;
  };

  test('is read, white space around the token dropped', async () => {
    expect(await readCredentialFile(await file(`\n ${token} \n`))).toMatchObject({ scheme: 'Token', value: token });
  });

  test('that is empty is refused by name', async () => {
    const path = await file('\n');
    await expect(readCredentialFile(path)).rejects.toThrow(`${path}: The API token is empty`);
  });

  test('that holds something else is refused by name, its content not repeated', async () => {
    const path = await file('first-line\nsecond-line');
    await expect(readCredentialFile(path)).rejects.toThrow(new RegExp(`^(?!.*first-line).*${path}`, 's'));
  });

  test('that is missing or a directory is named with the reason', async () => {
    await expect(readCredentialFile(join(directory, 'nowhere'))).rejects.toThrow(
      /nowhere \(ENOENT: there is no such file\)/,
    );
    await expect(readCredentialFile(directory)).rejects.toThrow(/it is a folder/);
  });

  test.skipIf(process.platform === 'win32')('that may not be read is named with the reason', async () => {
    const path = await file(token);
    await chmod(path, 0);
    const user = process.geteuid!();
    // Root may read everything, so it becomes nobody for a moment.
    if (user === 0) process.seteuid!(65_534);
    try {
      await expect(readCredentialFile(path)).rejects.toThrow(/may not read it/);
    } finally {
      if (user === 0) process.seteuid!(user);
    }
  });
});
