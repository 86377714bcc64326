import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import {
  type GuardDependencies,
  type SharedDependencies,
  createDependencies,
  buildServer,
} from '../../src/server/protocol/index.ts';
import { callOf } from '../../src/transport/index.ts';
import { unrestricted } from '../../src/transport/http/restriction.ts';
import { tools } from '../../tools/index.ts';
import { approvalCodeIn, openGuardFixture, type GuardFixture } from '../support/guard-fixture.ts';
import { memoryLog } from '../support/call-context.ts';
import { failureIn } from '../support/mcp-clients.ts';
import {
  rawHttp,
  rawStdio,
  type RawClient,
  type RawClientOptions,
  type RawReply,
  type RawResult,
} from '../support/raw-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { toolCallsOn } from '../support/tool-calls.ts';
import { closeTestServers, startTestServer } from './test-server.ts';

// Clients that declare elicitation, and then don't bring their user's answer.

let platform: TestPlatform;
let proxy: RecordingProxy;
let platformClient: Client;
let guard: GuardFixture;
let log: ReturnType<typeof memoryLog>;
let open: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url);
  platformClient = createClient({ baseUrl: proxy.url, credential: credentialOf(platform.token) });
  guard = await openGuardFixture({ operator: true });
});

afterEach(async () => {
  for (const one of open.toReversed()) await one.close();
  await closeTestServers();
  await guard.dropWaiting();
  proxy.requests.length = 0;
  open = [];
});

afterAll(async () => {
  await guard.close();
  await platformClient.close();
  await proxy.close();
  await platform.close();
});

/** A server of its own for each test: what one client did isn't remembered in the next test. */
function dependencies({
  operator = false,
  answerTime,
}: { readonly operator?: boolean; readonly answerTime?: number } = {}): SharedDependencies {
  log = memoryLog();
  const parts: { guard?: GuardDependencies } = operator
    ? { guard: { ...guard.parts, recorder: createRecorder() } }
    : {};
  return createDependencies({
    tools,
    policy: { readOnly: false },
    connect: async () => ({ client: platformClient }),
    secrets: () => [platform.token],
    version: '0',
    log,
    clock: { now: Date.now },
    answerTime,
    ...parts,
  });
}

/** Records in the log, so that tests see the outcome as a code. */
const createRecorder = (): GuardDependencies['recorder'] => ({
  intent: async (intent) => log.info({ ...intent }, 'call about to change the platform'),
  outcome: async (outcome) => log.info({ ...outcome }, 'call ended'),
});

/** The outcomes of the calls so far. A question that is asked is one as well. */
const outcomes = () =>
  log.lines
    .filter(({ message }) => message === 'call ended')
    .map(({ fields }) => {
      const { outcome, why, instead } = fields as { outcome: string; why?: string; instead?: string };
      return outcome === 'pending' ? { outcome, instead } : { outcome, why };
    })
    .filter(({ outcome }) => outcome !== 'asked');

type Era = 'legacy' | 'modern';

const connect = {
  stdio: (era: Era, parts: SharedDependencies, options?: RawClientOptions): Promise<RawClient> =>
    rawStdio[era](parts, options),
  http: async (era: Era, parts: SharedDependencies, options?: RawClientOptions, who = 'ann'): Promise<RawClient> => {
    const server = await startTestServer({
      authenticate: async ({ headers }) => ({
        principal: headers.get('authorization')!,
        level: 'admin',
        restriction: unrestricted,
        stepUp: () => new Response(null, { status: 403 }),
      }),
      build: (_, __, request) =>
        buildServer(parts, { era: _, ...request, callerOf: ({ http }) => callOf(http?.authInfo).call }),
    });
    return rawHttp[era](server.url, options, { authorization: who });
  },
};

async function clientOf(
  over: keyof typeof connect,
  era: Era,
  parts: SharedDependencies,
  options?: RawClientOptions,
): Promise<RawClient> {
  const client = await connect[over](era, parts, options);
  open.push(client);
  return client;
}

const restart = () => ['restart_services', toolCallsOn(platform)['restart_services']!()] as const;
const stop = () => ['stop_environment', toolCallsOn(platform)['stop_environment']!()] as const;

const textIn = ({ content }: RawResult): string => content!.map(({ text }) => text).join('\n');

const nothingChanged = (result: RawResult): void => {
  expect(result.isError).toBe(true);
  expect(failureIn(result)?.outcome, textIn(result)).toMatch(/^(refused|pending)$/);
  expect(proxy.writes()).toEqual([]);
};

const error = (code: number): RawReply => ({ error: { code, message: 'no' } });

const replies: [string, RawReply, string][] = [
  ['-32601', error(-32601), 'no_such_method'],
  ['-32603', error(-32603), 'client_error'],
  ['-32000', error(-32000), 'client_error'],
  ['an empty result', { result: {} }, 'unusable_answer'],
  ['an unknown action', { result: { action: 'later' } }, 'unusable_answer'],
  ['an acceptance without content', { result: { action: 'accept' } }, 'unusable_answer'],
  ['content of another form', { result: { action: 'accept', content: { approve: 'yes' } } }, 'unusable_answer'],
  ['a text as result', { result: 'yes' }, 'unusable_answer'],
  ['no object', { result: null }, 'unusable_answer'],
  ['an error of another form', { error: 'no' }, 'unusable_answer'],
  [
    'agreement beside an error',
    { result: { action: 'accept', content: { approve: true } }, error: { code: -32603, message: 'no' } },
    'unusable_answer',
  ],
  ['nothing', undefined, 'unanswered'],
];

/** What a reply means is decided in one place for both transports; that it arrives there, in each. */
const dependsOnTransport = (reply: object): boolean =>
  !('result' in reply) || typeof reply.result !== 'object' || reply.result === null;

describe.each(['stdio', 'http'] as const)('over %s, in the 2025 revisions,', (over) => {
  test.each(
    over === 'stdio' ? replies : replies.filter(([, reply]) => reply === undefined || dependsOnTransport(reply)),
  )('a client that returns %s is refused, and not asked again', async (_, reply, why) => {
    const client = await clientOf(over, 'legacy', dependencies({ answerTime: reply ? undefined : 50 }), {
      reply: () => reply,
    });
    nothingChanged(await client.call(...restart()));
    nothingChanged(await client.call(...stop()));
    expect(client.asked).toHaveLength(1);
    expect(outcomes()).toEqual([
      { outcome: 'refused', why },
      { outcome: 'refused', why },
    ]);
  });

  test.each(replies.filter(([, reply]) => reply === undefined || reply === replies[0]![1]))(
    'a call of a client that returns %s waits for the operator, who can approve it',
    async (_, reply, why) => {
      const client = await clientOf(
        over,
        'legacy',
        dependencies({ operator: true, answerTime: reply ? undefined : 50 }),
        { reply: () => reply },
      );
      const waiting = await client.call(...restart());
      nothingChanged(waiting);
      await guard.decide(approvalCodeIn(textIn(waiting)));
      expect((await client.call(...restart())).isError).toBeFalsy();
      expect(client.asked).toHaveLength(1);
      expect(proxy.writes()).toHaveLength(1);
      expect(outcomes()).toEqual([
        { outcome: 'pending', instead: why },
        { outcome: 'done', why: undefined },
      ]);
    },
  );

  test.each([
    ['declines', { result: { action: 'decline' } }, 'declined'],
    ['rejects with an error of its own', error(-1), 'declined'],
    ['closes the form', { result: { action: 'cancel' } }, 'dismissed'],
    ['leaves the form empty', { result: { action: 'accept', content: {} } }, 'not_agreed'],
  ] as const)(
    'a user who %s is no failure of the client: nobody else is asked, and they are asked again',
    async (_, reply, why) => {
      const client = await clientOf(over, 'legacy', dependencies({ operator: true }), { reply: () => reply });
      nothingChanged(await client.call(...restart()));
      nothingChanged(await client.call(...restart()));
      nothingChanged(await client.call(...restart()));
      expect(client.asked).toHaveLength(3);
      expect(outcomes()).toEqual([0, 1, 2].map(() => ({ outcome: 'refused', why })));
      expect(await guard.waiting()).toEqual([]);
    },
  );

  test('another session of the same caller is asked', async () => {
    const parts = dependencies();
    const failing = await clientOf(over, 'legacy', parts, { reply: () => error(-32603) });
    nothingChanged(await failing.call(...restart()));
    const working = await clientOf(over, 'legacy', parts, {
      reply: () => ({ result: { action: 'accept', content: { approve: true } } }),
    });
    expect((await working.call(...restart())).isError).toBeFalsy();
    expect(working.asked).toHaveLength(1);
  });
});

const agreement = { action: 'accept', content: { approve: true } };

const responses: [string, object, string][] = [
  ['an error', { inputResponses: { confirm: { code: -32601, message: 'no' } } }, 'no_such_method'],
  [
    'an error in an envelope',
    { inputResponses: { confirm: { error: { code: -32603, message: 'no' } } } },
    'client_error',
  ],
  ['an unknown action', { inputResponses: { confirm: { action: 'later' } } }, 'unusable_answer'],
  ['an acceptance without content', { inputResponses: { confirm: { action: 'accept' } } }, 'unusable_answer'],
  [
    'content of another form',
    { inputResponses: { confirm: { action: 'accept', content: { approve: 'yes' } } } },
    'unusable_answer',
  ],
  [
    'agreement beside an error',
    { inputResponses: { confirm: { ...agreement, error: { code: -32603, message: 'no' } } } },
    'client_error',
  ],
  [
    'agreement beside the code of an error',
    { inputResponses: { confirm: { ...agreement, code: -32601 } } },
    'no_such_method',
  ],
  [
    'agreement beside an error of another form',
    { inputResponses: { confirm: { ...agreement, error: 'no' } } },
    'unusable_answer',
  ],
  [
    'agreement beside a code of another form',
    { inputResponses: { confirm: { ...agreement, code: '-32603' } } },
    'unusable_answer',
  ],
  [
    'an answer to something else',
    { inputResponses: { other: { action: 'accept', content: { approve: true } } } },
    'unusable_answer',
  ],
  [
    'an answer in an envelope',
    {
      inputResponses: {
        confirm: { method: 'elicitation/create', result: { action: 'accept', content: { approve: true } } },
      },
    },
    'unusable_answer',
  ],
  ['the state alone', {}, 'unusable_answer'],
];

describe.each(['stdio', 'http'] as const)('over %s, in the 2026 revision,', (over) => {
  test.each(
    over === 'stdio'
      ? responses
      : responses.filter(([what]) =>
          ['an error', 'agreement beside an error', 'an answer in an envelope', 'the state alone'].includes(what),
        ),
  )('a client that brings %s is refused, and not asked again', async (_, response, why) => {
    const client = await clientOf(over, 'modern', dependencies());
    const { requestState, inputRequests } = await client.call(...restart());
    expect(Object.keys(inputRequests!)).toEqual(['confirm']);
    nothingChanged(await client.call(...restart(), { requestState, ...response }));
    nothingChanged(await client.call(...stop()));
    expect(outcomes()).toEqual([
      { outcome: 'refused', why },
      { outcome: 'refused', why },
    ]);
  });

  test('a call of a client that brings an error waits for the operator, who can approve it', async () => {
    const client = await clientOf(over, 'modern', dependencies({ operator: true }));
    const { requestState } = await client.call(...restart());
    const waiting = await client.call(...restart(), {
      requestState,
      inputResponses: { confirm: { code: -32603, message: 'no' } },
    });
    nothingChanged(waiting);
    // An answer that comes after that is not agreement.
    nothingChanged(
      await client.call(...restart(), {
        requestState,
        inputResponses: { confirm: { action: 'accept', content: { approve: true } } },
      }),
    );
    await guard.decide(approvalCodeIn(textIn(waiting)));
    expect((await client.call(...restart())).isError).toBeFalsy();
    expect(proxy.writes()).toHaveLength(1);
    expect(outcomes()).toEqual([
      { outcome: 'pending', instead: 'client_error' },
      { outcome: 'refused', why: 'used' },
      { outcome: 'done', why: undefined },
    ]);
  });

  test.each([[5], [null], [{ state: 'x' }], [['x']]])(
    'a state that is no text, %j, is refused, and the question stays open',
    async (requestState) => {
      const client = await clientOf(over, 'modern', dependencies());
      const asked = await client.call(...restart());
      const answer = { inputResponses: { confirm: agreement } };
      await expect(client.call(...restart(), { requestState, ...answer })).rejects.toThrow(
        /-32602.*without requestState/,
      );
      expect(proxy.writes()).toEqual([]);
      expect((await client.call(...restart(), { requestState: asked.requestState, ...answer })).isError).toBeFalsy();
    },
  );

  test('a client that loses the question is asked twice about the same call, and then refused', async () => {
    const client = await clientOf(over, 'modern', dependencies());
    for (let round = 0; round < 2; round += 1) expect((await client.call(...restart())).requestState).toBeDefined();
    nothingChanged(await client.call(...restart()));
    nothingChanged(await client.call(...stop()));
    expect(outcomes()).toEqual([
      { outcome: 'refused', why: 'unanswered' },
      { outcome: 'refused', why: 'unanswered' },
    ]);
  });

  test('a user who declines is no failure of the client', async () => {
    const client = await clientOf(over, 'modern', dependencies({ operator: true }));
    for (let round = 0; round < 3; round += 1) {
      const { requestState } = await client.call(...restart());
      nothingChanged(
        await client.call(...restart(), { requestState, inputResponses: { confirm: { action: 'decline' } } }),
      );
    }
    expect(outcomes()).toEqual([0, 1, 2].map(() => ({ outcome: 'refused', why: 'declined' })));
    expect(await guard.waiting()).toEqual([]);
  });
});

/** A server with an operator who has a page. */
const withPage = (): SharedDependencies => ({
  ...dependencies({ operator: true }),
  approvalsPage: () => 'https://mcp.example.com/approvals',
});

describe.each(['stdio', 'http'] as const)('over %s, a client that opens pages and fails to', (over) => {
  const elicitation = { url: {} };

  test('is told the code of a waiting call, and asked for no other page: in the 2025 revisions', async () => {
    const client = await clientOf(over, 'legacy', withPage(), { elicitation, reply: () => error(-32603) });
    for (const [name, args] of [restart(), stop()]) {
      const waiting = await client.call(name, args);
      nothingChanged(waiting);
      expect(approvalCodeIn(textIn(waiting))).toBeDefined();
    }
    expect(client.asked.map(({ params }) => params!['mode'])).toEqual(['url']);
  });

  test('is told the code of a waiting call, and asked for no other page: in the 2026 revision', async () => {
    const client = await clientOf(over, 'modern', withPage(), { elicitation });
    expect(Object.keys((await client.call(...restart())).inputRequests!)).toEqual(['confirm']);
    for (const [name, args] of [restart(), stop()]) {
      const waiting = await client.call(name, args);
      nothingChanged(waiting);
      expect(approvalCodeIn(textIn(waiting))).toBeDefined();
    }
  });
});

test("in the 2026 revision, one caller's failing client changes nothing for another caller, or for another client", async () => {
  const parts = dependencies();
  const failing = await connect.http('modern', parts, undefined, 'ann');
  const { requestState } = await failing.call(...restart());
  nothingChanged(await failing.call(...restart(), { requestState }));
  for (const [who, name] of [
    ['bob', 'raw'],
    ['ann', 'another'],
  ] as const) {
    const working = await connect.http('modern', parts, { name }, who);
    expect((await working.call(...restart())).requestState).toBeDefined();
  }
});
