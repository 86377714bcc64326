import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient, type Client } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { createDependencies, buildServer } from '../../src/server/protocol/index.ts';
import { createToken } from '../../src/platform/api/index.ts';
import { callOf, type AuthenticateCaller } from '../../src/transport/index.ts';
import { restrictedDependencies, unrestricted } from '../../src/transport/http/restriction.ts';
import { startHttpServer, type HttpServer } from '../../src/transport/http/http-server.ts';
import { tools } from '../../tools/index.ts';
import { memoryLog } from '../support/call-context.ts';
import { initialize, modernCall, modernHeaders } from './test-server.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { startRecordingProxy, withTokenLabel, type RecordingProxy } from '../support/recording-proxy.ts';

/** Callers, and tokens that they bring; every third brings none, every fourth wants nothing but reads. */
const callerCount = 100;
const tokenCount = 25;

interface TestCaller {
  readonly index: number;
  readonly token: string;
  readonly readOnly: boolean;
  readonly headers: Record<string, string>;
  session: string;
}

/** A request that the platform gets. */
interface PlatformRequest {
  readonly token: string;
  readonly requestId: string;
  readonly line: string;
}

const serverToken = 'token-of-the-tests';
let tokens: string[];
let callers: TestCaller[];
let requests: PlatformRequest[];
let platform: TestPlatform;
let proxy: RecordingProxy;
let client: Client;
let server: HttpServer;
let delays: Iterator<number>;

const labelOf = (token: string): string => (token === serverToken ? 'for everybody' : `only-${tokens.indexOf(token)}-`);
const limitOf = (token: string): number => 5001 + tokens.indexOf(token);

const authenticate: AuthenticateCaller = async ({ headers }) => ({
  principal: `key:${headers.get('authorization')}`,
  level: 'admin',
  restriction: unrestricted,
  stepUp: () => new Response(null, { status: 403 }),
});

beforeAll(async () => {
  platform = await startTestPlatform({ token: serverToken });
  tokens = [];
  // One after the other, as they are written to one file.
  for (let made = 0; made < tokenCount; made += 1)
    tokens.push(await createToken(platform, { name: `token ${made}`, permission: 'admin' }));
  callers = Array.from({ length: callerCount }, (_, index) => {
    const token = index % 3 === 0 ? serverToken : tokens[index % tokenCount]!;
    const readOnly = index % 4 === 0;
    const headers = {
      authorization: `caller-${index}`,
      ...(token !== serverToken && { 'x-infra-api-token': token }),
      ...(readOnly && { 'x-infra-read-only': 'true' }),
    };
    return { index, token, readOnly, headers, session: '' };
  });
  proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (method, { url, headers }) => {
      requests.push({
        token: headers.authorization!.replace('Token ', ''),
        requestId: String(headers['x-request-id']),
        line: `${method} ${url}`,
      });
      await pause(delays.next().value ?? 0);
    },
    alter: withTokenLabel(labelOf),
    responseHeaders: (token) => ({
      'x-ratelimit-limit': String(limitOf(token)),
      'x-ratelimit-remaining': '4000',
      'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 3600),
    }),
  });
  client = createClient({ baseUrl: proxy.url, credential: credentialOf(serverToken) });
  const log = memoryLog();
  const clock = { now: Date.now };
  const parts = createDependencies({
    tools,
    policy: { readOnly: false },
    connect: async () => ({ client }),
    secrets: () => [serverToken],
    version: '0',
    log,
    clock,
  });
  const partsFor = restrictedDependencies(parts, tools);
  server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    allowedOrigins: [],
    authenticate,
    holdsToken: true,
    askPlatform: async () => undefined,
    build: (era, { restriction }) =>
      buildServer(partsFor(restriction), { era, callerOf: ({ http }) => callOf(http?.authInfo).call }),
    levelOf: () => 'read',
    clock,
    log,
    limits: { shutdownDelay: 0, drainTime: 0 },
  });
  for (const caller of callers) caller.session = (await post(caller, initialize)).headers.get('mcp-session-id')!;
});

afterAll(async () => {
  await server.close();
  await client.close();
  await proxy.close();
  await platform.close();
});

const post = (caller: TestCaller, message: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...caller.headers,
      ...headers,
    },
    body: JSON.stringify(message),
  });

interface Result {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly requestState?: string;
  readonly inputRequests?: {
    readonly confirm: {
      readonly params: {
        readonly requestedSchema: { readonly properties: Record<string, { readonly title: string }> };
      };
    };
  };
}

/** The result in an answer of either protocol version. */
const resultIn = async (answer: Response): Promise<Result> => {
  const said = await answer.text();
  const json = said.startsWith('event:') ? /^data: (.*)$/m.exec(said)![1]! : said;
  return (JSON.parse(json) as { result: Result }).result;
};

const tagOf = ({ index }: TestCaller, step: number): Record<string, string> => ({
  'x-request-id': `caller-${index}.${step}`,
});

const modern = async (
  caller: TestCaller,
  tool: string,
  args: object,
  step: number,
  more: object = {},
): Promise<Result> => {
  const call = modernCall(tool, args, step);
  const { _meta: meta, ...params } = call.params;
  const capable = { ...meta, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  return resultIn(
    await post(
      caller,
      { ...call, params: { ...params, _meta: capable, ...more } },
      { ...modernHeaders(tool), ...tagOf(caller, step) },
    ),
  );
};

const legacy = async (caller: TestCaller, tool: string, step: number): Promise<Response> =>
  post(
    caller,
    { jsonrpc: '2.0', id: step, method: 'tools/call', params: { name: tool, arguments: {} } },
    { 'mcp-session-id': caller.session, ...tagOf(caller, step) },
  );

const textOf = ({ content = [] }: Result): string => content.map((part) => part.text).join('');

/** One thing that a caller does, and what must come of it. */
const steps = {
  read: async (caller: TestCaller, _: TestCaller, step: number) =>
    expect(textOf(await modern(caller, 'get_organization', {}, step))).toContain(labelOf(caller.token)),
  'read in a session': async (caller: TestCaller, _: TestCaller, step: number) =>
    expect(textOf(await resultIn(await legacy(caller, 'get_organization', step)))).toContain(labelOf(caller.token)),
  "use another's session": async (caller: TestCaller, other: TestCaller, step: number) => {
    if (caller !== other)
      expect((await legacy({ ...caller, session: other.session }, 'get_organization', step)).status).toBe(404);
  },
  'change something': async (caller: TestCaller, other: TestCaller, step: number) => {
    const args = {
      organization_id: platform.organizationId,
      target_url: `https://hooks.example/${step}`,
      events: ['DEPLOYMENT_FAILED'],
    };
    const asked = await modern(caller, 'create_webhook', args, step);
    if (caller.readOnly) return expect(textOf(asked)).toContain('read-only');
    const question = asked.inputRequests!.confirm.params.requestedSchema.properties;
    const content = Object.fromEntries(
      Object.entries(question).map(([name, { title }]) => [
        name,
        name === 'approve' ? true : /^To approve, type exactly: (.*)$/.exec(title)![1]!,
      ]),
    );
    const answer = { requestState: asked.requestState, inputResponses: { confirm: { action: 'accept', content } } };
    if (other !== caller) expect((await modern(other, 'create_webhook', args, step, answer)).isError).toBe(true);
    const done = await modern(caller, 'create_webhook', args, step, answer);
    return expect(done.isError, textOf(done)).toBeFalsy();
  },
};

const step = fc.record({
  who: fc.nat(callerCount - 1),
  other: fc.nat(callerCount - 1),
  what: fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])),
});

test('nothing of one caller reaches another, however their calls mix', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 150, maxLength: 200 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 8 })),
      async (plan, pauses) => {
        delays = pauses;
        requests = [];
        await Promise.all(
          plan.map(({ who, other, what }, index) => steps[what](callers[who]!, callers[other]!, index)),
        );

        // Every request to the platform carries the right of the caller whose call it is for.
        const strays = requests.filter(
          ({ token, requestId }) => callers[Number(/^caller-(\d+)\./.exec(requestId)![1])]!.token !== token,
        );
        expect(strays).toEqual([]);
        const changes = requests.filter(({ line }) => line.startsWith('POST'));
        expect(
          changes.filter(({ requestId }) => callers[Number(/^caller-(\d+)\./.exec(requestId)![1])]!.readOnly),
        ).toEqual([]);
        // As many changes as were agreed to by their own callers: none by a thief.
        expect(changes).toHaveLength(
          plan.filter(({ who, what }) => what === 'change something' && !callers[who]!.readOnly).length,
        );
        for (const { token } of requests) expect(client.budget(credentialOf(token))?.limit).toBe(limitOf(token));
      },
    ),
    { numRuns: 2 },
  );
});
