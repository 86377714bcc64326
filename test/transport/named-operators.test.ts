import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPageHandover } from '../../src/server/guard/index.ts';
import { secretOf, writeOperators } from '../support/operators-file.ts';
import { namedRequest, openNamedApprovals, stopping } from '../server/guard/approvals/named-operators-fixture.ts';
import { closeTestServers, startTestServer } from './test-server.ts';

let here: Awaited<ReturnType<typeof openNamedApprovals>>;
beforeEach(async () => {
  here = await openNamedApprovals({ ada: {}, bob: { may: [{ project: 'bank' }] } });
});
afterEach(async () => {
  await closeTestServers();
  await here[Symbol.asyncDispose]();
});

const ask = async (more: Parameters<typeof namedRequest>[0] = {}): Promise<string> => {
  const asked = await here.approvals.ask(namedRequest(more), Date.now());
  if (asked.kind !== 'pending') throw new Error(asked.kind);
  return asked.code;
};

/** A call whose plan says in which project it is. */
const inShop = { plan: { ...namedRequest().plan, target: { ...stopping().target, path: 'shop/prod' } } };

const clock = { now: Date.now };

const send = (page: URL, fields: Record<string, string>, cookie = '') =>
  fetch(page, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: page.origin, cookie },
    body: new URLSearchParams(fields),
  });

async function startPage() {
  const { handover, secrets } = createPageHandover(
    clock,
    () => 'http://here/approvals',
    async () => true,
  );
  const { url } = await startTestServer({
    approvals: { queue: here.queue, approveCommand: 'infra-mcp approve', secrets, latestCalls: async () => [] },
  });
  const page = new URL('/approvals', url);
  /** Signs an operator in, and does what they do on the page. */
  const signIn = async (name: string, secret = secretOf(name)) => {
    const entered = await send(page, { do: 'enter', name, secret });
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    const seen = async (query = '') => (await fetch(new URL(query, page), { headers: { cookie } })).text();
    return {
      entered,
      seen,
      act: async (fields: Record<string, string>): Promise<Response> => {
        const token = /name="form_token" value="([^"]+)"/.exec(await seen())![1]!;
        return send(page, { form_token: token, ...fields }, cookie);
      },
    };
  };
  return { page, handover, signIn };
}

const saidBy = (answer: Response): string | null =>
  new URL(answer.headers.get('location')!, 'http://x').searchParams.get('said');

test('operators sign in with name and secret, are told what they may decide, and decide it', async () => {
  const { page, signIn } = await startPage();
  const code = await ask();
  expect(await (await fetch(page)).text()).toContain('Operator name');
  const ada = await signIn('ada');
  expect(await ada.seen()).toContain('Signed in as ada. You may decide every call.');
  expect(saidBy(await ada.act({ do: 'approve', code, typed: 'shop/prod' }))).toBe('approved');
  expect(here.decisions).toMatchObject([{ operator: 'ada', verdict: 'approved' }]);
});

test('what an operator may not decide has no buttons, and is refused when it is sent all the same', async () => {
  await writeOperators(here.path, { ada: {}, bob: { may: [{ project: 'shop', tier: 'sensitive' }] } });
  const { signIn } = await startPage();
  const code = await ask(inShop);
  const bob = await signIn('bob');
  const seen = await bob.seen();
  expect(seen).toContain('may decide calls for which one of these holds: tier is sensitive, project is shop');
  expect(seen).toContain(code);
  expect(seen).not.toContain('value="approve"');
  expect(saidBy(await bob.act({ do: 'approve', code, typed: 'shop/prod' }))).toBe('not_theirs');
  expect(here.decisions).toEqual([]);
});

test('what waits in places of others is kept from an operator, by its code too, and refused when it is sent all the same', async () => {
  const { signIn } = await startPage();
  const code = await ask();
  const theirs = await ask({ call: 'another', situations: [stopping({ project: { id: 'p-2', name: 'bank' } })] });
  const bob = await signIn('bob');
  const seen = await bob.seen();
  expect(seen).not.toContain(code);
  expect(seen).toContain(theirs);
  expect(seen).toContain('1 call waits');
  expect(seen).toContain('kept from you');
  expect(await bob.seen(`?code=${code}`)).not.toContain('stop_environment');
  expect(saidBy(await bob.act({ do: 'approve', code, typed: 'shop/prod' }))).toBe('not_theirs');
  expect(here.decisions).toEqual([]);
});

test('nobody signs in with the secret of another', async () => {
  const { signIn } = await startPage();
  const { entered } = await signIn('ada', secretOf('bob'));
  expect([entered.status, entered.headers.get('set-cookie')]).toEqual([403, null]);
});

test('an operator who left the file decides nothing more, though still signed in', async () => {
  const { signIn } = await startPage();
  const code = await ask();
  const ada = await signIn('ada');
  await writeOperators(here.path, { cy: {} });
  expect(saidBy(await ada.act({ do: 'approve', code, typed: 'shop/prod' }))).toBe('not_theirs');
});

test('new secrets are only for operators who may decide on every call', async () => {
  const { handover, signIn } = await startPage();
  const place = await handover.reserve('API token ci');
  if ('why' in place) throw new Error(String(place.why));
  await place.put('the value of the token');
  const bob = await signIn('bob');
  expect(await bob.seen()).not.toContain('API token ci');
  const ada = await signIn('ada');
  const code = /id="secret-([^"]+)"/.exec(await ada.seen())![1]!;
  expect(saidBy(await bob.act({ do: 'show', code }))).toBe('not_there');
  expect(await (await ada.act({ do: 'show', code })).text()).toContain('the value of the token');
});
