import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { snakeCase, type AnyOperation, allOperations, operations } from '../../src/contract/index.ts';
import { apiErrorOf } from './stub-server.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

const token = 'platform-test-token';
const unknown = '99999999-9999-4999-8999-999999999999';

/** Starts a platform with its own rate limit, and a client of it. */
async function start(options: Parameters<typeof startTestPlatform>[0] = {}) {
  const platform = await startTestPlatform({ token, rateLimit: undefined, ...options });
  const client = createClient({ baseUrl: platform.url, credential: credentialOf(token) });
  const stop = async (): Promise<void> => {
    await client.close();
    await platform.close();
  };
  return { platform, client, stop };
}

/** The ids that a read needs, taken from the seed. */
const inputFor = (operation: AnyOperation, { seed, organizationId }: TestPlatform) => {
  const known: Readonly<Record<string, string>> = { ...seed, organization_id: organizationId };
  const owner = operation.targetBy && { [operation.targetBy.scope]: 'HELM', [operation.targetBy.id]: seed['helm_id'] };
  return {
    ...Object.fromEntries(operation.params.map(snakeCase).map((name: string) => [name, known[name]])),
    ...owner,
  };
};

describe('against the embedded platform', () => {
  let it: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    it = await start();
    return it.stop;
  });

  test.each(
    allOperations.filter(({ method }) => method === 'GET').map((operation) => [operation.name, operation] as const),
  )('%s is answered as the contract says', async (_, operation) => {
    const answer: unknown = await it.client.call(operation, inputFor(operation, it.platform));
    expect(answer).toEqual(expect.any(Object));
    expect(operation.response?.safeParse(answer).error?.issues ?? []).toEqual([]);
  });

  test('a change is carried out, read back and counted', async () => {
    const { client, platform } = it;
    const project = await client.call(operations.create_project, {
      organization_id: platform.organizationId,
      name: 'from the client',
    });
    const { results } = await client.call(operations.list_projects, { organization_id: platform.organizationId });
    expect(results?.find(({ id }) => id === project?.id)?.name).toBe('from the client');
    expect(client.budget()).toMatchObject({ limit: 1000, remaining: expect.any(Number) as number });
    expect(client.budget()!.resetAt).toBeGreaterThan(Date.now());
  });

  test('an unknown id is not_found, outside the document too, and takes nothing away from others', async () => {
    const { client, platform } = it;
    expect(await apiErrorOf(client.call(operations.get_helm, { helm_id: unknown }))).toMatchObject({
      kind: 'not_found',
      status: 404,
    });
    expect(await apiErrorOf(client.call(operations.get_environment, { environment_id: unknown }))).toMatchObject({
      kind: 'not_found',
    });
    expect(
      (await client.call(operations.get_environment, { environment_id: platform.seed['environment_id']! })).id,
    ).toBe(platform.seed['environment_id']);
  });

  test('a route it does not have is not_offered', async () => {
    const elsewhere = createClient({ baseUrl: `${it.platform.url}/v2`, credential: credentialOf(token) });
    onTestFinished(() => elsewhere.close());
    expect(await apiErrorOf(elsewhere.call(operations.get_environment, { environment_id: unknown }))).toMatchObject({
      kind: 'not_offered',
    });
  });

  test('a wrong body is invalid_input in its words, a wrong token unauthorized', async () => {
    const { client, platform } = it;
    const error = await apiErrorOf(
      client.call(operations.create_project, { organization_id: platform.organizationId, name: '' }),
    );
    expect(error).toMatchObject({
      kind: 'invalid_input',
      status: 400,
      detail: expect.stringContaining('name') as string,
    });
    const stranger = { credential: credentialOf('some-other-token') };
    expect(await apiErrorOf(client.call(operations.get_organization, {}, stranger))).toMatchObject({
      kind: 'unauthorized',
      status: 401,
    });
  });
});

test('over its limit it says when to come back', async () => {
  const { client, stop } = await start({ rateLimit: 2, rateWindowSeconds: 3600 });
  onTestFinished(stop);
  await client.call(operations.get_organization, {});
  await client.call(operations.get_organization, {});
  expect(client.budget()).toMatchObject({ limit: 2, remaining: 0 });
  const error = await apiErrorOf(client.call(operations.get_organization, {}));
  expect(error).toMatchObject({ kind: 'rate_limited', status: 429 });
  expect(error.retryAt).toBeGreaterThan(Date.now());
});
