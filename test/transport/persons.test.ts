import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApiKey, loadApiKeys, bearerAuthentication } from '../../src/transport/index.ts';
import { createFindPerson } from '../../src/transport/http/person.ts';
import { tools } from '../../tools/index.ts';
import { memoryLog } from '../support/call-context.ts';
import { closeTestServers, modernCall, modernHeaders, startTestServer } from './test-server.ts';

const secret = randomBytes(32);
const minutes = 60_000;

let directory: string;
let time: number;
const [bot, plain] = [createApiKey(), createApiKey()];
beforeEach(async () => {
  time = Date.now();
  directory = await mkdtemp(join(tmpdir(), 'infra-mcp-persons-'));
});
afterEach(async () => {
  await closeTestServers();
  await rm(directory, { recursive: true });
});

const keysFile = async (text: string = `whsec_${secret.toString('base64')}\n`) => {
  const path = join(directory, 'keys.yaml');
  await writeFile(join(directory, 'bot-secret'), text);
  const entries = [
    `{ name: bot, sha256: ${bot.sha256}, level: admin, person_secret_file: bot-secret }`,
    `{ name: plain, sha256: ${plain.sha256}, level: admin }`,
  ];
  await writeFile(path, `keys:\n${entries.map((line) => `  - ${line}\n`).join('')}`);
  return loadApiKeys(path, tools);
};

/**
 * The header that says who asks, but for what a test changes.
 * @param about a name, or one with its conversation
 */
const person = (about: string, changes: { key?: Buffer; at?: number; signed?: string } = {}): string => {
  const { key = secret, at = time, signed = about } = changes;
  const seconds = Math.floor(at / 1000);
  return `${about};t=${seconds};v1=${createHmac('sha256', key).update(`${seconds}.${signed}`).digest('base64url')}`;
};

const requestOf = (about: string): Request =>
  new Request('http://here/mcp', { headers: { 'x-infra-person': person(about) } });

async function start() {
  const keys = await keysFile();
  const server = await startTestServer({ authenticate: bearerAuthentication({ keys }), clock: { now: () => time } });
  return {
    ...server,
    /** Who the server says is calling; the status of a refusal. */
    who: async (header: string | undefined, { key } = bot): Promise<string | number> => {
      const answer = await server.post(modernCall('who'), {
        ...modernHeaders('who'),
        authorization: `Bearer ${key}`,
        ...(header !== undefined && { 'x-infra-person': header }),
      });
      if (answer.status !== 200) return answer.status;
      const text = /"text":("(?:[^"\\]|\\.)*")/.exec(await answer.text())![1]!;
      return (JSON.parse(JSON.parse(text) as string) as { principal: string }).principal;
    },
  };
}

test('a bot calls for the person whom each request names', async () => {
  const { who } = await start();
  expect(await who(person('ann'))).toBe('key:bot/ann');
  expect(await who(person('bob@example.com'))).toBe('key:bot/bob@example.com');
  expect(await who(person('ann', { at: time - 4 * minutes }))).toBe('key:bot/ann');
});

describe('a bot calls for nobody', () => {
  test.each<[string, () => string | undefined]>([
    ['without the header', () => undefined],
    ['with an empty one', () => ''],
    ['with a name alone', () => 'ann'],
    ['signed with another secret', () => person('ann', { key: randomBytes(32) })],
    ['with the signature of another name', () => person('ann', { signed: 'bob' })],
    ['with another conversation than the signed one', () => person('ann;c=releases', { signed: 'ann;c=random' })],
    ['with a conversation that is not signed', () => person('ann;c=releases', { signed: 'ann' })],
    ['without the conversation that was signed', () => person('ann', { signed: 'ann;c=releases' })],
    ['with a signed name that ends like a conversation', () => person('ann;c=releases', { signed: 'ann.c=releases' })],
    ['with an empty conversation', () => person('ann;c=')],
    ['with a blank one', () => person('ann;c=%20%0A')],
    ['with one that can not be decoded', () => person('ann;c=%FF')],
    ['with one of 101 characters', () => person(`ann;c=${'x'.repeat(101)}`)],
    ['with one that has a name after it', () => person('ann;c=releases;bob')],
    ['with a name that could be another caller', () => person('ann/../bob')],
    ['signed more than five minutes ago', () => person('ann', { at: time - 6 * minutes })],
    ['signed for later', () => person('ann', { at: time + 6 * minutes })],
  ])('%s', async (_, header) => {
    const { who } = await start();
    expect(await who(header())).toBe(401);
  });
});

test('whoever is no such bot calls for themselves, and the log says once that the header is ignored', async () => {
  const { who, log } = await start();
  for (const header of [person('ann'), person('bob'), undefined]) expect(await who(header, plain)).toBe('key:plain');
  const said = log.lines.filter(({ fields }) => 'principal' in fields && fields.principal === 'key:plain');
  expect(said.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

test('one person of a bot has nothing to do with the limits of another', async () => {
  const keys = await keysFile();
  const server = await startTestServer({
    authenticate: bearerAuthentication({ keys }),
    limits: { callsPerPrincipal: 1, waitingPerPrincipal: 0 },
  });
  const call = (name: string, tool: string, args: object) =>
    server.post(modernCall(tool, args), {
      ...modernHeaders(tool),
      authorization: `Bearer ${bot.key}`,
      'x-infra-person': person(name),
    });
  const held = call('ann', 'hold', { label: 'one' });
  await expect.poll(() => server.heldCalls.length).toBe(1);
  expect((await call('ann', 'greet', {})).status).toBe(503);
  expect((await call('bob', 'greet', {})).status).toBe(200);
  server.heldCalls[0]!.release();
  await (await held).text();
});

test('the time of a request counts when it arrives: it stays who it is while its stream is open', () => {
  const find = createFindPerson({ now: () => time }, memoryLog());
  const asAnn = () => new Request('http://here/mcp', { headers: { 'x-infra-person': header } });
  const header = person('ann');
  const [request, known] = [asAnn(), { principal: 'key:bot', personKey: secret }];
  expect(find(request, known)).toEqual({ principal: 'key:bot/ann' });
  time += 6 * minutes;
  expect(find(request, known)).toEqual({ principal: 'key:bot/ann' });
  expect(find(asAnn(), known)).toMatchObject({ status: 401 });
  expect(find(request, { ...known, personKey: randomBytes(32) })).toMatchObject({ status: 401 });
});

test.each([
  ['c=%23releases%2F1763632800.1', '#releases/1763632800.1'],
  ['c=#releases/1763632800.1', '#releases/1763632800.1'],
  ['c=%C3%9Cbersicht%20der%20Nacht', 'Übersicht der Nacht'],
  ['c=a%0D%0Ab%00c%20%20d', 'a b c d'],
  [`c=${'x'.repeat(100)}`, 'x'.repeat(100)],
])('a bot names the conversation: %s', (encoded, conversation) => {
  const find = createFindPerson({ now: () => time }, memoryLog());
  const request = requestOf(`ann;${encoded}`);
  expect(find(request, { principal: 'key:bot', personKey: secret })).toEqual({
    principal: 'key:bot/ann',
    conversation,
  });
  // Whoever may not name a person names no conversation either.
  expect(find(request, { principal: 'key:plain' })).toEqual({ principal: 'key:plain' });
});

test('a secret in the name of a conversation is masked', () => {
  const find = createFindPerson({ now: () => time }, memoryLog());
  const token = `ghp_${'aB3dE5gH7j'.repeat(4).slice(0, 36)}`;
  const found = find(requestOf(`ann;c=${token}`), { principal: 'key:bot', personKey: secret });
  expect(found).toHaveProperty('conversation');
  expect(JSON.stringify(found)).not.toContain(token);
});

test('a secret that could be guessed is refused, and not shown', async () => {
  const made = keysFile('hunter2');
  await expect(made).rejects.toThrow(/bot-secret: .*key "bot"/);
  await expect(made).rejects.not.toThrow(/hunter2/);
});
