import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { longestRepeated } from '../../src/contract/limits.ts';
import { allOperations, operations, type OperationName, snakeCase, toWire } from '../../src/contract/index.ts';
import { requestRestriction, unrestricted } from '../../src/transport/http/restriction.ts';
import { tools } from '../../tools/index.ts';
import { startGuardedServer } from '../support/guarded-server.ts';
import { textOf } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { someOf } from '../support/runs.ts';

/** Far more than an error repeats, of characters that nothing else in an error consists of. */
const long = '\u{1F9FF}q'.repeat(400);

let platform: TestPlatform;
let server: Awaited<ReturnType<typeof startGuardedServer>>;

beforeAll(async () => {
  platform = await startTestPlatform();
  server = await startGuardedServer(platform);
});
afterAll(async () => {
  await server.close();
  await platform.close();
});

/** How much of the long text stands in one piece in an answer. */
const repeatedIn = (answer: unknown): number => {
  const texts: string[] = [];
  JSON.stringify(answer, (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  const all = texts.flatMap((text) => text.match(/(?:[q\u{1F9FF}]|%F0%9F%A7%BF)+/gu) ?? []);
  return Math.max(0, ...all.map((run) => run.length));
};

const within = (answer: unknown): void => {
  expect(repeatedIn(answer)).toBeLessThanOrEqual(longestRepeated);
  expect(JSON.stringify(answer)).not.toMatch(/\\ud[89a-f]/i);
};

/** The result of a request, or its error as the client gets it. */
const resultOf = async (request: Promise<unknown>): Promise<unknown> =>
  request.catch((error: unknown) => {
    const { message, code, data } = error as Error & { code?: unknown; data?: unknown };
    return { message, code, data };
  });

/** What the embedded platform answers. */
const send = async (method: string, target: string, body?: unknown): Promise<unknown> =>
  (
    await fetch(`${platform.url}${target}`, {
      method,
      headers: {
        authorization: `Token ${platform.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  ).json();

describe('an error repeats little of what a caller sent:', () => {
  test.each(
    someOf(tools).map(({ name, input, operation }) => ({
      name,
      members: Object.keys(input),
      controls: operation.effect === 'read' ? {} : { dry_run: true },
    })),
  )('$name', async ({ name, members, controls }) => {
    for (const args of [
      { [long]: 1 },
      { [`a${long}`]: { [long]: long } },
      ...members.flatMap((member) => [{ [member]: long }, { [member]: [long] }, { [member]: { [long]: long } }]),
    ]) {
      const result = (await server.call(name, { ...args, ...controls })) as { isError?: boolean };
      if (result.isError) within(result);
    }
  });

  test('many faults at once', async () => {
    const args = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${long}${index}`, index]));
    const text = textOf(await server.call('list_projects', args));
    within(text);
    expect(text.length).toBeLessThan(25 * (longestRepeated + 100));
  });

  test('unknown tools, prompts, resources, completions and methods', async () => {
    const { client } = server;
    const uri = `infra://service/${long}`;
    const ref = { type: 'ref/prompt', name: long } as const;
    const results = await Promise.all(
      [
        client.callTool({ name: long, arguments: {} }),
        client.getPrompt({ name: long }),
        client.getPrompt({ name: 'deploy-safely', arguments: { [long]: long, version: long, service: long } }),
        client.readResource({ uri }),
        client.readResource({ uri: `infra://${long}` }),
        client.readResource({ uri: `infra://service/application/${long}/status` }),
        client.complete({ ref, argument: { name: 'x', value: 'y' } }),
        client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'x', value: 'y' } }),
        client.subscribeResource({ uri }),
        client.listTools({ cursor: long }),
      ].map(resultOf),
    );
    for (const result of results) within(result);
  });

  test('what a request over HTTP restricts itself by', async () => {
    for (const query of [`${encodeURIComponent(long)}=1`, `toolsets=${encodeURIComponent(long)}`]) {
      const answer = requestRestriction(new Request(`http://127.0.0.1/mcp?${query}`), unrestricted, { core: [] });
      expect(answer).toBeInstanceOf(Response);
      within(await (answer as Response).json());
    }
  });

  test('the API of the embedded platform', async () => {
    within(await send('GET', `/${encodeURIComponent(long)}`));
    within(await send('GET', `/organization?${encodeURIComponent(long)}=1`));
    for (const { name } of allOperations) {
      const operation = operations[name as OperationName];
      const params = Object.fromEntries(
        [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => [snakeCase(param!), long]),
      );
      const { method, target } = toWire(operation, params);
      within(await send(method, target, method === 'GET' ? undefined : { [long]: long }));
    }
  });
});
