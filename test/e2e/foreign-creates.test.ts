import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { connectorsTo } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';

const id = '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e';
const wanted = '1c8e4d2f-6a1b-4d4f-8e66-1b7d2c3e4f50';
const elsewhere = '2d7f5e3a-7b2c-4e5a-9f77-2c8e3d4f5a61';
const opened: { close: () => unknown }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** What every platform answers: its organization, and that it has no projects. */
const organization: Record<string, unknown> = {
  '/organization': { results: [{ id, name: 'Acme' }] },
  [`/organization/${id}/project`]: { results: [] },
};

type Body = Record<string, unknown>;
type Reply = readonly [status: number, body: unknown];

interface Foreign {
  readonly get?: (path: string) => unknown;
  readonly post: (body: Body) => Reply;
}

/** A client of a server in front of a platform of another make, and the bodies that it got. */
async function foreign({
  get = () => undefined,
  post,
}: Foreign): Promise<{ readonly client: TestClient; readonly bodies: Body[] }> {
  const bodies: Body[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<Reply> => {
      const path = request.url!.split('?')[0]!;
      if (request.method === 'GET') {
        const found = get(path) ?? organization[path];
        return [found === undefined ? 404 : 200, found ?? 'no such page'];
      }
      const body = (await json(request)) as Body;
      bodies.push(body);
      return post(body);
    };
    void answer().then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connectors = connectorsTo(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    'the-token-of-this-test',
  );
  opened.push(connectors, { close: () => new Promise((resolve) => server.close(resolve)) });
  return { client: await connectors.modern(userAnswering(agree)), bodies };
}

const refused = (message: string): Reply => [400, { status: 400, message }];

describe('an environment', () => {
  const args = { project_id: id, name: 'live', mode: 'STAGING', cluster_id: wanted };

  test('is made where only "cluster" is known, and "cluster_id" refused', async () => {
    const { client, bodies } = await foreign({
      post: (body) =>
        'cluster_id' in body ? refused('unknown field "cluster_id"') : [201, { id, name: 'live', cluster_id: wanted }],
    });
    expect((await client.call('create_environment', args)).isError).toBeFalsy();
    expect(bodies.at(-1)).toEqual({ name: 'live', mode: 'STAGING', cluster: wanted });
  });

  test.each([
    ['its answer', { cluster_id: elsewhere, cluster_name: 'small' }, undefined],
    ['a read, where the answer does not tell', {}, { id, name: 'live', cluster_id: elsewhere, cluster_name: 'small' }],
  ])('on another cluster than asked for is an error that says where it is, by %s', async (_, answer, read) => {
    const { client, bodies } = await foreign({
      get: (path) => (path === `/environment/${id}` ? read : undefined),
      post: () => [201, { id, name: 'live', ...answer }],
    });
    const result = await client.call('create_environment', args);
    expect(failureIn(result)).toEqual({ kind: 'not_as_asked', outcome: 'done' });
    expect(textOf(result)).toMatch(
      new RegExp(String.raw`cluster ${wanted}\. .*\(id ${id}\) is on cluster small \(id ${elsewhere}\)`, 's'),
    );
    expect(bodies).toHaveLength(1);
  });

  test('of which nobody tells where it is, says so', async () => {
    const { client } = await foreign({ post: () => [201, { id, name: 'live' }] });
    expect(textOf(await client.call('create_environment', args))).toContain('Not known: on which cluster it is.');
  });

  test('whose name is taken asks for another name', async () => {
    const { client } = await foreign({ post: () => [409, { status: 409, message: 'exists' }] });
    expect(textOf(await client.call('create_environment', args))).toContain('Choose another name.');
  });
});

const applicationFrom = (url: string) => ({ environment_id: id, name: 'api', git_repository: { url } });
const servicesWith = (...repositories: object[]) => ({
  results: repositories.map((git_repository) => ({ id, name: 'web', service_type: 'APPLICATION', git_repository })),
});

describe('an application', () => {
  const made: Foreign = { post: () => [201, { id, name: 'api' }] };
  const withServices = (list: unknown): Foreign => ({
    ...made,
    get: (path) =>
      path.endsWith('/services')
        ? list
        : path === `/environment/${id}`
          ? { id, name: 'live', mode: 'STAGING' }
          : undefined,
  });

  test.each([
    ['https://github.com/a/b.git', 'GITHUB'],
    ['git@gitlab.com:a/b.git', 'GITLAB'],
    ['https://gitlab.acme.example/a/b.git', 'GITLAB'],
    ['ssh://git@bitbucket.org/a/b.git', 'BITBUCKET'],
  ])('of %s is sent with its provider, health checks, and ports that are not public', async (url, provider) => {
    const { client, bodies } = await foreign(withServices({ results: [] }));
    await client.call('create_application', {
      ...applicationFrom(url),
      ports: [{ internal_port: 80 }, { internal_port: 81, publicly_accessible: true }],
    });
    expect(bodies).toEqual([
      {
        name: 'api',
        healthchecks: {},
        git_repository: { url, provider },
        ports: [
          { internal_port: 80, publicly_accessible: false },
          { internal_port: 81, publicly_accessible: true },
        ],
      },
    ]);
  });

  test('keeps the provider and the health checks that are given', async () => {
    const { client, bodies } = await foreign(withServices({ results: [] }));
    const args = {
      name: 'api',
      git_repository: { url: 'https://github.com/a/b.git', provider: 'OTHER' },
      healthchecks: { readiness_probe: { type: { tcp: { port: 80 } } } },
    };
    await client.call('create_application', { environment_id: id, ...args });
    expect(bodies).toEqual([args]);
  });

  test('of an unknown host has the provider of another service from there', async () => {
    const { client, bodies } = await foreign(
      withServices(
        servicesWith(
          { url: 'https://github.com/a/c', provider: 'GITHUB' },
          { url: 'git@git.acme.example:a/c.git', provider: 'GITLAB' },
        ),
      ),
    );
    await client.call('create_application', applicationFrom('https://git.acme.example/a/b.git'));
    expect(bodies[0]?.['git_repository']).toEqual({ url: 'https://git.acme.example/a/b.git', provider: 'GITLAB' });
  });

  test('of an unknown host has the provider of an application that only a read of its own shows, and reads no more than it needs', async () => {
    const hosts = ['github.com', 'git.acme.example', 'elsewhere.example'];
    const rows = hosts.map((host, index) => ({
      id: `${index}${id.slice(1)}`,
      name: host,
      service_type: 'APPLICATION',
    }));
    const read: string[] = [];
    const get = (path: string) => {
      const row = rows.find((one) => path === `/application/${one.id}`);
      if (!row)
        return withServices({ results: [{ id: wanted, name: 'queue', service_type: 'CONTAINER' }, ...rows] }).get!(
          path,
        );
      read.push(row.name);
      return {
        ...row,
        git_repository: {
          url: `https://${row.name}/a/c`,
          provider: row.name === 'git.acme.example' ? 'FORGE' : 'GITHUB',
        },
      };
    };
    const { client, bodies } = await foreign({ ...made, get });
    await client.call('create_application', applicationFrom('https://git.acme.example/a/b.git'));
    expect(bodies[0]?.['git_repository']).toEqual({ url: 'https://git.acme.example/a/b.git', provider: 'FORGE' });
    // Once before somebody is asked, and once more after that.
    expect([...new Set(read)]).toEqual(['github.com', 'git.acme.example']);
    expect(read).toHaveLength(4);
  });

  const unknownHost = applicationFrom('https://git.acme.example/a/b.git');
  const asksForProvider =
    'give it as git_repository.provider: GITHUB, GITLAB, BITBUCKET, or another word that this platform has for it';

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['no reason', { message: 'Bad Request' }],
    ['that something is missing', { status: 400, message: 'git_repository is not valid, name its provider' }],
  ])('of an unknown host asks for the provider after a refusal that says %s', async (_, body) => {
    const { client, bodies } = await foreign({
      ...withServices(servicesWith({ url: 'https://other.example/a/c', provider: 'FORGE' })),
      post: () => [400, body],
    });
    const result = await client.call('create_application', unknownHost);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(asksForProvider);
    expect(bodies).toHaveLength(1);
  });

  test.each<[string, object, string, number]>([
    ['is about another member', unknownHost, 'name is taken', 400],
    [
      'comes although a provider is given',
      { ...unknownHost, git_repository: { ...unknownHost.git_repository, provider: 'FORGE' } },
      'Bad Request',
      400,
    ],
    ['comes although the host tells it', applicationFrom('https://github.com/a/b.git'), 'Bad Request', 400],
    ['is about the name', unknownHost, 'exists', 409],
  ])('is not asked for its provider where the refusal %s', async (_, args, message, status) => {
    const { client } = await foreign({ ...withServices({ results: [] }), post: () => [status, { status, message }] });
    const result = await client.call('create_application', args as Body);
    expect([result.isError, textOf(result).includes('provider:')]).toEqual([true, false]);
  });

  test('of an unknown host asks for the provider where the platform has a fixed set of them', async () => {
    const { client, bodies } = await foreign(
      withServices(servicesWith({ url: 'https://github.com/a/c', provider: 'GITHUB' })),
    );
    expect(
      textOf(await client.call('create_application', applicationFrom('https://git.acme.example/a/b.git'))),
    ).toContain('Give git_repository.provider: GITHUB, GITLAB, BITBUCKET.');
    expect(bodies).toEqual([]);
  });
});

describe('a webhook', () => {
  const args = {
    organization_id: id,
    target_url: 'https://hooks.example/in',
    events: ['DEPLOYMENT_SUCCEEDED', 'DEPLOYMENT_FAILED'],
  };
  const post = (): Reply => [201, { id, target_url: args.target_url }];

  test('has its kind, and the event words of the webhooks that the platform has already', async () => {
    const { client, bodies } = await foreign({
      get: (path) =>
        path.endsWith('/webhook')
          ? { results: [{ id, events: ['DEPLOYMENT_SUCCESSFUL', 'DEPLOYMENT_STARTED'] }] }
          : undefined,
      post,
    });
    const planned = textOf(await client.call('create_webhook', { ...args, dry_run: true }));
    expect(planned).toContain(
      'No other webhook has the events DEPLOYMENT_FAILED; the others have DEPLOYMENT_SUCCESSFUL, DEPLOYMENT_STARTED.',
    );
    await client.call('create_webhook', args);
    expect(bodies).toEqual([
      { target_url: args.target_url, kind: 'STANDARD', events: ['DEPLOYMENT_SUCCESSFUL', 'DEPLOYMENT_FAILED'] },
    ]);
  });

  test('passes other words on', async () => {
    const { client, bodies } = await foreign({ post });
    await client.call('create_webhook', { ...args, events: ['CLUSTER_UPGRADED'], kind: 'SLACK' });
    expect(bodies).toMatchObject([{ kind: 'SLACK', events: ['CLUSTER_UPGRADED'] }]);
  });

  test('tries the other spelling once after a refusal', async () => {
    const { client, bodies } = await foreign({
      post: (body) => (String(body['events']).includes('SUCCEEDED') ? refused('bad event') : post()),
    });
    expect((await client.call('create_webhook', args)).isError).toBeFalsy();
    expect(bodies.map(({ events }) => events)).toEqual([args.events, ['DEPLOYMENT_SUCCESSFUL', 'DEPLOYMENT_FAILURE']]);
  });

  test('reports the words that the platform names', async () => {
    const { client, bodies } = await foreign({ post: () => refused('events must be ON_START or ON_END') });
    expect(textOf(await client.call('create_webhook', args))).toMatch(
      /refuses these event words, also in their other spelling.*ON_START or ON_END/s,
    );
    expect(bodies).toHaveLength(2);
  });
});

test('a helm repository has configuration members of its vendor, which are never shown', async () => {
  const secret = 'correct-horse-battery';
  const args = {
    organization_id: id,
    name: 'charts',
    kind: 'OCI_VENDOR_CR',
    skip_tls_verification: false,
    config: { json_credentials: secret, acme_account: 'acme-account-4711' },
  };
  const { client, bodies } = await foreign({ post: (body) => [201, { id, name: 'charts', config: body['config'] }] });
  const { organization_id: _, ...body } = args;
  const planned = await client.call('create_helm_repository', { ...args, dry_run: true });
  expect(textOf(planned)).toContain('json_credentials');
  const made = await client.call('create_helm_repository', args);
  expect(bodies).toEqual([body]);
  for (const result of [planned, made]) expect(JSON.stringify(result)).not.toMatch(/correct-horse|acme-account-4711/);
  const failing = await foreign({ post: () => refused(`bad value ${secret}`) });
  expect(JSON.stringify(await failing.client.call('create_helm_repository', args))).not.toContain(secret);
});
