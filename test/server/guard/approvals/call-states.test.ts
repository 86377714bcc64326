import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { approvalLifetime } from '../../../../src/server/guard/index.ts';
import { temporaryFolder } from '../../audit/audit-log.ts';
import { createTestStore } from '../storage/test-stores.ts';
import { operatorSecret, setOperatorSecret } from '../../../support/guard-fixture.ts';
import { approvalRequest, approvalsIn } from './approvals-fixture.ts';
import { namedRequest, openNamedApprovals } from './named-operators-fixture.ts';

const now = Date.parse('2026-11-20T10:00:00Z');
const minute = 60_000;

type Asking = Pick<ReturnType<typeof approvalsIn>, 'approvals'>;

/** The code under which a call waits. */
async function codeFor({ approvals }: Asking, request = approvalRequest(), at = now): Promise<string> {
  const asked = await approvals.ask(request, at);
  if (asked.kind !== 'pending') throw new Error(asked.kind);
  return asked.code;
}

const progressAt = async ({ approvals }: Asking, code: string, at = now, principal = 'ann') =>
  (await approvals.stateOf(code, principal, at))?.progress;

describe('where the operator has no name', () => {
  let here: ReturnType<typeof approvalsIn>;
  let open: AsyncDisposable[];
  let store: Awaited<ReturnType<typeof createTestStore>>;
  beforeEach(async () => {
    const folder = await temporaryFolder();
    store = await createTestStore();
    open = [folder, store];
    here = approvalsIn(folder.path, { store: store.open() });
    await setOperatorSecret(here.operator);
  });
  afterEach(async () => {
    for (const one of open.toReversed()) await one[Symbol.asyncDispose]();
  });

  test('a call waits, is approved, and is used once', async () => {
    const code = await codeFor(here);
    expect(await here.approvals.stateOf(code, 'ann', now + minute)).toMatchObject({
      code,
      askedAt: now,
      expiresAt: now + approvalLifetime,
      progress: { kind: 'waiting' },
      isOpen: true,
    });
    await here.decide(code, 'approved_on_page', operatorSecret, now);
    expect(await progressAt(here, code)).toEqual({ kind: 'approved', how: 'page' });
    // Looking uses nothing up.
    expect(await here.approvals.ask(approvalRequest(), now)).toEqual({ kind: 'approved', how: 'page' });
    expect(await here.approvals.stateOf(code, 'ann', now)).toMatchObject({
      progress: { kind: 'used', how: 'page' },
      isOpen: false,
      endedAt: now,
    });
  });

  test('a refusal is there before and after the caller was told', async () => {
    const code = await codeFor(here);
    await here.decide(code, 'refused', operatorSecret, now);
    expect(await progressAt(here, code)).toEqual({ kind: 'refused' });
    expect(await here.approvals.ask(approvalRequest(), now)).toEqual({ kind: 'refused' });
    expect(await progressAt(here, code)).toEqual({ kind: 'refused' });
  });

  test('what changes before a decision waits under another code, and after it takes the decision away', async () => {
    const code = await codeFor(here);
    const next = await codeFor(here, approvalRequest({ digest: 'another' }));
    expect(await progressAt(here, code)).toEqual({ kind: 'replaced' });
    await here.decide(next, 'approved', operatorSecret, now);
    expect(await here.approvals.ask(approvalRequest({ digest: 'a third' }), now)).toEqual({ kind: 'changed' });
    expect(await progressAt(here, next)).toEqual({ kind: 'changed' });
  });

  test('a call whose time is over has expired, also once it is no longer stored, and is forgotten after an hour', async () => {
    const [code, approved] = [await codeFor(here), await codeFor(here, approvalRequest({ call: 'another' }))];
    await here.decide(approved, 'approved', operatorSecret, now);
    const over = now + approvalLifetime;
    for (const one of [code, approved]) expect(await progressAt(here, one, over)).toEqual({ kind: 'expired' });
    await codeFor(here, approvalRequest({ call: 'a third' }), over);
    for (const one of [code, approved]) expect(await progressAt(here, one, over)).toEqual({ kind: 'expired' });
    await codeFor(here, approvalRequest({ call: 'a third' }), over + 61 * minute);
    for (const one of [code, approved]) expect(await progressAt(here, one, over)).toBeUndefined();
  });

  test.each(['bob', 'ann ', ''])('nothing is there for "%s", who did not make the call', async (principal) => {
    const code = await codeFor(here);
    expect(await progressAt(here, code, now, principal)).toBeUndefined();
    await here.decide(code, 'refused', operatorSecret, now);
    await here.approvals.ask(approvalRequest(), now);
    expect(await progressAt(here, code, now, principal)).toBeUndefined();
    expect(await progressAt(here, ` ${code.toLowerCase()}`)).toEqual({ kind: 'refused' });
  });

  test.each(['', 'K7QM-2XRD', "' or 1=1", '\0', 'K7QM-2XRD/', '%00', 'x'.repeat(10_000)])(
    'nothing is there under %j',
    async (code) => {
      await codeFor(here);
      expect(await progressAt(here, code)).toBeUndefined();
    },
  );

  test('a decision that no operator signed is none', async () => {
    const code = await codeFor(here);
    await here.store.waiting.decide(code, 'approved', 'made up');
    expect(await progressAt(here, code)).toEqual({ kind: 'invalid' });
  });

  test('how one call ended says nothing of another', async () => {
    const [code, other] = [await codeFor(here), await codeFor(here, approvalRequest({ call: 'another' }))];
    await here.decide(code, 'approved', operatorSecret, now);
    await here.approvals.ask(approvalRequest(), now);
    const { ending } = (await here.store.waiting.known(code))!;
    await here.store.waiting.take(other, { ending: ending!, now });
    expect(await progressAt(here, other)).toBeUndefined();
  });

  test('another process on the store knows the same', async () => {
    const code = await codeFor(here);
    const elsewhere = approvalsIn((open[0] as unknown as { path: string }).path, { store: store.open() });
    await here.decide(code, 'approved', operatorSecret, now);
    expect(await progressAt(elsewhere, code)).toEqual({ kind: 'approved', how: 'terminal' });
    await elsewhere.approvals.ask(approvalRequest(), now);
    expect(await progressAt(here, code)).toEqual({ kind: 'used', how: 'terminal' });
  });
});

test('where operators have names, it says who agreed, how many of several did, and who refused and why', async () => {
  await using here = await openNamedApprovals({ ada: {}, bob: {} });
  const both = namedRequest({ twoPerson: { approvals: 2, setBy: 'a test' } });
  const code = await codeFor(here, both);
  expect(await progressAt(here, code)).toEqual({ kind: 'waiting', agreed: { count: 0, needed: 2 } });
  await here.as('ada', code, 'approved', now);
  expect(await progressAt(here, code)).toEqual({ kind: 'waiting', agreed: { count: 1, needed: 2 } });
  await here.as('bob', code, 'approved', now);
  const agreed = { how: 'terminal', by: ['ada', 'bob'] };
  expect(await progressAt(here, code)).toEqual({ kind: 'approved', ...agreed });
  await here.approvals.ask(both, now);
  expect(await progressAt(here, code)).toEqual({ kind: 'used', ...agreed });

  const refused = await codeFor(here, namedRequest({ call: 'another' }));
  await here.as('bob', refused, 'refused', now);
  expect(await progressAt(here, refused)).toEqual({ kind: 'refused', how: 'terminal', by: 'bob', reason: undefined });
});
