import { randomBytes } from 'node:crypto';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keyRingIn, keysFromFile } from '../../../src/server/context/keys.ts';
import {
  createConfirmer,
  questionLifetime,
  type Confirmation,
} from '../../../src/server/guard/confirmation/confirmation.ts';
import type { GuardStore } from '../../../src/server/guard/index.ts';
import { contextWith } from '../../support/call-context.ts';
import { temporaryFolder } from '../audit/audit-log.ts';
import { confirmationRequest } from './confirmation-request.ts';
import { createTestStore } from './storage/test-stores.ts';

const putKey = (folder: string, name: string, bytes = 32): Promise<void> =>
  writeFile(join(folder, name), randomBytes(bytes), { mode: 0o600 });

/** What two servers share, and a confirmer of each. */
async function openSharing() {
  const [folder, keys, testStore] = [await temporaryFolder(), await temporaryFolder(), await createTestStore()];
  await putKey(keys.path, 'question-1.key');
  const confirmerOver = (store: GuardStore) =>
    createConfirmer({
      keys: keysFromFile(join(folder.path, 'guard.key')),
      shared: { singleUses: store.singleUses, keyRing: keyRingIn(keys.path) },
    });
  return {
    one: confirmerOver(testStore.open()),
    other: confirmerOver(testStore.open()),
    store: testStore.open(),
    keys: keys.path,
    [Symbol.asyncDispose]: async () => {
      for (const one of [testStore, keys, folder]) await one[Symbol.asyncDispose]();
    },
  };
}

const asking = () => contextWith({ dialogue: { canAsk: true } });
const answering = (state: string) =>
  contextWith({ dialogue: { canAsk: true, state, answer: { action: 'accept', content: { name: 'shop/prod' } } } });
const stateOf = (confirmation: Confirmation): string => (confirmation.kind === 'needs_input' ? confirmation.state : '');

const unattended = (planToken?: string) => ({ ...confirmationRequest(), mayBeUnattended: true, planToken });
const mute = () => contextWith({ dialogue: { canAsk: false } });

describe('an answer that servers share', () => {
  test('counts at each of them, once', async () => {
    await using here = await openSharing();
    const state = stateOf(await here.one.confirm(confirmationRequest(), asking()));
    const all = await Promise.all(
      [here.other, here.one, here.other, here.one].map((confirmer) =>
        confirmer.confirm(confirmationRequest(), answering(state)),
      ),
    );
    expect(all.filter(({ kind }) => kind === 'approved')).toHaveLength(1);
    expect(all.filter(({ kind }) => kind === 'refused')).toEqual(
      Array.from({ length: 3 }, () => ({ kind: 'refused', why: 'used' })),
    );
  });

  test("is for the same call and plan only, and isn't used up by others", async () => {
    await using here = await openSharing();
    const state = stateOf(await here.one.confirm(confirmationRequest(), asking()));
    expect(
      await here.other.confirm(confirmationRequest({ args: { environment_id: 'another' } }), answering(state)),
    ).toEqual({ kind: 'refused', why: 'other_call' });
    expect(await here.other.confirm(confirmationRequest({ digest: 'read again' }), answering(state))).toEqual({
      kind: 'refused',
      why: 'changed',
    });
    expect(await here.other.confirm(confirmationRequest(), answering(state))).toMatchObject({ kind: 'approved' });
  });

  test('is no longer taken once the store forgot when it was asked for', async () => {
    await using here = await openSharing();
    const state = stateOf(await here.one.confirm(confirmationRequest(), asking()));
    await here.store.time(Date.now() + 2 * questionLifetime * 1000);
    expect(await here.other.confirm(confirmationRequest(), answering(state))).toEqual({
      kind: 'refused',
      why: 'invalid',
    });
  });

  test('may be a plan token', async () => {
    await using here = await openSharing();
    const asked = await here.one.confirm(unattended(), mute());
    const token = asked.kind === 'pending' ? asked.planToken : undefined;
    expect(await here.other.confirm(unattended(token), mute())).toEqual({ kind: 'approved', how: 'unattended' });
    expect(await here.one.confirm(unattended(token), mute())).toEqual({ kind: 'refused', why: 'used' });
    // A token is no answer to a question.
    const another = await here.one.confirm(unattended(), mute());
    expect(
      await here.other.confirm(confirmationRequest(), answering((another as { planToken: string }).planToken)),
    ).toEqual({ kind: 'refused', why: 'invalid' });
  });

  test('is opened by older keys of the ring, sealed by the newest, and void without its key', async () => {
    await using here = await openSharing();
    const states = [
      stateOf(await here.one.confirm(confirmationRequest(), asking())),
      stateOf(await here.one.confirm(confirmationRequest(), asking())),
    ];
    await putKey(here.keys, 'question-2.key');
    const newer = stateOf(await here.one.confirm(confirmationRequest(), asking()));
    expect(await here.other.confirm(confirmationRequest(), answering(states[0]!))).toMatchObject({ kind: 'approved' });
    await rm(join(here.keys, 'question-1.key'));
    expect(await here.other.confirm(confirmationRequest(), answering(states[1]!))).toEqual({
      kind: 'refused',
      why: 'invalid',
    });
    expect(await here.other.confirm(confirmationRequest(), answering(newer))).toMatchObject({ kind: 'approved' });
  });
});

describe('a key ring', () => {
  test('has the file whose name sorts last first, and another key for each purpose and file', async () => {
    await using folder = await temporaryFolder();
    for (const name of ['question-2026-10-01.key', 'question-2026-11-01.key', 'notes.txt'])
      await putKey(folder.path, name);
    const ring = keyRingIn(folder.path);
    const before = ring().map((keys) => keys('question').toString('hex'));
    expect(new Set([...before, ring()[0]!('plan token').toString('hex')]).size).toBe(3);
    await putKey(folder.path, 'question-2026-12-01.key');
    const after = ring().map((keys) => keys('question').toString('hex'));
    expect(after.slice(1)).toEqual(before);
    await putKey(folder.path, 'question-2026-12-01.key');
    expect(ring()[0]!('question').toString('hex')).not.toBe(after[0]);
  });

  test('says what is wrong with its folder', async () => {
    await using folder = await temporaryFolder();
    const ring = keyRingIn(folder.path);
    expect(ring).toThrow(
      `${folder.path} holds no question key. Make one with: (umask 077; head -c 32 /dev/urandom > ${folder.path}/question-1.key)`,
    );
    await putKey(folder.path, 'question-1.key', 31);
    expect(ring).toThrow('should hold a key of 32 bytes, and holds 31');
    await putKey(folder.path, 'question-1.key');
    if (process.platform !== 'win32') {
      await chmod(join(folder.path, 'question-1.key'), 0o644);
      expect(ring).toThrow(`chmod 600 ${join(folder.path, 'question-1.key')}`);
    }
  });
});
