import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { createDependencies } from '../../src/server/protocol/index.ts';
import { textsIn } from '../../src/server/browse/index.ts';
import { halfCharacterIn } from '../../src/contract/index.ts';
import { startStdioServer } from '../../src/transport/index.ts';
import { tools } from '../../tools/index.ts';
import { memoryLog } from '../support/call-context.ts';
import { cutInsideEmoji, refusedBy } from '../support/half-characters.ts';
import { connectModern, failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { root } from '../support/resource-clients.ts';
import { toolCallsOn } from '../support/tool-calls.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

/** Every string that leaves is well-formed Unicode. `test/attacks` has the same for all tools, over real transports. */

let platform: TestPlatform;
let proxy: RecordingProxy;
let platformClient: ReturnType<typeof createClient>;
let client: Awaited<ReturnType<typeof connectModern>>['client'];
let refused: string[];
const user = userAnswering(() => ({ action: 'decline' }));
const log = memoryLog();
const bodies: string[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    alter: (method, _path, body) => (method === 'GET' ? cutInsideEmoji(body) : body),
    onBody: (body) => bodies.push(body),
  });
  platformClient = createClient({ baseUrl: proxy.url, credential: credentialOf(platform.token) });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  refused = refusedBy(clientSide);
  startStdioServer(
    createDependencies({
      tools,
      policy: { readOnly: false },
      connect: async () => ({ client: platformClient }),
      secrets: () => [platform.token],
      version: '0',
      log,
      clock: { now: Date.now },
      texts: textsIn(root),
    }),
    serverSide,
  );
  ({ client } = await connectModern(clientSide, user));
});
afterAll(async () => {
  await client.close();
  await platformClient.close();
  await proxy.close();
  await platform.close();
});

const call = async (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });

describe('a platform whose texts are cut inside of an emoji', () => {
  test.each(['list_projects', 'get_application_logs', 'list_events', 'get_organization_overview', 'update_container'])(
    '%s answers in whole characters',
    async (name) => {
      user.questions.splice(0);
      const result = await call(name, toolCallsOn(platform)[name]!());
      expect(refused).toEqual([]);
      expect(['internal', 'withheld']).not.toContain(failureIn(result)?.kind);
      expect(halfCharacterIn(user.questions)).toBeUndefined();
    },
  );

  test('so do resources, prompts and completions', async () => {
    await client.readResource({ uri: 'infra://organization' });
    await client.readResource({ uri: 'infra://projects' }).catch(() => undefined);
    const { prompts } = await client.listPrompts();
    for (const { name, arguments: declared = [] } of prompts)
      await client
        .getPrompt({
          name,
          arguments: Object.fromEntries(declared.map((one) => [one.name, `shop/staging/checkout-api`])),
        })
        .catch(() => undefined);
    for (const { name, arguments: [first] = [] } of prompts)
      if (first)
        await client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: first.name, value: 's' } });
    expect(refused).toEqual([]);
    expect(halfCharacterIn(log)).toBeUndefined();
  });
});

describe('a caller with half characters', () => {
  test.each([
    ['create_project', { name: 'shop\uD83D' }, /"name" has half a character, U\+D83D/],
    [
      'set_environment_variables',
      { variables: { 'A\uDCE6': 'x' } },
      /"variables\.A\uFFFD" has half a character, U\+DCE6/,
    ],
    ['get_service', { service: '\uD83Dshop/staging' }, /"service" has half a character, U\+D83D/],
  ])('%s names the member, and sends nothing', async (name, args, told) => {
    const before = bodies.length;
    const result = await call(name, args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(told);
    expect(bodies.slice(before)).toEqual([]);
    expect(refused).toEqual([]);
  });

  test('gets errors in whole characters, whatever they repeat', async () => {
    await expect(call('no_such_\uD83D', {})).rejects.toThrow(/no_such_\uFFFD/);
    await expect(client.readResource({ uri: 'infra://service/application/\uD83D' })).rejects.toThrow();
    await expect(client.getPrompt({ name: '\uD83D' })).rejects.toThrow();
    await client
      .complete({
        ref: { type: 'ref/resource', uri: 'infra://project/{+project}' },
        argument: { name: 'project', value: '\uD83D' },
      })
      .catch(() => undefined);
    expect(refused).toEqual([]);
  });
});

describe('the embedded platform', () => {
  test('refuses half characters, and says where they are', async () => {
    const { status, body } = await platform.call('create_project', {
      organization_id: platform.organizationId,
      name: 'shop',
      description: 'a \uD83D',
    });
    expect({ status, body }).toEqual({
      status: 400,
      body: expect.objectContaining({ message: 'description: has half a character, U+D83D' }),
    });
  });
});
