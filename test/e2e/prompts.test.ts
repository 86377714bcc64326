import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { delimiters } from '../../src/server/redaction/index.ts';
import { parsePolicy } from '../../src/server/guard/policy/load.ts';
import { parsePrompt } from '../../src/server/browse/prompts/prompt.ts';
import { textsIn } from '../../src/server/browse/index.ts';
import { tools } from '../../tools/index.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import {
  resourceServersOf,
  protocolVersions,
  root,
  type ResourceServers,
  type ResourceClient,
} from '../support/resource-clients.ts';

let platform: TestPlatform;
let content: ResourceServers;

beforeAll(async () => {
  platform = await startTestPlatform();
  content = resourceServersOf(platform.url, platform.tokens.admin);
});
afterAll(async () => {
  await content.close();
  await platform.close();
});

const prompts = await textsIn(root).prompts();

/** Something in the seed for each argument of each prompt. */
const values: Readonly<Record<string, string>> = {
  service: 'shop/staging/checkout-api',
  environment: 'shop/staging',
  source: 'shop/staging',
  target: 'shop/production',
  cluster: 'main',
  project: 'shop',
  alert_rule: 'importer-down',
  repository: 'https://git.acme.example/acme/fresh.git',
  email: 'new@acme.example',
  version: '4f2c9d1',
  symptom: 'checkout is slow',
  branch: 'main',
  work: 'looks after the shop',
  since: 'Monday',
};

const argumentsOf = (name: string): Record<string, string> =>
  Object.fromEntries(Object.keys(prompts.get(name)!.arguments).map((argument) => [argument, values[argument]!]));

const textOf = ({ messages }: Awaited<ReturnType<ResourceClient['client']['getPrompt']>>): string =>
  messages.map(({ content: part }) => (part.type === 'text' ? part.text : '')).join('\n');

describe.each(protocolVersions)('a client of the %s era', (era) => {
  let server: ResourceClient;
  beforeAll(async () => {
    server = await content.connect(era);
  });

  test('is shown the prompts with their arguments, and nothing is asked of the platform for it', async () => {
    const before = content.connectCount();
    const { prompts: listed } = await server.client.listPrompts();
    expect(listed.map(({ name }) => name)).toEqual([...prompts.keys()]);
    expect(listed).toHaveLength(11);
    expect(listed.find(({ name }) => name === 'deploy-safely')).toEqual({
      name: 'deploy-safely',
      title: 'Deploy a service safely',
      description: expect.any(String),
      arguments: [
        { name: 'service', description: expect.any(String), required: true },
        { name: 'version', description: expect.any(String), required: false },
      ],
    });
    expect(content.connectCount()).toBe(before);
  });

  test.each([...prompts.keys()])('gets %s with its steps, its arguments, and what was read for it', async (name) => {
    const text = textOf(await server.client.getPrompt({ name, arguments: argumentsOf(name) }));
    expect(text).toContain(await textsIn(root).steps(name));
    for (const value of Object.values(argumentsOf(name))) expect(text).toContain(value);
    expect(text).not.toMatch(/\{\{|\}\}/);
    const { prefetch } = prompts.get(name)!;
    expect(text.split(delimiters.open)).toHaveLength(prefetch.length + 1);
    expect(text).not.toMatch(/ (?:was not|could not be) read/);
    expect(text.length).toBeLessThan(16_000);
  });

  test('is told what could not be read, and gets the prompt all the same', async () => {
    const rules = await parsePolicy('policy.yaml', 'deny:\n  - tool: get_application_status\n', tools);
    const held = await content.connect(era, { policy: { readOnly: false, rules: [rules] } });
    const text = textOf(
      await held.client.getPrompt({ name: 'diagnose-failure', arguments: { service: values['service']! } }),
    );
    expect(text).toContain('\nThe resource service_status was not read: ');
    expect(text).toContain('policy.yaml, deny[0]');
    expect(text.split(delimiters.open)).toHaveLength(2);
  });

  test('sees characters that show nothing in what it gave', async () => {
    const text = textOf(
      await server.client.getPrompt({
        name: 'onboard-member',
        arguments: { email: 'x@acme.example', work: 'any\u200Bthing' },
      }),
    );
    expect(text).toContain('any<U+200B>thing');
  });

  test.each([
    ['an argument is missing', { name: 'deploy-safely', arguments: {} }, '"service" is required'],
    [
      'an argument is not known',
      { name: 'deploy-safely', arguments: { service: 'x', commit: 'y' } },
      '"commit" is not known; deploy-safely takes service, version',
    ],
    [
      'an e-mail address is none',
      { name: 'onboard-member', arguments: { email: 'not an email' } },
      '"email" must be an e-mail address',
    ],
    [
      'a time is none',
      { name: 'what-changed', arguments: { environment: 'shop/staging', since: 'banana' } },
      '"since" must be a day (today, yesterday, Monday …)',
    ],
    [
      'a repository is none',
      { name: 'set-up-from-repository', arguments: { environment: 'shop/staging', repository: 'my repo' } },
      '"repository" must be the address of a git repository',
    ],
    [
      'a version is none',
      { name: 'deploy-safely', arguments: { service: 'x', version: 'the newest one' } },
      '"version" must be a commit or an image tag',
    ],
    [
      'two things are the same',
      { name: 'promote-to-production', arguments: { source: 'shop/staging', target: ' Shop/staging' } },
      '"target" must be another one than "source"',
    ],
    ['a prompt is not known', { name: 'deploy-safly' }, 'did you mean "deploy-safely"?'],
  ])('is told that %s', async (_, params, message) => {
    await expect(server.client.getPrompt(params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(message),
    });
  });

  const completed = [...prompts.values()].flatMap(({ name, arguments: taken }) =>
    Object.entries(taken).flatMap(([argument, { kind }]) => (kind ? [[name, argument] as const] : [])),
  );

  test.each(completed)('has the argument of %s completed: %s', async (name, argument) => {
    const value = values[argument]!;
    const complete = (typed: string) =>
      server.client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: argument, value: typed } });
    expect((await complete(value.slice(0, -2))).completion.values).toContain(value);
    expect((await complete('nothing begins like that')).completion).toMatchObject({ values: [] });
  });

  test('has nothing completed that is free text', async () => {
    const { completion } = await server.client.complete({
      ref: { type: 'ref/prompt', name: 'triage-incident' },
      argument: { name: 'symptom', value: 'c' },
    });
    expect(completion.values).toEqual([]);
  });

  test('gets the diagnosis itself read, and with it the calls that it proposes', async () => {
    const text = textOf(
      await server.client.getPrompt({ name: 'diagnose-failure', arguments: { service: 'data/development/importer' } }),
    );
    expect(text).toMatch(/## diagnose_deployment: data\/development\/importer\n<platform-data>\n/);
    const {
      content: [diagnosis],
    } = (await server.client.callTool({
      name: 'diagnose_deployment',
      arguments: { service: 'data/development/importer' },
    })) as { content: { text: string }[] };
    expect(text).toContain(diagnosis!.text.split('\n')[1]!);
  });

  test.each(['today', 'P2D', 'PT12H', '2026-01-31', '2026-01-31T09:30:00Z', 'monday'])(
    'may say since when: %s',
    async (since) => {
      expect(
        textOf(
          await server.client.getPrompt({ name: 'what-changed', arguments: { environment: 'shop/staging', since } }),
        ),
      ).toContain(since);
    },
  );

  const completions = async (
    name: string,
    argument: string,
    value: string,
    others: Record<string, string> = {},
  ): Promise<readonly string[]> =>
    (
      await server.client.complete({
        ref: { type: 'ref/prompt', name },
        argument: { name: argument, value },
        context: { arguments: others },
      })
    ).completion.values;

  test('has days completed, and the versions that the service it named was deployed with', async () => {
    expect(await completions('what-changed', 'since', 'm')).toEqual(['Monday']);
    const versions = await completions('deploy-safely', 'version', '', { service: 'shop/staging/checkout-api' });
    expect(versions.length).toBeGreaterThan(1);
    expect(
      await completions('deploy-safely', 'version', versions[1]!.slice(0, 6), { service: 'shop/staging/checkout-api' }),
    ).toContain(versions[1]);
    expect(await completions('deploy-safely', 'version', '')).toEqual([]);
  });

  test('works with a server whose texts were lost, as long as it asks for none', async () => {
    const bare = await content.connect(era, { texts: join(root, 'no-such-folder') });
    expect(await bare.text('infra://organization')).toContain('Acme');
    const lost = await Promise.all(
      [bare.client.listPrompts(), bare.text('skill://tune-alert/SKILL.md'), bare.text('infra://states')].map(
        (reading) =>
          reading.then(
            () => 'read',
            (error: Error) => error.message,
          ),
      ),
    );
    for (const message of lost)
      expect(message).toMatch(
        /The (?:prompts|skills|states) that belong to this server can't be read\. Whoever runs it/,
      );
    expect(lost.join()).not.toContain(root);
  });
});

test('every prompt has the skill of its name, and every skill a prompt', async () => {
  expect((await readdir(textsIn(root).skills)).toSorted()).toEqual([...prompts.keys()].toSorted());
});

describe('a prompt that is written wrongly is named', () => {
  test.each([
    ['has no front matter', 'Just do it.', 'does not begin with front matter'],
    ['is no YAML', '---\na: [\n---\nText', 'is no YAML'],
    [
      'says something unknown',
      '---\ntitle: T\ndescription: D\nargument: {}\n---\nText',
      'argument: is not known; did you mean "arguments"?',
    ],
    [
      'completes nothing that there is',
      '---\ntitle: T\ndescription: D\narguments: { a: { kind: spaceship, description: A } }\n---\nText',
      'kind',
    ],
    [
      'reads two things at once',
      '---\ntitle: T\ndescription: D\nprefetch: [{ a: {}, b: {} }]\n---\nText',
      'must name one resource',
    ],
  ])('%s', async (_, text, says) => {
    await expect(parsePrompt('odd', text)).rejects.toThrow(says);
    await expect(parsePrompt('odd', text)).rejects.toThrow('odd');
  });
});
