import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { apiErrorOf, connectClient, ids, startStubServer, type StubResponse } from './stub-server.ts';

const id = '66666666-6666-4666-8666-666666666666';
const environment = { project_id: id, name: 'live', mode: 'STAGING', cluster_id: ids.cluster } as const;
const webhook = {
  organization_id: ids.organization,
  target_url: 'https://hooks.example/in',
  kind: 'STANDARD',
} as const;

type Body = Record<string, unknown>;

/** A client of a server that answers each body in this way, and the bodies it was sent. */
async function platform(answer: (body: Body, count: number) => StubResponse) {
  const bodies: Body[] = [];
  const { url } = await startStubServer((request) => {
    const body = JSON.parse(request.body) as Body;
    bodies.push(body);
    return answer(body, bodies.length);
  });
  return { client: connectClient(url), bodies };
}

const refusal = (message: string, status = 400): StubResponse => ({ status, body: { status, error: 'E', message } });
const created: StubResponse = { status: 201, body: { id } };

describe('the cluster of a new environment', () => {
  test('is sent under both names', async () => {
    const { client, bodies } = await platform(() => created);
    await client.call(operations.create_environment, environment);
    expect(bodies).toEqual([{ name: 'live', mode: 'STAGING', cluster_id: ids.cluster, cluster: ids.cluster }]);
  });

  test.each([
    ['cluster', 'cluster: unknown field'],
    ['cluster', 'Unrecognized key: "cluster"'],
    ['cluster', 'body.cluster is not allowed'],
    ['cluster', 'unknown member "cluster"; did you mean "cluster_id"?'],
    ['cluster_id', "Unrecognized field 'cluster_id' (3 known properties: 'name', 'mode', 'cluster')"],
    ['cluster_id', 'json: unknown field "cluster_id"'],
  ])('is sent once more without %s, where the platform says: %s', async (unknown, message) => {
    const { client, bodies } = await platform((body) => (Object.hasOwn(body, unknown) ? refusal(message) : created));
    expect(await client.call(operations.create_environment, environment)).toMatchObject({ id });
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toEqual({
      name: 'live',
      mode: 'STAGING',
      [unknown === 'cluster' ? 'cluster_id' : 'cluster']: ids.cluster,
    });
  });

  test.each([
    ['another member', refusal('name: unknown member of the team')],
    ['the cluster itself', refusal(`unknown cluster ${ids.cluster}`)],
    ['the cluster, without its id', refusal('Unknown cluster')],
    ['a missing member', refusal('cluster: is required')],
    ['a conflict', refusal('unknown field "cluster"', 409)],
    ['a failure of the platform, after which it may exist', refusal('unknown field "cluster"', 500)],
  ])('is sent only once where the refusal is about %s', async (_, reply) => {
    const { client, bodies } = await platform(() => reply);
    await apiErrorOf(client.call(operations.create_environment, environment));
    expect(bodies).toHaveLength(1);
  });

  test('is sent no third time', async () => {
    const { client, bodies } = await platform((body) =>
      refusal(`unknown field "${Object.hasOwn(body, 'cluster') ? 'cluster' : 'cluster_id'}"`),
    );
    expect((await apiErrorOf(client.call(operations.create_environment, environment))).detail).toBe(
      'unknown field "cluster_id"',
    );
    expect(bodies).toHaveLength(2);
  });
});

describe('the events of a new webhook', () => {
  test.each([
    [
      ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED', 'DEPLOYMENT_FAILED'],
      ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCESSFUL', 'DEPLOYMENT_FAILURE'],
    ],
    [['DEPLOYMENT_FAILURE'], ['DEPLOYMENT_FAILED']],
  ])('%j are sent once more as %j', async (events, others) => {
    const { client, bodies } = await platform((_, count) => (count === 1 ? refusal('events: invalid value') : created));
    await client.call(operations.create_webhook, { ...webhook, events });
    expect(bodies.map((body) => body['events'])).toEqual([events, others]);
  });

  test('are sent once where the refusal is about something else, or has no other spelling', async () => {
    const { client, bodies } = await platform(() => refusal('target_url: must be public'));
    await apiErrorOf(client.call(operations.create_webhook, { ...webhook, events: ['DEPLOYMENT_FAILED'] }));
    await apiErrorOf(client.call(operations.create_webhook, { ...webhook, events: ['CLUSTER_UPGRADED'] }));
    expect(bodies).toHaveLength(2);
  });

  test('are reported with the words that the platform names, however late in its text', async () => {
    const { client, bodies } = await platform(() =>
      refusal(`events: ${'no such word. '.repeat(40)} Use ON_START or ON_END`),
    );
    const failure = await apiErrorOf(
      client.call(operations.create_webhook, { ...webhook, events: ['DEPLOYMENT_FAILED'] }),
    );
    expect(bodies).toHaveLength(2);
    expect(failure.message).toMatch(
      /refuses these event words, also in their other spelling \(HTTP 400\).*ON_START, ON_END.*Use words that it names/,
    );
  });
});

test('a name that is taken is answered by choosing another one', async () => {
  const { client, bodies } = await platform(() => refusal('exists', 409));
  expect((await apiErrorOf(client.call(operations.create_environment, environment))).message).toContain(
    'Choose another name.',
  );
  expect(bodies).toHaveLength(1);
});
