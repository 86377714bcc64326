import { expect, test } from 'vitest';
import type { AskingFailure, CallContext, Dialogue } from '../../../src/server/context/index.ts';
import type { Approval } from '../../../src/server/guard/approvals/approvals.ts';
import {
  createSessionMemories,
  createStatelessMemories,
  failureLifetime,
  silenceLifetime,
  maximumQuestionLength,
} from '../../../src/server/guard/index.ts';
import {
  createConfirmer,
  type Confirmer,
  type ConfirmationRequest,
} from '../../../src/server/guard/confirmation/confirmation.ts';
import { asked, confirmationRequest, operatorWho } from './confirmation-request.ts';
import { contextWith } from '../../support/call-context.ts';

// Clients that declare forms and fail to show one.

const request = confirmationRequest({ args: { environment_id: 'e-1' } });
const yesOrNo: ConfirmationRequest = { ...request, question: { message: 'Restart?' } };
const accepted = (content: Record<string, unknown>): Partial<Dialogue> => ({ answer: { action: 'accept', content } });
const refused = (why: string) => ({ kind: 'refused', why });
const approved = { kind: 'approved', how: 'elicited' };
const unattended = confirmationRequest({ args: request.args, mayBeUnattended: true });
const waiting: Approval = { kind: 'pending', code: 'AAAA-BBBB', command: 'approve AAAA-BBBB' };
const failures = ['no_such_method', 'client_error', 'unusable_answer', 'unanswered'] as const;

/** A client with a memory, and a clock that a test sets. */
function failingClient() {
  let time = 0;
  const memory = createSessionMemories({ now: () => time }).forms;
  const says = (dialogue: Partial<Dialogue> = {}): CallContext => contextWith({ dialogue: { memory, ...dialogue } });
  const failsWith = async (confirmer: Confirmer, failure: AskingFailure, about = request) =>
    confirmer.confirm(about, says({ state: await asked(confirmer, about, says()), failure }));
  return { says, failsWith, pass: (milliseconds: number) => void (time += milliseconds) };
}

test.each(failures)('is refused for %s, and not asked about the next call either', async (failure) => {
  const confirmer = createConfirmer();
  const { says, failsWith } = failingClient();
  expect(await failsWith(confirmer, failure)).toEqual(refused(failure));
  expect(await confirmer.confirm(yesOrNo, says())).toEqual(refused(failure));
});

test.each(failures)('has the operator asked in its place for %s, who can approve', async (failure) => {
  const operator = operatorWho(waiting, waiting, { kind: 'approved', how: 'terminal' });
  const confirmer = createConfirmer({ approvals: operator });
  const { says, failsWith } = failingClient();
  expect(await failsWith(confirmer, failure)).toEqual({ ...waiting, instead: failure });
  expect(await confirmer.confirm(request, says())).toEqual({ ...waiting, instead: failure });
  expect(await confirmer.confirm(request, says())).toEqual({ kind: 'approved', how: 'terminal' });
});

test.each(failures)('lets the caller confirm by itself only if it knows no such request: %s', async (failure) => {
  const confirmer = createConfirmer();
  const { says, failsWith } = failingClient();
  const confirmation = await failsWith(confirmer, failure, unattended);
  if (failure !== 'no_such_method') return expect(confirmation).toEqual(refused(failure));
  expect(confirmation).toEqual({ kind: 'pending', instead: failure, planToken: expect.any(String) });
  const { planToken } = confirmation as { planToken: string };
  return expect(await confirmer.confirm({ ...unattended, planToken }, says())).toEqual({
    kind: 'approved',
    how: 'unattended',
  });
});

test('an answer that comes after the failure does not count', async () => {
  const confirmer = createConfirmer({ approvals: operatorWho(waiting) });
  const { says } = failingClient();
  const state = await asked(confirmer, request, says());
  expect(await confirmer.confirm(request, says({ state, failure: 'client_error' }))).toMatchObject({ kind: 'pending' });
  expect(await confirmer.confirm(request, says({ state, ...accepted({ name: 'shop/prod' }) }))).toEqual(
    refused('used'),
  );
});

test.each([
  ['declined', { action: 'decline' }],
  ['dismissed', { action: 'cancel' }],
] as const)(
  'a user who %s is no failure: nobody else is asked, and they are asked the next time',
  async (why, answer) => {
    const operator = operatorWho(waiting);
    const confirmer = createConfirmer({ approvals: operator });
    const { says } = failingClient();
    for (let round = 0; round < 4; round += 1) {
      const state = await asked(confirmer, request, says());
      expect(await confirmer.confirm(request, says({ state, answer }))).toEqual(refused(why));
    }
    expect(operator.questions).toEqual([]);
  },
);

test('one that loses questions without a word is not asked about the same call a third time, and about no other then', async () => {
  const confirmer = createConfirmer();
  const { says } = failingClient();
  await asked(confirmer, request, says());
  await asked(confirmer, request, says());
  await asked(confirmer, { ...yesOrNo, args: { other: true } }, says());
  expect(await confirmer.confirm(request, says())).toEqual(refused('unanswered'));
  expect(await confirmer.confirm(yesOrNo, says())).toEqual(refused('unanswered'));
});

test('questions about several calls at once count for none of them', async () => {
  const confirmer = createConfirmer();
  const { says } = failingClient();
  for (let index = 0; index < 9; index += 1) await asked(confirmer, { ...request, args: { index } }, says());
});

test('silence is forgotten after a while, or with an answer that comes all the same', async () => {
  const confirmer = createConfirmer();
  const { says, failsWith, pass } = failingClient();
  const early = await asked(confirmer, yesOrNo, says());
  await failsWith(confirmer, 'unanswered');
  expect(await confirmer.confirm(request, says())).toEqual(refused('unanswered'));
  expect(await confirmer.confirm(yesOrNo, says({ state: early, ...accepted({ approve: true }) }))).toEqual(approved);
  await failsWith(confirmer, 'unanswered');
  pass(silenceLifetime);
  await asked(confirmer, request, says());
  pass(silenceLifetime);
  await asked(confirmer, request, says());
  pass(silenceLifetime);
  await asked(confirmer, request, says());
});

test('another failure is remembered as long as the session', async () => {
  const confirmer = createConfirmer();
  const { says, failsWith, pass } = failingClient();
  await failsWith(confirmer, 'client_error');
  pass(1e12);
  expect(await confirmer.confirm(request, says())).toEqual(refused('client_error'));
});

test('is left to the operator by the policy all the same, and not asked in a form that would be too long', async () => {
  const confirmer = createConfirmer();
  const { says, failsWith } = failingClient();
  await failsWith(confirmer, 'no_such_method', unattended);
  expect(await confirmer.confirm({ ...unattended, operatorOnly: true }, says())).toEqual(refused('operator_only'));
  expect(
    await confirmer.confirm({ ...unattended, question: { message: 'x'.repeat(maximumQuestionLength + 1) } }, says()),
  ).toEqual(refused('too_long'));
});

test('without sessions: shared by nobody but the same client of the same principal, and forgotten after an hour', () => {
  let time = 0;
  const memoryOf = createStatelessMemories({ now: () => time }, true);
  const [ours, theirs] = [
    { name: 'ours', version: '1' },
    { name: 'theirs', version: '1' },
  ];
  memoryOf('ann', ours).forms.failed('client_error');
  expect(memoryOf('ann', { ...ours }).forms.failure()).toBe('client_error');
  for (const [principal, client] of [
    ['bob', ours],
    ['ann', theirs],
    ['ann', { ...ours, version: '2' }],
    ['ann', undefined],
  ] as const) {
    expect(memoryOf(principal, client).forms.failure()).toBeUndefined();
  }
  expect(memoryOf('ann', ours).pages.failure()).toBeUndefined();
  time += failureLifetime;
  expect(memoryOf('ann', ours).forms.failure()).toBeUndefined();
});

test('remembers a limited number of clients', () => {
  const memoryOf = createStatelessMemories({ now: () => 0 }, true);
  memoryOf('ann', 0).forms.failed('client_error');
  for (let client = 1; client <= 1_000; client += 1) memoryOf('ann', client);
  expect(memoryOf('ann', 0).forms.failure()).toBeUndefined();
});

test.each([
  [true, 'unanswered'],
  [false, undefined],
])('questions without an answer count only where no other server takes answers (%s)', (isAlone, failure) => {
  const { forms } = createStatelessMemories({ now: () => 0 }, isAlone)('ann', {});
  for (let round = 0; round < 3; round += 1) forms.asked('the same call');
  expect(forms.failure('the same call')).toBe(failure);
});
