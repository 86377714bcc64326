import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { setSecret, operatorKeyFor } from '../../../../src/server/guard/approvals/operator-secret.ts';
import { temporaryFolder } from '../../audit/audit-log.ts';
import { approvalsIn } from './approvals-fixture.ts';
import { operatorSecret } from '../../../support/guard-fixture.ts';

const derivations = vi.hoisted(() => ({ now: 0, most: 0 }));

// Counts how many secrets are derived at the same moment; the deriving itself is the real one.
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  const scrypt = (...args: unknown[]): void => {
    derivations.now += 1;
    derivations.most = Math.max(derivations.most, derivations.now);
    const done = args.pop() as (...results: unknown[]) => void;
    (crypto.scrypt as (...given: unknown[]) => void)(...args, (...results: unknown[]) => {
      derivations.now -= 1;
      done(...results);
    });
  };
  return { ...crypto, scrypt };
});

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  await setSecret(approvalsIn(folder.path).operator, operatorSecret);
});
afterAll(() => folder[Symbol.asyncDispose]());

test('secrets that come at once are derived one after another, each to its own end', async () => {
  const { operator } = approvalsIn(folder.path);
  const signers = await Promise.all(
    ['wrong one', operatorSecret, 'another wrong one', operatorSecret].map((given) => operatorKeyFor(operator, given)),
  );
  expect(signers.map((signer) => signer !== undefined)).toEqual([false, true, false, true]);
  expect(derivations).toEqual({ now: 0, most: 1 });
});
