import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientAddress } from '../../src/transport/http/host.ts';
import { closeTestServers, modernCall, startTestServer } from './test-server.ts';
import { startFullServer } from './full-server.ts';
import { exchangeRaw, statusOf } from './raw-connection.ts';

/** Names that every record seems to have, though nobody gave them. */
const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

let fixture: Awaited<ReturnType<typeof startFullServer>>;
beforeAll(async () => {
  fixture = await startFullServer();
});
afterAll(async () => {
  await closeTestServers();
  await fixture.close();
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly error?: { readonly code: number; readonly message: string };
  readonly result?: Record<string, unknown>;
}

const { _meta: meta } = modernCall('x').params;

/** A request as a 2026 client sends it. @param name of the tool, prompt or resource, which is told in a header too. */
async function send(method: string, params: object, name?: string): Promise<Answer> {
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  };
  const answer = await fixture.server.post(
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    headers,
  );
  const text = await answer.text();
  return { status: answer.status, text, ...(JSON.parse(text) as Pick<Answer, 'error' | 'result'>) };
}

/** A record with one member, whatever its name: written as a literal, `__proto__` would be none. */
const having = (name: string, value: unknown): object =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as object;

/** That nothing failed inside the server, and nothing of its own came out. */
const expectSound = ({ status, text, error }: Answer): void => {
  expect(status).toBeLessThan(500);
  expect(error?.code).not.toBe(-32_603);
  expect(text).not.toMatch(/native code|is not a function|Cannot read prop|inside this server/);
  expect(fixture.server.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
};

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A value that fits a schema as far as its type goes, with the name wherever a text may be. */
function fitting(schema: Schema, name: string): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return fitting(schema.anyOf[0]!, name);
  if (schema.type === 'string') return name;
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  if (schema.type === 'boolean') return true;
  if (schema.type === 'array') return [fitting(schema.items ?? {}, name)];
  const { properties = {}, required = [] } = schema;
  return required.length === 0
    ? having(name, name)
    : Object.fromEntries(required.map((member) => [member, fitting(properties[member]!, name)]));
}

describe.each(names)('the name %s', (name) => {
  // Members of this name the MCP library leaves out of arguments before anybody looks at them.
  const isDropped = name === '__proto__';

  test('is that of no tool, prompt, resource or method', async () => {
    const answers = [
      await send('tools/call', { name, arguments: {} }, name),
      await send('prompts/get', { name }, name),
      await send(name, {}),
      await send('resources/read', { uri: `infra://${name}` }, `infra://${name}`),
      await send('resources/read', { uri: `infra://service/${name}/x/status` }, `infra://service/${name}/x/status`),
      await send('completion/complete', { ref: { type: 'ref/prompt', name }, argument: { name, value: 'x' } }),
    ];
    for (const answer of answers) {
      expectSound(answer);
      expect(answer.error).toBeDefined();
    }
  });

  test('is no argument of a tool, and no field of its answer', async () => {
    const { tools } = (await send('tools/list', {})).result as { tools: { name: string; inputSchema: Schema }[] };
    for (const { name: tool, inputSchema } of tools) {
      const args = fitting({ ...inputSchema, type: 'object' }, name) as object;
      const properties = inputSchema.properties ?? {};
      const unknown = await send('tools/call', { name: tool, arguments: having(name, 'x') }, tool);
      expectSound(unknown);
      if (!isDropped) expect([tool, unknown.result?.['isError']]).toEqual([tool, true]);
      if (inputSchema.required?.length) expectSound(await send('tools/call', { name: tool, arguments: args }, tool));
      if (properties['fields'])
        expectSound(await send('tools/call', { name: tool, arguments: { ...args, fields: [name] } }, tool));
    }
  });

  test('is no argument of a prompt or of a template of resources', async () => {
    const { prompts } = (await send('prompts/list', {})).result as {
      prompts: { name: string; arguments: { name: string }[] }[];
    };
    for (const prompt of prompts) {
      const got = await send('prompts/get', { name: prompt.name, arguments: having(name, 'x') }, prompt.name);
      expectSound(got);
      if (!isDropped) expect(got.error?.message).toContain(`"${name}" is not known`);
      const completed = await send('completion/complete', {
        ref: { type: 'ref/prompt', name: prompt.name },
        argument: { name, value: '' },
      });
      expectSound(completed);
      expect(completed.result).toMatchObject({ completion: { values: [] } });
    }
    const { resourceTemplates } = (await send('resources/templates/list', {})).result as {
      resourceTemplates: { uriTemplate: string }[];
    };
    for (const { uriTemplate: uri } of resourceTemplates.filter(({ uriTemplate }) =>
      uriTemplate.startsWith('infra:'),
    )) {
      const completed = await send('completion/complete', {
        ref: { type: 'ref/resource', uri },
        argument: { name, value: '' },
        context: { arguments: having('kind', name) },
      });
      expectSound(completed);
      expect(completed.result).toMatchObject({ completion: { values: [] } });
    }
  });

  test('is no header, query or path of ours', async () => {
    const { port, log } = await startTestServer();
    const ask = (line: string) =>
      exchangeRaw(port, `${line} HTTP/1.1\r\nhost: localhost\r\n${name}: x\r\n${name}: y\r\nconnection: close\r\n\r\n`);
    expect(statusOf(await ask('GET /livez'))).toBe(200);
    expect(statusOf(await ask(`GET /${name}`))).toBe(404);
    expect(statusOf(await ask(`POST /mcp?${name}=x`))).toBe(400);
    expect(statusOf(await ask(`GET /livez?${name}=x`))).toBe(200);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(clientAddress(name)).toBe(name);
  });

  test('is no member or path of the platform', async () => {
    const { url, token, seed } = fixture.platform;
    const ask = async (method: string, target: string, body?: object) =>
      (
        await fetch(`${url}${target}`, {
          method,
          headers: {
            authorization: `Token ${token}`,
            [name.replaceAll('_', 'x')]: 'x',
            ...(body && { 'content-type': 'application/json' }),
          },
          body: body && JSON.stringify(body),
        })
      ).status;
    const organization = `/organization/${seed['organization_id']}`;
    expect(await ask('GET', `/organization?${name}=x`)).toBe(200);
    expect(await ask('GET', `/${name}`)).toBe(404);
    expect(await ask('GET', `/project/${name}/environment`)).toBeOneOf([400, 404]);
    expect(await ask('POST', `${organization}/project`, having(name, having(name, name)))).toBe(400);
  });
});
