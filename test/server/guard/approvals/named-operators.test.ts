import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Approval, ApprovalRequest } from '../../../../src/server/guard/approvals/approvals.ts';
import { parseOperators } from '../../../../src/server/guard/approvals/operators.ts';
import { setOperatorSecret, operatorSecret } from '../../../support/guard-fixture.ts';
import { secretOf, writeOperators } from '../../../support/operators-file.ts';
import { namedRequest, openNamedApprovals, stopping } from './named-operators-fixture.ts';

const now = Date.parse('2026-11-20T10:00:00Z');

const codeOf = (approval: Approval): string => {
  if (approval.kind !== 'pending') throw new Error(`not pending: ${approval.kind}`);
  return approval.code;
};

const twoPerson = { approvals: 1, setBy: 'policy.yaml, two_person[0]' };

describe('operators with names', () => {
  test('decide under their names, which the call and the record have', async () => {
    await using here = await openNamedApprovals({ ada: {}, bob: {} });
    const code = codeOf(await here.approvals.ask(namedRequest(), now));
    expect(await here.as('ada', code, 'approved', now)).toEqual({ kind: 'decided' });
    expect(here.decisions).toMatchObject([{ operator: 'ada', verdict: 'approved', how: 'terminal', code }]);
    expect(await here.approvals.ask(namedRequest(), now)).toEqual({ kind: 'approved', how: 'terminal', by: ['ada'] });
  });

  test('refuse under their names', async () => {
    await using here = await openNamedApprovals({ ada: {} });
    const code = codeOf(await here.approvals.ask(namedRequest(), now));
    await here.as('ada', code, 'refused', now);
    expect(await here.approvals.ask(namedRequest(), now)).toMatchObject({ kind: 'refused', by: 'ada' });
  });

  test("don't get in with the secret of another, an unknown name or none", async () => {
    await using here = await openNamedApprovals({ ada: {}, bob: { may: [{ project: 'other' }] } });
    const code = codeOf(await here.approvals.ask(namedRequest(), now));
    const tries = [
      ['ada', secretOf('bob')],
      ['eve', secretOf('ada')],
      ['', secretOf('ada')],
      ['constructor', ''],
    ];
    for (const [name, secret] of tries)
      expect(await here.as(name!, code, 'approved', now, secret)).toMatchObject({ kind: 'wrong_secret' });
    expect(here.decisions).toEqual([]);
  });

  test('and the one operator without a name decides nothing beside them', async () => {
    await using here = await openNamedApprovals({ ada: {} });
    await setOperatorSecret(here.operator);
    const code = codeOf(await here.approvals.ask(namedRequest(), now));
    const alone = here.elsewhere({});
    expect(await alone.decide(code, 'approved', operatorSecret, now)).toMatchObject({ kind: 'not_theirs' });
    // Somebody with that secret and the database puts their decision there.
    const unlocked = await alone.queue.unlock(operatorSecret, 'terminal', now);
    const seal = (await here.store.waiting.withCode(code, now))[0]!.seal;
    if (unlocked.kind !== 'unlocked') throw new Error(unlocked.kind);
    await here.store.waiting.decide(code, 'approved', unlocked.sign(`approved ${seal}`));
    expect(await here.approvals.ask(namedRequest(), now)).toEqual({ kind: 'invalid' });
  });

  test('keep their secrets out of the file, of errors and of decisions', async () => {
    await using here = await openNamedApprovals({ ada: {} });
    expect(await readFile(here.path, 'utf8')).not.toContain(secretOf('ada'));
    const plain = JSON.stringify({ operators: [{ name: 'ada', secret: 'correct horse battery' }] });
    await expect(parseOperators('operators.yaml', plain)).rejects.toThrow(/operators\[0\]\.secret: must be a hash/);
    await expect(parseOperators('operators.yaml', plain)).rejects.not.toThrow(/correct horse/);
  });
});

describe('what operators may decide', () => {
  const limited = {
    ada: { may: [{ tier: 'disruptive' }, { environment: 'shop/staging' }] },
    bob: { may: [{ tier: ['destructive'], project: 'shop', mode: 'PRODUCTION' }] },
  };

  test('is by tier and place: the others are told what they may', async () => {
    await using here = await openNamedApprovals(limited);
    const code = codeOf(await here.approvals.ask(namedRequest(), now));
    const refused = await here.as('ada', code, 'approved', now);
    expect(refused).toMatchObject({ kind: 'not_theirs' });
    expect(refused).toHaveProperty(
      'why',
      'You may decide calls for which one of these holds: tier is disruptive; environment is shop/staging. This call can be decided by: bob.',
    );
    expect(await here.as('ada', code, 'refused', now)).toMatchObject({ kind: 'not_theirs' });
    expect(here.decisions).toEqual([]);
    expect(await here.as('bob', code, 'approved', now)).toEqual({ kind: 'decided' });
  });

  const unclear: readonly [string, Parameters<typeof stopping>[0]][] = [
    ['a project whose name is not known', { project: { id: 'p-1' } }],
    ['a mode that is not known', { mode: 'unknown' }],
    [
      'something else that it touches elsewhere',
      { touched: [stopping({ project: { id: 'p-2', name: 'bank' } }).target] },
    ],
  ];
  test.each(unclear)('is nothing in doubt: %s', async (_, target) => {
    await using here = await openNamedApprovals({ bob: limited.bob });
    const request = namedRequest({ situations: [stopping(target)] });
    expect(await here.approvals.ask(request, now)).toEqual({ kind: 'nobody_may_agree' });
  });

  test('covers every part of a call', async () => {
    await using here = await openNamedApprovals({ bob: limited.bob });
    const elsewhere = stopping({ project: { id: 'p-2', name: 'bank' } });
    const asked = namedRequest({ situations: [stopping(), { ...elsewhere, risk: 'write' }] });
    expect(await here.approvals.ask(asked, now)).toEqual({ kind: 'nobody_may_agree' });
    const within = namedRequest({ situations: [stopping(), { ...stopping(), risk: 'write' }] });
    expect(await here.approvals.ask(within, now)).toMatchObject({ kind: 'pending' });
  });

  test('is looked at again when the call comes: a place renamed in between voids the approval', async () => {
    await using here = await openNamedApprovals(limited);
    const code = codeOf(await here.approvals.ask(namedRequest(), now));
    await here.as('bob', code, 'approved', now);
    const renamed = { situations: [stopping({ project: { id: 'p-1', name: 'bank' } })] };
    // The digest of a plan has the names; here it is the same, so that only the operators' places count.
    expect(await here.approvals.ask(namedRequest(renamed), now)).toEqual({ kind: 'changed' });
    expect(await here.approvals.ask(namedRequest(renamed), now)).toEqual({ kind: 'nobody_may_agree' });
  });

  test('is what the file says when they decide, and when the call comes', async () => {
    await using here = await openNamedApprovals({ ada: {}, bob: {} });
    const [first, second] = [namedRequest(), namedRequest({ call: 'another' })];
    const code = codeOf(await here.approvals.ask(first, now));
    await here.as('ada', code, 'approved', now);
    const later = codeOf(await here.approvals.ask(second, now));
    const unlocked = await here.queue.unlock(secretOf('ada'), 'terminal', now, 'ada');
    if (unlocked.kind !== 'unlocked') throw new Error(unlocked.kind);
    await writeOperators(here.path, { bob: {} });
    expect(await here.queue.decide(later, 'approved', unlocked, now)).toMatchObject({ kind: 'not_theirs' });
    expect(await here.approvals.ask(first, now)).toEqual({ kind: 'changed' });
  });

  test('ends with their old secret, for who is signed in too', async () => {
    await using here = await openNamedApprovals({ ada: {} });
    const code = codeOf(await here.approvals.ask(namedRequest(), now));
    const unlocked = await here.queue.unlock(secretOf('ada'), 'terminal', now, 'ada');
    if (unlocked.kind !== 'unlocked') throw new Error(unlocked.kind);
    const [entry] = (JSON.parse(await readFile(here.path, 'utf8')) as { operators: { secret: string }[] }).operators;
    await writeOperators(here.path, { bob: {}, ada: {} });
    const bobs = (JSON.parse(await readFile(here.path, 'utf8')) as { operators: { secret: string }[] }).operators[0]!;
    await writeOperators(here.path, { ada: { secret: bobs.secret } });
    expect(entry!.secret).not.toBe(bobs.secret);
    expect(await here.queue.decide(code, 'approved', unlocked, now)).toMatchObject({ kind: 'not_theirs' });
  });
});

const people = { ada: { callers: ['key:bot-of-ada'] }, bob: {}, cy: {} };
const ask = (here: Awaited<ReturnType<typeof openNamedApprovals>>, more: Partial<ApprovalRequest> = {}) =>
  here.approvals.ask(namedRequest({ identity: 'key:bot-of-ada', twoPerson, ...more }), now);

describe('two persons', () => {
  test('nobody approves what they asked for themselves', async () => {
    await using here = await openNamedApprovals(people);
    const code = codeOf(await ask(here));
    expect(await here.as('ada', code, 'approved', now)).toMatchObject({
      kind: 'not_theirs',
      why: expect.stringContaining('You asked for it yourself') as unknown,
    });
    expect(await here.as('bob', code, 'approved', now)).toEqual({ kind: 'decided' });
    expect(await ask(here)).toEqual({ kind: 'approved', how: 'terminal', by: ['bob'] });
  });

  test('an operator who calls by the API key of their name is known by it', async () => {
    await using here = await openNamedApprovals(people);
    const code = codeOf(await ask(here, { identity: 'key:bob' }));
    expect(await here.as('bob', code, 'approved', now)).toMatchObject({ kind: 'not_theirs' });
  });

  test('two of a group: one counts, the same one again does not, the other decides', async () => {
    await using here = await openNamedApprovals(people);
    const group = { twoPerson: { ...twoPerson, approvals: 2, of: ['bob', 'cy'] } };
    const code = codeOf(await ask(here, group));
    expect(await here.as('bob', code, 'approved', now)).toEqual({ kind: 'counted', left: 1 });
    expect(await here.as('bob', code, 'approved', now)).toEqual({ kind: 'decided_before' });
    expect(await here.queue.find(code, now)).toMatchObject({ agreed: ['bob'] });
    expect(await ask(here, group)).toMatchObject({ kind: 'pending', code, agreed: { count: 1, needed: 2 } });
    expect(await here.as('cy', code, 'approved', now)).toEqual({ kind: 'decided' });
    expect(await ask(here, group)).toEqual({ kind: 'approved', how: 'terminal', by: ['bob', 'cy'] });
    expect(here.decisions.map(({ verdict, operator }) => `${operator} ${verdict}`)).toEqual([
      'bob approved',
      'bob approved',
      'bob not_made',
      'cy approved',
    ]);
  });

  test('one who refuses is enough', async () => {
    await using here = await openNamedApprovals(people);
    const group = { twoPerson: { ...twoPerson, approvals: 2 } };
    const code = codeOf(await ask(here, group));
    await here.as('bob', code, 'approved', now);
    await here.as('cy', code, 'refused', now);
    expect(await ask(here, group)).toMatchObject({ kind: 'refused', by: 'cy' });
  });

  test.each(['key:bot/bob', 'key:bot/Bob', 'key:bot/U-BOB'])(
    'asked for through a bot by who may agree: %s',
    async (identity) => {
      await using here = await openNamedApprovals({ bob: { chat: 'U-BOB' } });
      expect(await ask(here, { identity })).toEqual({ kind: 'nobody_may_agree' });
      expect(await ask(here, { identity: 'key:bot/eve' })).toMatchObject({ kind: 'pending' });
    },
  );

  test('too few who may agree: it does not wait for them', async () => {
    await using here = await openNamedApprovals(people);
    const group = { twoPerson: { ...twoPerson, approvals: 2, of: ['ada', 'bob'] } };
    expect(await ask(here, group)).toEqual({ kind: 'nobody_may_agree' });
    expect(await here.queue.count(now)).toBe(0);
  });

  test('decisions at the same moment: one of each operator counts, from several processes too', async () => {
    await using here = await openNamedApprovals(people);
    const elsewhere = here.elsewhere();
    const code = codeOf(await ask(here));
    const both = await Promise.all([
      here.as('bob', code, 'approved', now),
      elsewhere.decide(code, 'refused', secretOf('cy'), now, undefined, 'cy'),
    ]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['decided', 'gone']);
    const first = both[0].kind === 'decided' ? 'approved' : 'refused';
    expect((await ask(here)).kind).toBe(first);
  });

  test('what somebody with the database writes there does not count', async () => {
    await using here = await openNamedApprovals(people);
    const group = { twoPerson: { ...twoPerson, approvals: 2 } };
    const code = codeOf(await ask(here, group));
    await here.as('bob', code, 'approved', now);
    const [bobs] = (await here.store.waiting.decisionsOn([code])).get(code)!;
    await here.store.waiting.addDecision(code, { ...bobs!, operator: 'cy' }, 2);
    expect(await ask(here, group)).toEqual({ kind: 'invalid' });
    expect(await here.store.waiting.decisionsOn([code])).toEqual(new Map());
  });

  test('without operators who have names, nobody is asked', async () => {
    await using here = await openNamedApprovals(people);
    await setOperatorSecret(join(here.folder.path, 'operator.json'));
    const alone = here.elsewhere({});
    expect(await alone.approvals.ask(namedRequest({ twoPerson }), now)).toEqual({ kind: 'nobody_may_agree' });
  });
});

describe('an operators file', () => {
  const hash = 'scrypt:16:AAAAAAAAAAAAAAAAAAAAAA==:MCowBQYDK2VwAyEAisg5p+ZnnpZieaVYasBmwAaFA5wpF03DEj6ian9hL0E=';
  const faults: readonly [string, object, RegExp][] = [
    ['no operators', { operators: [] }, /operators: /],
    ['an unknown key', { operators: [{ name: 'ada', secret: hash, tier: 'write' }] }, /tier/],
    [
      'nothing to know somebody by',
      { operators: [{ name: 'ada' }] },
      /operators\[0\]: needs a secret, or a user id in chat/,
    ],
    ['an empty rule', { operators: [{ name: 'ada', secret: hash, may: [{}] }] }, /needs at least one of tier, project/],
    [
      'an impossible place',
      { operators: [{ name: 'ada', secret: hash, may: [{ project: 'a/b' }] }] },
      /path of 2 names/,
    ],
    [
      'a hash that costs too much',
      { operators: [{ name: 'ada', secret: hash.replace(':16:', ':2097152:') }] },
      /must be a hash/,
    ],
    [
      'a name twice',
      {
        operators: [
          { name: 'ada', chat: 'U1' },
          { name: 'Ada', chat: 'U2' },
        ],
      },
      /"ada" is there twice/,
    ],
    [
      'a user of the chat twice',
      {
        operators: [
          { name: 'ada', chat: 'U1' },
          { name: 'bob', chat: ['U1'] },
        ],
      },
      /"U1" is there twice/,
    ],
  ];
  test.each(faults)('with %s is an error that says where', async (_, content, message) => {
    await expect(parseOperators('operators.yaml', JSON.stringify(content))).rejects.toThrow(message);
  });
});
