import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CallContext, Dialogue } from '../../../src/server/context/index.ts';
import type { Approval } from '../../../src/server/guard/approvals/approvals.ts';
import {
  createConfirmer,
  questionLifetime,
  type ConfirmationRequest,
} from '../../../src/server/guard/confirmation/confirmation.ts';
import { maximumQuestionLength } from '../../../src/server/guard/index.ts';
import { asked, confirmationRequest, operatorWho } from './confirmation-request.ts';
import { contextWith } from '../../support/call-context.ts';

const request = confirmationRequest({ args: { environment_id: 'e-1' } });
const yesOrNo: ConfirmationRequest = { ...request, question: { message: 'Restart?' } };

const accepted = (content: Record<string, unknown>): Partial<Dialogue> => ({ answer: { action: 'accept', content } });

const refused = (why: string) => ({ kind: 'refused', why });
const approved = { kind: 'approved', how: 'elicited' };

afterEach(() => vi.useRealTimers());

describe('a confirmation', () => {
  test('asks first, and passes once the name is typed', async () => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, request);
    const answer = contextWith({ dialogue: { state, ...accepted({ name: ' shop/prod ' }) } });
    expect(await confirmer.confirm(request, answer)).toEqual(approved);
  });

  test('passes on a plain yes where no name is asked for', async () => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, yesOrNo);
    expect(
      await confirmer.confirm(yesOrNo, contextWith({ dialogue: { state, ...accepted({ approve: true }) } })),
    ).toEqual(approved);
  });

  test('is refused where the client cannot ask, whatever else it sends', async () => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, request);
    const answer = contextWith({ dialogue: { canAsk: false, state, ...accepted({ name: 'shop/prod' }) } });
    expect(await confirmer.confirm(request, answer)).toEqual(refused('cannot_ask'));
  });

  test('asks when an answer comes without ever having been asked for', async () => {
    const confirmer = createConfirmer();
    expect(await confirmer.confirm(request, contextWith({ dialogue: accepted({ name: 'shop/prod' }) }))).toMatchObject({
      kind: 'needs_input',
    });
  });

  test.each([
    ['a no', { answer: { action: 'decline' } }, 'declined'],
    ['a closed form', { answer: { action: 'cancel' } }, 'dismissed'],
    ['another name', accepted({ name: 'shop/Prod' }), 'not_agreed'],
    ['no name', accepted({}), 'not_agreed'],
    ['a yes where a name is asked for', accepted({ approve: true }), 'not_agreed'],
    ['an empty field', accepted({ name: null }), 'not_agreed'],
    ['a name that is no text', accepted({ name: ['shop/prod'] }), 'unusable_answer'],
    ['nothing beside the state', {}, 'unusable_answer'],
    ['an error', { failure: 'client_error' }, 'client_error'],
  ] as const)('comes to nothing with %s', async (_, dialogue, why) => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, request);
    expect(await confirmer.confirm(request, contextWith({ dialogue: { state, ...dialogue } }))).toEqual(refused(why));
  });

  test.each([
    [{ approve: false }, 'not_agreed'],
    [{ approve: 'true' }, 'unusable_answer'],
    [{}, 'not_agreed'],
    [{ name: 'shop/prod' }, 'not_agreed'],
  ])('is no yes: %j', async (content, why) => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, yesOrNo);
    expect(await confirmer.confirm(yesOrNo, contextWith({ dialogue: { state, ...accepted(content) } }))).toEqual(
      refused(why),
    );
  });

  test('counts once', async () => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, request);
    const answer = contextWith({ dialogue: { state, ...accepted({ name: 'shop/prod' }) } });
    await confirmer.confirm(request, answer);
    expect(await confirmer.confirm(request, answer)).toEqual(refused('used'));
  });

  test('lets one of two calls that race on it through', async () => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, request);
    const answer = contextWith({ dialogue: { state, ...accepted({ name: 'shop/prod' }) } });
    const both = await Promise.all([confirmer.confirm(request, answer), confirmer.confirm(request, answer)]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['approved', 'refused']);
  });

  test('cannot be turned into a yes after a no', async () => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, request);
    await confirmer.confirm(request, contextWith({ dialogue: { state, answer: { action: 'decline' } } }));
    expect(
      await confirmer.confirm(request, contextWith({ dialogue: { state, ...accepted({ name: 'shop/prod' }) } })),
    ).toEqual(refused('used'));
  });
});

describe('a confirmation is bound', () => {
  const other: [string, ConfirmationRequest, string][] = [
    ['another tool', confirmationRequest({ args: request.args, tool: 'upgrade_cluster' }), 'other_call'],
    ['other arguments', confirmationRequest({ args: { environment_id: 'e-2' } }), 'other_call'],
    ['more arguments', confirmationRequest({ args: { ...request.args, force: true } }), 'other_call'],
    [
      'a target or state that the plan read differently',
      confirmationRequest({ args: request.args, digest: 'another' }),
      'changed',
    ],
  ];

  test.each(other)('to the call: %s', async (_, changed, why) => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, request);
    const answer = contextWith({ dialogue: { state, ...accepted({ name: changed.question.typed }) } });
    expect(await confirmer.confirm(changed, answer)).toEqual(refused(why));
    // Nor has it been used up by that.
    expect(
      await confirmer.confirm(request, contextWith({ dialogue: { state, ...accepted({ name: 'shop/prod' }) } })),
    ).toEqual(approved);
  });

  test('to the arguments, not to the order of their members', async () => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, { ...request, args: { a: 1, b: { c: 2, d: [3] } } });
    const answer = contextWith({ dialogue: { state, ...accepted({ name: 'shop/prod' }) } });
    expect(await confirmer.confirm({ ...request, args: { b: { d: [3], c: 2 }, a: 1 } }, answer)).toEqual(approved);
  });

  test('to the principal', async () => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, request);
    const answer = contextWith({ principal: 'eve', dialogue: { state, ...accepted({ name: 'shop/prod' }) } });
    expect(await confirmer.confirm(request, answer)).toEqual(refused('other_call'));
  });

  test('to the process that asked', async () => {
    const state = await asked(createConfirmer(), request);
    const answer = contextWith({ dialogue: { state, ...accepted({ name: 'shop/prod' }) } });
    expect(await createConfirmer().confirm(request, answer)).toEqual(refused('invalid'));
  });

  test('to its time', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const confirmer = createConfirmer();
    const state = await asked(confirmer, request);
    const answer = contextWith({ dialogue: { state, ...accepted({ name: 'shop/prod' }) } });
    vi.setSystemTime((questionLifetime + 2) * 1_000);
    expect(await confirmer.confirm(request, answer)).toEqual(refused('invalid'));
  });

  test('to a call that still waits', async () => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, request);
    const answer = contextWith({
      signal: AbortSignal.abort(),
      dialogue: { state, ...accepted({ name: 'shop/prod' }) },
    });
    expect(await confirmer.confirm(request, answer)).toEqual(refused('late'));
  });

  test('against tampering with the state', async () => {
    const confirmer = createConfirmer();
    const [prefix, body, seal] = (await asked(confirmer, request)).split('.') as [string, string, string];
    const forged = JSON.parse(Buffer.from(body, 'base64url').toString()) as { exp: number };
    const later = Buffer.from(JSON.stringify({ ...forged, exp: forged.exp + 60 })).toString('base64url');
    for (const state of [`${prefix}.${later}.${seal}`, `${prefix}.${body}.${seal.slice(0, -2)}`, body, '', 'v1..']) {
      const answer = contextWith({ dialogue: { state, ...accepted({ name: 'shop/prod' }) } });
      expect(await confirmer.confirm(request, answer)).toEqual(refused('invalid'));
    }
  });
});

/** A client that shows no forms. */
const mute = (dialogue: Partial<Dialogue> = {}, more: Partial<CallContext> = {}): CallContext =>
  contextWith({ ...more, dialogue: { canAsk: false, ...dialogue } });

describe('where the client cannot ask', () => {
  const unattended = confirmationRequest({ args: request.args, mayBeUnattended: true });

  test.each([
    [
      { kind: 'pending', code: 'AAAA-BBBB', command: 'approve AAAA-BBBB' },
      { kind: 'pending', code: 'AAAA-BBBB', command: 'approve AAAA-BBBB' },
    ],
    [
      { kind: 'approved', how: 'terminal' },
      { kind: 'approved', how: 'terminal' },
    ],
    [
      { kind: 'approved', how: 'page' },
      { kind: 'approved', how: 'page' },
    ],
    [{ kind: 'refused' }, refused('operator_refused')],
    [{ kind: 'changed' }, refused('changed')],
    [{ kind: 'invalid' }, refused('invalid')],
    [{ kind: 'used' }, refused('used')],
    [{ kind: 'too_many_of_caller' }, refused('too_many_of_caller')],
    [{ kind: 'too_many_in_all' }, refused('too_many_in_all')],
  ] as const)('the operator is asked: %j', async (answer, comes) => {
    expect(await createConfirmer({ approvals: operatorWho(answer) }).confirm(request, mute())).toEqual(comes);
  });

  test('the operator is not asked for a call that was cancelled', async () => {
    const operator = operatorWho({ kind: 'approved', how: 'terminal' });
    expect(
      await createConfirmer({ approvals: operator }).confirm(request, mute({}, { signal: AbortSignal.abort() })),
    ).toEqual(refused('late'));
    expect(operator.questions).toEqual([]);
  });

  test('the operator is asked about principal, tool and exact arguments, whatever their order', async () => {
    const pending: Approval = { kind: 'pending', code: 'x', command: 'approve x' };
    const operator = operatorWho(pending, pending, pending, pending);
    const confirmer = createConfirmer({ approvals: operator });
    await confirmer.confirm(confirmationRequest({ args: { a: 1, b: 2 } }), mute());
    await confirmer.confirm(confirmationRequest({ args: { b: 2, a: 1 } }), mute());
    await confirmer.confirm(confirmationRequest({ args: { a: 1, b: 3 } }), mute());
    await confirmer.confirm(confirmationRequest({ args: { a: 1, b: 2 } }), mute({}, { principal: 'eve' }));
    const calls = operator.questions.map((what) => (what as { call: string }).call);
    expect(calls[0]).toBe(calls[1]);
    expect(new Set(calls).size).toBe(3);
  });

  test('a plan token confirms only where the operator allows it', async () => {
    const confirmer = createConfirmer();
    const first = await confirmer.confirm(unattended, mute());
    expect(first).toEqual({ kind: 'pending', planToken: expect.any(String) });
    const planToken = (first as { planToken: string }).planToken;
    expect(await confirmer.confirm({ ...request, planToken }, mute())).toEqual(refused('cannot_ask'));
    expect(await confirmer.confirm({ ...unattended, planToken }, mute())).toEqual({
      kind: 'approved',
      how: 'unattended',
    });
    expect(await confirmer.confirm({ ...unattended, planToken }, mute())).toEqual(refused('used'));
  });

  test('a plan token stands beside the code where there is an operator', async () => {
    const confirmer = createConfirmer({ approvals: operatorWho({ kind: 'pending', code: 'x', command: 'approve x' }) });
    expect(await confirmer.confirm(unattended, mute())).toEqual({
      kind: 'pending',
      code: 'x',
      command: 'approve x',
      planToken: expect.any(String),
    });
  });

  test.each([
    [
      'another tool',
      confirmationRequest({ ...unattended, tool: 'upgrade_cluster', mayBeUnattended: true }),
      'ann',
      'other_call',
    ],
    [
      'other arguments',
      confirmationRequest({ args: { environment_id: 'e-2' }, mayBeUnattended: true }),
      'ann',
      'other_call',
    ],
    ['another principal', unattended, 'eve', 'other_call'],
    [
      'another state of the target',
      confirmationRequest({ args: request.args, digest: 'read again', mayBeUnattended: true }),
      'ann',
      'changed',
    ],
  ])('a plan token is not for %s', async (_, other, principal, why) => {
    const confirmer = createConfirmer();
    const { planToken } = (await confirmer.confirm(unattended, mute())) as { planToken: string };
    expect(await confirmer.confirm({ ...other, planToken }, mute({}, { principal }))).toEqual(refused(why));
  });

  test('what was sealed for a question is no plan token, and the other way round', async () => {
    const confirmer = createConfirmer();
    const state = await asked(confirmer, unattended);
    expect(await confirmer.confirm({ ...unattended, planToken: state }, mute())).toEqual(refused('invalid'));
    const { planToken } = (await confirmer.confirm(unattended, mute())) as { planToken: string };
    expect(
      await confirmer.confirm(
        unattended,
        contextWith({ dialogue: { state: planToken, ...accepted({ name: 'shop/prod' }) } }),
      ),
    ).toEqual(refused('invalid'));
  });

  test('a plan token does not replace asking a user who can be asked', async () => {
    const confirmer = createConfirmer();
    const { planToken } = (await confirmer.confirm(unattended, mute())) as { planToken: string };
    expect(await confirmer.confirm({ ...unattended, planToken }, contextWith())).toMatchObject({ kind: 'needs_input' });
  });
});

describe('what is left to the operator', () => {
  const left = confirmationRequest({ args: request.args, operatorOnly: true, mayBeUnattended: true });
  const waiting: Approval = { kind: 'pending', code: 'AAAA-BBBB', command: 'approve AAAA-BBBB' };

  test.each([
    ['can ask', {}],
    ['cannot ask', { canAsk: false }],
    ['brings an answer nobody asked for', accepted({ name: 'shop/prod' })],
  ] as const)('waits for them where the client %s, and no token is offered', async (_, dialogue) => {
    const confirmer = createConfirmer({ approvals: operatorWho(waiting, { kind: 'approved', how: 'terminal' }) });
    expect(await confirmer.confirm(left, contextWith({ dialogue }))).toEqual({ ...waiting, instead: 'operator_only' });
    expect(await confirmer.confirm(left, contextWith({ dialogue }))).toEqual({ kind: 'approved', how: 'terminal' });
  });

  test('is not agreed to by the answer to a question from before the policy left it to them', async () => {
    const confirmer = createConfirmer({ approvals: operatorWho(waiting) });
    const state = await asked(confirmer, request);
    expect(
      await confirmer.confirm(left, contextWith({ dialogue: { state, ...accepted({ name: 'shop/prod' }) } })),
    ).toMatchObject({ kind: 'pending' });
  });

  test('is not agreed to by a plan token from before', async () => {
    const confirmer = createConfirmer();
    const { planToken } = (await confirmer.confirm({ ...left, operatorOnly: false }, mute())) as { planToken: string };
    expect(planToken).toBeTruthy();
    expect(await confirmer.confirm({ ...left, planToken }, mute())).toEqual(refused('operator_only'));
  });

  test('is refused where there is no operator, for that reason even if it is too long as well', async () => {
    const long = { ...left, question: { message: 'x'.repeat(maximumQuestionLength + 1) } };
    for (const what of [left, long])
      expect(await createConfirmer().confirm(what, contextWith())).toEqual(refused('operator_only'));
    expect(await createConfirmer().confirm({ ...long, operatorOnly: false }, contextWith())).toEqual(
      refused('too_long'),
    );
  });

  test('is refused as they refuse it, and not asked about once the call is cancelled', async () => {
    const operator = operatorWho(
      { kind: 'refused' },
      { kind: 'too_many_of_caller' },
      { kind: 'approved', how: 'terminal' },
    );
    const confirmer = createConfirmer({ approvals: operator });
    expect(await confirmer.confirm(left, contextWith())).toEqual(refused('operator_refused'));
    expect(await confirmer.confirm(left, mute())).toEqual(refused('too_many_of_caller'));
    expect(await confirmer.confirm(left, contextWith({ signal: AbortSignal.abort() }))).toEqual(refused('late'));
    expect(operator.questions).toHaveLength(2);
  });
});
