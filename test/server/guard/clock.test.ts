import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { approvalLifetime, type Approval } from '../../../src/server/guard/approvals/approvals.ts';
import {
  createConfirmer,
  questionLifetime,
  type Confirmation,
} from '../../../src/server/guard/confirmation/confirmation.ts';
import { ephemeralHighRiskCalls, type HighRiskCalls, operatorIdleTime } from '../../../src/server/guard/index.ts';
import { monotonicClock } from '../../../src/server/guard/storage/clock.ts';
import { createOperatorSessions } from '../../../src/transport/http/console/operator-sessions.ts';
import { temporaryFolder } from '../audit/audit-log.ts';
import { contextWith } from '../../support/call-context.ts';
import { approvalRequest, approvalsIn } from './approvals/approvals-fixture.ts';
import { confirmationRequest } from './confirmation-request.ts';
import { createTestStore } from './storage/test-stores.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse('2026-11-20T10:00:00Z');

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }));
afterEach(() => void vi.useRealTimers());

/** Sets the clock to some milliseconds after the start. */
const at = (time: number): void => void vi.setSystemTime(start + time);

describe('a steady clock', () => {
  test('never steps back, goes on by what really passed, and follows what goes ahead', () => {
    let [time, passed] = [1000, 0];
    const clock = monotonicClock({ now: () => time }, () => passed);
    const readings = [
      [1000, 0],
      [1500, 500],
      [200, 520],
      [300, 620],
      [300, 700],
      [9000, 710],
    ].map((next) => {
      [time, passed] = next as [number, number];
      return clock.now();
    });
    expect(readings).toEqual([1000, 1500, 1520, 1620, 1700, 10_400]);
  });
});

const accepting = (state: string | undefined) =>
  contextWith({
    dialogue: { canAsk: true, state, answer: { action: 'accept', content: { confirmed: true, name: 'shop/prod' } } },
  });
const stateOf = (confirmation: Confirmation): string => (confirmation.kind === 'needs_input' ? confirmation.state : '');

const confirming = () => {
  const confirmer = createConfirmer();
  return (...given: Parameters<typeof confirmer.confirm>): Promise<Confirmation> => confirmer.confirm(...given);
};

const codeOf = (approval: Approval): string => (approval.kind === 'pending' ? approval.code : approval.kind);
const cannotAsk = () => contextWith({ dialogue: { canAsk: false } });
const unattended = (planToken?: string) => ({ ...confirmationRequest(), mayBeUnattended: true, planToken });
const tokenOf = (confirmation: Confirmation): string =>
  confirmation.kind === 'pending' ? (confirmation.planToken ?? '') : '';

/** What of two calls under a limit of two counts while the clock goes ahead and steps back. */
const counts = async (calls: HighRiskCalls): Promise<void> => {
  const takeAt = (time: number): Promise<number | undefined> => calls.take(2, start + time);
  expect([await takeAt(0), await takeAt(minute)]).toEqual([undefined, undefined]);
  // The clock goes ahead for a moment: by it, the hour is over.
  expect(await calls.nextAt(2, start + 24 * hour)).toBeUndefined();
  expect(await takeAt(2 * minute)).toBe(start + hour);
  // Back behind both: they count as made just now, not as to be made.
  expect(await takeAt(-hour)).toBe(start);
  expect(await takeAt(-1)).toBe(start);
  expect(await takeAt(0)).toBeUndefined();
};

describe('a clock that steps back revives', () => {
  test('no question that was answered', async () => {
    const confirm = confirming();
    const state = stateOf(await confirm(confirmationRequest(), contextWith({ dialogue: { canAsk: true } })));
    expect(await confirm(confirmationRequest(), accepting(state))).toMatchObject({ kind: 'approved' });
    // Long after everything about it was forgotten, somebody looks at another one.
    at(24 * hour);
    const other = stateOf(await confirm(confirmationRequest(), contextWith({ dialogue: { canAsk: true } })));
    await confirm(confirmationRequest(), accepting(other));
    at(minute);
    expect(await confirm(confirmationRequest(), accepting(state))).toMatchObject({ kind: 'refused' });
    expect(await confirm(confirmationRequest(), accepting(other))).toEqual({ kind: 'refused', why: 'used' });
  });

  test('no question that expired, and prolongs none', async () => {
    const confirm = confirming();
    const [seen, other] = [
      stateOf(await confirm(confirmationRequest(), contextWith({ dialogue: { canAsk: true } }))),
      stateOf(await confirm(confirmationRequest(), contextWith({ dialogue: { canAsk: true } }))),
    ];
    at(questionLifetime * 1000 + 2000);
    expect(await confirm(confirmationRequest(), accepting(seen))).toEqual({ kind: 'refused', why: 'invalid' });
    at(minute);
    expect(await confirm(confirmationRequest(), accepting(seen))).toEqual({ kind: 'refused', why: 'invalid' });
    expect(await confirm(confirmationRequest(), accepting(other))).toEqual({ kind: 'refused', why: 'invalid' });
    const fresh = stateOf(await confirm(confirmationRequest(), contextWith({ dialogue: { canAsk: true } })));
    at(-hour);
    await confirm(confirmationRequest({ digest: 'other' }), accepting(fresh));
    at(-hour + questionLifetime * 1000);
    expect(await confirm(confirmationRequest(), accepting(fresh))).toEqual({ kind: 'refused', why: 'invalid' });
  });

  test('no plan token that was used, nor one that expired', async () => {
    const confirm = confirming();
    const [used, expired] = [
      tokenOf(await confirm(unattended(), cannotAsk())),
      tokenOf(await confirm(unattended(), cannotAsk())),
    ];
    expect(await confirm(unattended(used), cannotAsk())).toMatchObject({ kind: 'approved' });
    at(24 * hour);
    expect(await confirm(unattended(tokenOf(await confirm(unattended(), cannotAsk()))), cannotAsk())).toMatchObject({
      kind: 'approved',
    });
    at(minute);
    expect(await confirm(unattended(used), cannotAsk())).toMatchObject({ kind: 'refused' });
    expect(await confirm(unattended(expired), cannotAsk())).toMatchObject({ kind: 'refused' });
  });

  test('no operator who was away for too long', async () => {
    let passed = 0;
    const operators = createOperatorSessions(monotonicClock({ now: Date.now }, () => passed));
    const { cookie } = await operators.start({ sign: () => '', seed: Buffer.alloc(0) });
    at(-hour);
    passed = operatorIdleTime - minute;
    expect(await operators.find(cookie)).toBeDefined();
    passed += operatorIdleTime + minute;
    expect(await operators.find(cookie)).toBeUndefined();
  });

  test('no room under the limit of grave calls in memory', () => counts(ephemeralHighRiskCalls()));
});

describe('a clock that steps back revives in a store', () => {
  test.each([
    ['the call', 'ask'],
    ['the operator', 'waiting'],
  ] as const)('no approval that expired, as %s saw', async (_, who) => {
    await using folder = await temporaryFolder();
    await using store = await createTestStore();
    const { approvals, queue } = approvalsIn(folder.path, { store: store.open() });
    const code = codeOf(await approvals.ask(approvalRequest(), start));
    const later = start + approvalLifetime + minute;
    if (who === 'ask') await approvals.ask(approvalRequest({ call: 'another' }), later);
    else expect(await queue.waiting(later)).toEqual([]);
    // By another process, which looks for the first time.
    const other = approvalsIn(folder.path, { store: store.open() });
    expect(await other.queue.find(code, start + minute)).toBeUndefined();
    expect(codeOf(await other.approvals.ask(approvalRequest(), start + minute))).not.toBe(code);
  });

  test('no approval that was asked for before it did: nobody can tell how old it is', async () => {
    await using folder = await temporaryFolder();
    await using store = await createTestStore();
    const { approvals, queue } = approvalsIn(folder.path, { store: store.open() });
    const code = codeOf(await approvals.ask(approvalRequest(), start));
    expect(await queue.find(code, start - 4000)).toMatchObject({ code });
    expect(await queue.find(code, start - hour)).toBeUndefined();
    expect(codeOf(await approvals.ask(approvalRequest(), start))).not.toBe(code);
  });

  test('no room under the limit of grave calls', async () => {
    await using store = await createTestStore();
    await counts(store.open().highRiskCalls);
  });
});
