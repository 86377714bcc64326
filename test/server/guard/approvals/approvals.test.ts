import { createHmac } from 'node:crypto';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { approvalLifetime, type Approval } from '../../../../src/server/guard/approvals/approvals.ts';
import type { RecordDecision } from '../../../../src/server/audit/index.ts';
import {
  type Pending,
  hasSecret,
  secretMark,
  setSecret,
  terminalSource,
  maximumWaiting,
} from '../../../../src/server/guard/index.ts';
import { operatorKeyFor } from '../../../../src/server/guard/approvals/operator-secret.ts';
import { temporaryFolder } from '../../audit/audit-log.ts';
import { approvalRequest, approvalsIn } from './approvals-fixture.ts';
import { operatorSecret, setOperatorSecret } from '../../../support/guard-fixture.ts';
import { createTestStore } from '../storage/test-stores.ts';

/** An office of its own whose operator has set the secret. */
async function openApprovals(record?: RecordDecision) {
  const [folder, testStore] = [await temporaryFolder(), await createTestStore()];
  const fixture = approvalsIn(folder.path, { store: testStore.open(), record });
  await setOperatorSecret(fixture.operator);
  return {
    ...fixture,
    folder,
    testStore,
    /** The same approvals in another process. */
    elsewhere: (more: { record?: RecordDecision; log?: string } = {}) =>
      approvalsIn(folder.path, { store: testStore.open(), ...more }),
    [Symbol.asyncDispose]: async () => {
      await testStore[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const codeOf = (approval: Approval): string => {
  if (approval.kind !== 'pending') throw new Error(`not pending: ${approval.kind}`);
  return approval.code;
};

const now = Date.parse('2026-11-20T10:00:00Z');

describe('an approval', () => {
  test('is asked for under a code, and counts when the call comes again', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/);
    expect(await here.queue.find(code.toLowerCase(), now)).toMatchObject({
      code,
      principal: 'ann',
      typed: 'shop/prod',
      plan: { tool: 'stop_environment' },
    });
    expect(await here.decide(code, 'approved', operatorSecret, now)).toEqual({ kind: 'decided' });
    expect(await here.approvals.ask(approvalRequest(), now + 1)).toEqual({ kind: 'approved', how: 'terminal' });
  });

  test('is the same while nobody has decided', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    expect(codeOf(await here.approvals.ask(approvalRequest(), now + 1))).toBe(code);
    expect((await here.queue.waiting(now)).map((one) => one.code)).toEqual([code]);
  });

  test('counts once', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await here.decide(code, 'approved', operatorSecret, now);
    await here.approvals.ask(approvalRequest(), now);
    expect(codeOf(await here.approvals.ask(approvalRequest(), now))).not.toBe(code);
  });

  test('lets one through of calls that race on it, from several processes too', async () => {
    await using here = await openApprovals();
    const elsewhere = here.elsewhere();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await here.decide(code, 'approved', operatorSecret, now);
    const all = await Promise.all(
      [here, elsewhere, here, elsewhere].map(({ approvals }) => approvals.ask(approvalRequest(), now)),
    );
    expect(all.filter(({ kind }) => kind === 'approved')).toHaveLength(1);
  });

  test('that was refused says so, once', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await here.decide(code, 'refused', operatorSecret, now);
    expect(await here.approvals.ask(approvalRequest(), now)).toEqual({ kind: 'refused' });
    expect(await here.approvals.ask(approvalRequest(), now)).toMatchObject({ kind: 'pending' });
  });

  test('that was refused with a reason says so; a reason that the operator did not sign is not told', async () => {
    await using here = await openApprovals();
    const refuse = async (reason?: string): Promise<string> => {
      const code = codeOf(await here.approvals.ask(approvalRequest(), now));
      const unlocked = await here.queue.unlock(operatorSecret, 'a test', now);
      if (unlocked.kind !== 'unlocked') throw new Error(unlocked.kind);
      expect(await here.queue.decide(code, 'refused', { ...unlocked, reason }, now)).toEqual({ kind: 'decided' });
      return code;
    };
    const noted = await refuse('after the sale');
    const [decision] = (await here.store.waiting.decisionsOn([noted])).get(noted)!;
    expect(await here.approvals.ask(approvalRequest(), now)).toEqual({
      kind: 'refused',
      how: 'terminal',
      reason: 'after the sale',
    });
    // Whoever writes the store can put an old note beside another refusal.
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    const unlocked = await here.queue.unlock(operatorSecret, 'a test', now);
    const { sign } = unlocked as Extract<typeof unlocked, { kind: 'unlocked' }>;
    const { seal } = (await here.store.waiting.withCode(code, now))[0]!;
    expect(await here.store.waiting.decide(code, 'refused', sign(`refused ${seal}`), decision)).toBe(true);
    expect(await here.approvals.ask(approvalRequest(), now)).toEqual({ kind: 'refused' });
  });

  test('is not for another call: tool, arguments or principal', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await here.decide(code, 'approved', operatorSecret, now);
    expect(codeOf(await here.approvals.ask(approvalRequest({ call: 'eve stop_environment e-1' }), now))).not.toBe(code);
  });

  test('does nothing once the target has changed, and is used up', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await here.decide(code, 'approved', operatorSecret, now);
    expect(await here.approvals.ask(approvalRequest({ digest: 'read again' }), now)).toEqual({ kind: 'changed' });
    expect(await here.approvals.ask(approvalRequest(), now)).toMatchObject({ kind: 'pending' });
  });

  test('is asked for again when the target changes before anyone decided', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    expect(codeOf(await here.approvals.ask(approvalRequest({ digest: 'read again' }), now))).not.toBe(code);
    expect(await here.decide(code, 'approved', operatorSecret, now)).toEqual({ kind: 'gone' });
  });

  test('expires', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await here.decide(code, 'approved', operatorSecret, now);
    expect(codeOf(await here.approvals.ask(approvalRequest(), now + approvalLifetime))).not.toBe(code);
    expect(await here.decide(code, 'approved', operatorSecret, now + approvalLifetime)).toEqual({ kind: 'gone' });
    expect(await here.queue.find(code, now + approvalLifetime)).toBeUndefined();
  });

  test('is decided once', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    expect(await here.decide(code, 'refused', operatorSecret, now)).toEqual({ kind: 'decided' });
    expect(await here.decide(code, 'approved', operatorSecret, now)).toEqual({ kind: 'gone' });
    expect(await here.queue.find(code, now)).toBeUndefined();
    expect(await here.queue.waiting(now)).toEqual([]);
  });
});

/** Asks as one caller does who sends another token with every call. */
const ask = (here: Awaited<ReturnType<typeof openApprovals>>, number: number, identity = 'ann', at = now) =>
  here.approvals.ask(
    approvalRequest({ call: `call ${number}`, principal: `${identity}+token ${number}`, identity }),
    at,
  );

describe('calls that wait', () => {
  test('are bounded for each caller, whatever token it sends; those before stay', async () => {
    await using here = await openApprovals();
    const codes = [];
    for (let number = 0; number < maximumWaiting.each; number += 1) codes.push(codeOf(await ask(here, number)));
    expect(await ask(here, 100)).toEqual({ kind: 'too_many_of_caller' });
    expect((await here.queue.waiting(now)).map(({ code }) => code)).toEqual(codes);
    expect(codeOf(await ask(here, 0))).toBe(codes[0]);
    expect(await ask(here, 100, 'bob')).toMatchObject({ kind: 'pending' });
    await here.decide(codes[3]!, 'refused', operatorSecret, now);
    expect(await ask(here, 101)).toMatchObject({ kind: 'pending' });
    expect(await ask(here, 102)).toEqual({ kind: 'too_many_of_caller' });
    expect(await ask(here, 102, 'ann', now + approvalLifetime)).toMatchObject({ kind: 'pending' });
  });

  test('are bounded in all', async () => {
    await using here = await openApprovals();
    for (let number = 0; number < maximumWaiting.inAll; number += 1) await ask(here, number, `caller ${number % 100}`);
    expect(await here.queue.count(now)).toBe(maximumWaiting.inAll);
    expect(await ask(here, -1, 'bob')).toEqual({ kind: 'too_many_in_all' });
    expect(await ask(here, -1, 'bob', now + approvalLifetime)).toMatchObject({ kind: 'pending' });
  });
});

describe('the secret', () => {
  test('is needed, and tried a few times only', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    for (const left of [4, 3, 2, 1, 0])
      expect(await here.decide(code, 'approved', 'a wrong secret', now)).toEqual({ kind: 'wrong_secret', left });
    expect(await here.decide(code, 'approved', operatorSecret, now + 1000)).toEqual({
      kind: 'locked',
      until: now + 15 * 60_000,
    });
    expect(await here.approvals.ask(approvalRequest(), now)).toEqual({
      kind: 'pending',
      code,
      command: `infra-mcp approve ${code}`,
    });
    expect(
      await here.decide(
        codeOf(await here.approvals.ask(approvalRequest(), now + 16 * 60_000)),
        'approved',
        operatorSecret,
        now + 16 * 60_000,
      ),
    ).toEqual({ kind: 'decided' });
  });

  test('is not tried more often by trying many times at once', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    const tries = await Promise.all(
      Array.from({ length: 8 }, () => here.decide(code, 'approved', 'a wrong secret', now)),
    );
    expect(tries.filter(({ kind }) => kind === 'locked')).toHaveLength(3);
  });

  test('pauses where wrong ones come from, and nobody else', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    const guess = (source: string) => here.decide(code, 'approved', 'a wrong secret', now, source);
    for (const left of [4, 3, 2, 1, 0]) expect(await guess('198.51.100.7')).toEqual({ kind: 'wrong_secret', left });
    expect(await guess('198.51.100.7')).toEqual({ kind: 'locked', until: now + 15 * 60_000 });
    expect(await guess('198.51.100.8')).toEqual({ kind: 'wrong_secret', left: 4 });
    expect(await guess(terminalSource)).toEqual({ kind: 'wrong_secret', left: 4 });
    expect(await here.decide(code, 'approved', operatorSecret, now, '198.51.100.9')).toEqual({ kind: 'decided' });
  });

  test('is not guessed by many together, and the operator is never shut out by others', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    for (let count = 0; count < 100; count += 1)
      await here.store.secretTries.begin(`2001:db8:0:${count}::/64`, now + count);
    expect(await here.decide(code, 'approved', 'a wrong secret', now + 100, '198.51.100.7')).toMatchObject({
      kind: 'wrong_secret',
    });
    expect(await here.decide(code, 'approved', operatorSecret, now + 100, '198.51.100.7')).toMatchObject({
      kind: 'locked',
      everywhere: true,
    });
    expect(await here.decide(code, 'approved', operatorSecret, now + 100, '198.51.100.8')).toEqual({ kind: 'decided' });
  });

  test('is counted on in the directory of an earlier program, which is told to make way', async () => {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/guard.sqlite`;
    const { DatabaseSync } = await import('node:sqlite');
    const earlier = new DatabaseSync(path);
    earlier.exec('CREATE TABLE wrong_secret (at INTEGER NOT NULL) STRICT');
    for (let count = 0; count < 5; count += 1) earlier.prepare('INSERT INTO wrong_secret (at) VALUES (?)').run(now);
    await setOperatorSecret(approvalsIn(folder.path).operator);
    using here = approvalsIn(folder.path);
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    expect(await here.decide(code, 'approved', 'a wrong secret', now, '198.51.100.7')).toEqual({
      kind: 'wrong_secret',
      left: 4,
    });
    expect(() => earlier.prepare('INSERT INTO wrong_secret (at) VALUES (?)').run(now)).toThrow('newer version');
    earlier.close();
    expect(await here.decide(code, 'approved', operatorSecret, now)).toEqual({ kind: 'decided' });
  });

  test('does not spend tries when it is right', async () => {
    await using here = await openApprovals();
    for (let count = 0; count < 6; count += 1) {
      const code = codeOf(await here.approvals.ask(approvalRequest(), now));
      expect(await here.decide(code, 'refused', operatorSecret, now)).toEqual({ kind: 'decided' });
      await here.approvals.ask(approvalRequest(), now);
    }
  });

  test('is nowhere on disk, and nothing is open to others', async () => {
    await using folder = await temporaryFolder();
    using here = approvalsIn(folder.path);
    await setSecret(here.operator, operatorSecret);
    await here.approvals.ask(approvalRequest(), now);
    const files = [here.operator, `${folder.path}/guard.sqlite`, `${folder.path}/guard.key`];
    for (const file of files) expect(await readFile(file, 'latin1')).not.toContain(operatorSecret);
    if (process.platform !== 'win32') for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('makes approvals void when another is set', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await here.decide(code, 'approved', operatorSecret, now);
    await setOperatorSecret(here.operator, 'another secret');
    expect(await here.approvals.ask(approvalRequest(), now)).toEqual({ kind: 'invalid' });
  });

  test('has to have some length', async () => {
    await using folder = await temporaryFolder();
    const { operator } = approvalsIn(folder.path);
    await expect(setSecret(operator, 'short')).rejects.toThrow('at least 8 characters');
    expect(await hasSecret(operator)).toBe(false);
  });

  test.each([undefined, 'the one of before'])('is set by one of several at once, over %j', async (before) => {
    await using folder = await temporaryFolder();
    const { operator } = approvalsIn(folder.path);
    if (before !== undefined) await setOperatorSecret(operator, before);
    const mark = await secretMark(operator);
    const secrets = Array.from({ length: 8 }, (_, index) => `secret of ${index}`);
    const set = await Promise.all(secrets.map((secret) => setSecret(operator, secret, 2 ** 4, { mark })));
    expect(set.filter(Boolean)).toHaveLength(1);
    for (const [index, secret] of secrets.entries())
      expect((await operatorKeyFor(operator, secret)) !== undefined).toBe(set[index]);
    expect(await readdir(folder.path)).toEqual(['operator.json']);
  });

  test('is set where a command was ended while it set one, and not while it may still do so', async () => {
    await using folder = await temporaryFolder();
    const { operator } = approvalsIn(folder.path);
    await writeFile(`${operator}.new`, '{');
    expect(await setSecret(operator, operatorSecret, 2 ** 4)).toBe(false);
    expect(await hasSecret(operator)).toBe(false);
    await utimes(`${operator}.new`, 0, 0);
    expect(await setSecret(operator, operatorSecret, 2 ** 4)).toBe(true);
    expect(await readdir(folder.path)).toEqual(['operator.json']);
  });
});

describe('whoever writes in the store without the secret', () => {
  test('cannot approve', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await here.testStore.tamper.putVerdict(code, 'approved', Buffer.alloc(64).toString('base64'));
    expect(await here.approvals.ask(approvalRequest(), now)).toEqual({ kind: 'invalid' });
  });

  test('cannot turn a refusal into an approval', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await here.decide(code, 'refused', operatorSecret, now);
    await here.testStore.tamper.changeVerdicts('approved');
    expect(await here.approvals.ask(approvalRequest(), now)).toEqual({ kind: 'invalid' });
  });

  test('cannot move an approval to another call', async () => {
    await using here = await openApprovals();
    const harmless = codeOf(await here.approvals.ask(approvalRequest({ call: 'harmless' }), now));
    const grave = codeOf(await here.approvals.ask(approvalRequest({ call: 'grave' }), now));
    await here.decide(harmless, 'approved', operatorSecret, now);
    await here.testStore.tamper.moveDecision(harmless, grave);
    expect(await here.approvals.ask(approvalRequest({ call: 'grave' }), now)).toEqual({ kind: 'invalid' });
  });

  test('cannot change what the operator is shown, nor how long it counts', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await here.testStore.tamper.replaceInRecords('"sealed":"', '"sealed":"A');
    expect(await here.queue.find(code, now)).toBeUndefined();
    expect(await here.decide(code, 'approved', operatorSecret, now)).toEqual({ kind: 'gone' });
    await using other = await openApprovals();
    const late = codeOf(await other.approvals.ask(approvalRequest(), now));
    await other.decide(late, 'approved', operatorSecret, now);
    await other.testStore.tamper.prolong();
    expect(await other.approvals.ask(approvalRequest(), now + approvalLifetime)).toMatchObject({ kind: 'pending' });
  });
});

describe('what waits in the store', () => {
  const request = approvalRequest({ principal: 'key:ann-at-work', identity: 'ann-at-work', call: 'a hash' });

  test('shows nobody without the keys what is asked for, where, or by whom', async () => {
    await using here = await openApprovals();
    const code = codeOf(await here.approvals.ask(request, now));
    const stored = JSON.stringify([await here.store.waiting.undecided(now), await here.testStore.rows()]);
    expect(stored).toContain(code);
    const { tool, target, summary } = request.plan;
    for (const text of ['ann-at-work', tool, target.id!, target.name!, summary, 'shop/prod', 'destructive'])
      expect(stored).not.toContain(text);
    expect(await here.queue.find(code, now)).toMatchObject({
      principal: 'key:ann-at-work',
      plan: request.plan,
      typed: 'shop/prod',
    });
  });

  test('of an earlier version is read as before, and not counted with what it can not read', async () => {
    await using here = await openApprovals();
    const pending: Pending = {
      code: 'K7QM-2XRD',
      call: 'a hash',
      principal: 'key:ann-at-work',
      identity: 'ann-at-work',
      plan: request.plan,
      askedAt: now,
      expiresAt: now + approvalLifetime,
    };
    const record = JSON.stringify(pending);
    const seal = createHmac('sha256', here.keys('approval')).update(record).digest('base64url');
    const { code, call, identity = '', expiresAt } = pending;
    await here.store.waiting.add({ code, call, identity, record, seal, expiresAt }, now, () => undefined);
    expect(await here.approvals.ask(request, now)).toMatchObject({ kind: 'pending', code });
    await here.decide(code, 'approved', operatorSecret, now);
    expect(await here.approvals.ask(request, now)).toEqual({ kind: 'approved', how: 'terminal' });
    for (const odd of ['{}', '{"sealed":7}', '{"sealed":""}', '{"sealed":"AAAA"}', '[]']) {
      await here.store.waiting.add({ code: odd, call, identity, record: odd, seal, expiresAt }, now, () => undefined);
    }
    expect(await here.queue.waiting(now)).toEqual([]);
  });
});

describe('a decision', () => {
  const decision = {
    how: 'terminal',
    caller: 'ann',
    tool: 'stop_environment',
    tier: 'destructive',
    plan: 'digest',
  } as const;

  test.each(['approved', 'refused'] as const)('is on record before it counts: %s', async (verdict) => {
    const waitingCodes: unknown[] = [];
    await using here = await openApprovals(
      async ({ code }) => void waitingCodes.push((await here.queue.find(code, now))?.code),
    );
    const code = codeOf(await here.approvals.ask(approvalRequest({ digest: 'digest' }), now));
    await here.decide(code, verdict, operatorSecret, now);
    expect(here.decisions).toEqual([
      { ...decision, verdict, code, target: expect.objectContaining({ kind: 'environment', id: 'e-1' }) as unknown },
    ]);
    // When it was recorded, the call still waited.
    expect(waitingCodes).toEqual([code]);
  });

  test('is not made when it can not be recorded, and can be made later', async () => {
    let isFull = true;
    await using here = await openApprovals(async () => {
      if (isFull) throw new Error('ENOSPC: no space left on device, write');
    });
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await expect(here.decide(code, 'approved', operatorSecret, now)).rejects.toThrow(
      'Nothing was decided: the decision could not be recorded (ENOSPC: no space left on device, write).',
    );
    expect(codeOf(await here.approvals.ask(approvalRequest(), now))).toBe(code);
    isFull = false;
    expect(await here.decide(code, 'approved', operatorSecret, now)).toEqual({ kind: 'decided' });
  });

  test('that came too late while it was recorded is taken back on record', async () => {
    await using here = await openApprovals(async ({ verdict, code }) => {
      if (verdict === 'approved') await other.decide(code, 'refused', operatorSecret, now);
    });
    const other = here.elsewhere();
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    expect(await here.decide(code, 'approved', operatorSecret, now)).toEqual({ kind: 'gone' });
    expect(here.decisions.map(({ verdict }) => verdict)).toEqual(['approved', 'not_made']);
    expect(await here.approvals.ask(approvalRequest(), now)).toEqual({ kind: 'refused' });
  });

  test('is not made where it would be recorded apart from the call', async () => {
    await using here = await openApprovals();
    const elsewhere = here.elsewhere({ log: 'another log' });
    const code = codeOf(await here.approvals.ask(approvalRequest(), now));
    await expect(elsewhere.decide(code, 'approved', operatorSecret, now)).rejects.toThrow(
      'Give this one the same INFRA_AUDIT_FILE or INFRA_AUDIT_COMMAND',
    );
    expect(codeOf(await here.approvals.ask(approvalRequest(), now))).toBe(code);
  });
});
