import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
const opened: { close: () => unknown }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
afterAll(() => platform.close());

const services = /^\/(?:application|container)\/[^/]+\/environmentVariable\/[^/]+$/;

/**
 * The embedded platform behind a proxy that answers so where a variable is changed, at its environment and at its
 * service, and to reads of these paths.
 */
async function answering({
  environment = 404,
  service,
  unread,
}: { environment?: number | 'as it is'; service?: number; unread?: () => RegExp | undefined } = {}): Promise<
  Connectors & Pick<RecordingProxy, 'writes'> & { readonly bodies: readonly Json[] }
> {
  const bodies: Json[] = [];
  const proxy = await startRecordingProxy(platform.url, {
    onBody: (body) => void (body && bodies.push(JSON.parse(body) as Json)),
    beforeRequest: async (method, request, response) => {
      if (method === 'GET' && unread?.()?.test(request.url!.split('?')[0]!))
        response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"no"}');
      if (environment === 'as it is') return;
      const status = request.url!.startsWith('/environment/')
        ? environment
        : services.test(request.url!)
          ? service
          : undefined;
      if (method !== 'PUT' || status === undefined) return;
      const id = request.url!.split('/').at(-1);
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(
          JSON.stringify({
            status,
            error: 'E',
            message: `${request.url!.split('/')[1]}: no environment variable ${id}`,
          }),
        );
    },
  });
  const connectors = connectorsTo(proxy.url, platform.token);
  opened.push(connectors, proxy);
  return { ...connectors, writes: proxy.writes, bodies };
}

const idOf = async (
  list: 'list_environment_variables' | 'list_variables_of_container',
  kind: string,
  key: string,
): Promise<string> => {
  const { results } = (await platform.must(list, { [`${kind}_id`]: platform.seed[`${kind}_id`] })) as {
    results: Json[];
  };
  return String(results.find((row) => row['key'] === key && row['scope'] === kind.toUpperCase())!['id']);
};
const atEnvironment = (id: string) => `PUT /environment/${platform.seed['environment_id']}/environmentVariable/${id}`;
const atService = (kind: string, id: string) => `PUT /${kind}/${platform.seed[`${kind}_id`]}/environmentVariable/${id}`;

const ofApplication = (value: string) =>
  [
    'set_environment_variables',
    { application: platform.seed['application_id'], variables: { PAYMENT_PROVIDER: value } },
  ] as const;
const paymentProvider = () => idOf('list_environment_variables', 'application', 'PAYMENT_PROVIDER');

describe("where a platform has a service's variables at the service only", () => {
  test('one of an application is changed there, at once from the second time on', async () => {
    const { modern, writes } = await answering();
    const client = await modern(userAnswering(agree));
    for (const value of ['one', 'two']) {
      const result = await client.call(...ofApplication(value));
      expect(result.isError, textOf(result)).toBeFalsy();
      expect(result.structuredContent).toMatchObject({
        results: [{ key: 'PAYMENT_PROVIDER', how: 'changed', scope: 'APPLICATION' }],
      });
    }
    const id = await paymentProvider();
    expect(writes()).toEqual([atEnvironment(id), atService('application', id), atService('application', id)]);
  });

  test('one of a container is, too', async () => {
    const { modern, writes } = await answering();
    const result = await (
      await modern(userAnswering(agree))
    ).call('set_environment_variables', {
      container: platform.seed['container_id'],
      variables: { REGION: 'eu-north-1' },
    });
    expect(result.isError, textOf(result)).toBeFalsy();
    const id = await idOf('list_variables_of_container', 'container', 'REGION');
    expect(writes()).toEqual([atEnvironment(id), atService('container', id)]);
  });

  test('one that is given by its path is, too', async () => {
    const { modern, writes } = await answering();
    const args = {
      environment_id: 'shop/staging',
      environment_variable_id: 'shop/staging/checkout-api/PAYMENT_PROVIDER',
      key: 'PAYMENT_PROVIDER',
      value: 'by path',
    };
    const result = await (await modern(userAnswering(agree))).call('update_environment_variable', args);
    expect(result.isError, textOf(result)).toBeFalsy();
    const id = await paymentProvider();
    expect(writes()).toEqual([atEnvironment(id), atService('application', id)]);
  });

  test('somebody is asked once, about both requests', async () => {
    const { modern } = await answering();
    const user = userAnswering(agree);
    await (await modern(user)).call(...ofApplication('asked'));
    const id = await paymentProvider();
    expect(user.questions).toHaveLength(1);
    expect(user.questions[0]!.message).toContain(atEnvironment(id));
    expect(user.questions[0]!.message).toContain(
      `If the platform has it only at its application: ${atService('application', id)} instead, with the same body.`,
    );
  });
});

test.each([400, 403, 409])(
  'nothing else is sent after a %i, which does not say that it is not there',
  async (environment) => {
    const { modern, writes } = await answering({ environment });
    expect((await (await modern(userAnswering(agree))).call(...ofApplication(`after ${environment}`))).isError).toBe(
      true,
    );
    expect(writes()).toEqual([atEnvironment(await paymentProvider())]);
  },
);

test('what neither has is reported as the environment has it not', async () => {
  const { modern, writes } = await answering({ service: 404 });
  const result = await (await modern(userAnswering(agree))).call(...ofApplication('nowhere'));
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('environment: no environment variable');
  expect(writes()).toHaveLength(2);
});

test("an environment's own variable is sought nowhere else", async () => {
  const { modern, writes } = await answering();
  const result = await (
    await modern(userAnswering(agree))
  ).call('set_environment_variables', {
    environment: platform.seed['environment_id'],
    variables: { LOG_LEVEL: 'trace' },
  });
  expect(result.isError).toBe(true);
  expect(writes()).toEqual([atEnvironment(platform.seed['environment_variable_id']!)]);
});

test('an inherited variable that a path through a service names is changed at its environment only', async () => {
  const { modern, writes } = await answering();
  const args = {
    environment_id: 'shop/staging',
    environment_variable_id: 'shop/staging/checkout-api/LOG_LEVEL',
    value: 'trace',
  };
  expect((await (await modern(userAnswering(agree))).call('update_environment_variable', args)).isError).toBe(true);
  expect(writes()).toEqual([atEnvironment(platform.seed['environment_variable_id']!)]);
});

const inStaging = (path: string, change: Json) =>
  [
    'update_environment_variable',
    { environment_id: 'shop/staging', environment_variable_id: `shop/staging/${path}`, ...change },
  ] as const;

describe("what one of a service's variables is now is read at the service", () => {
  beforeAll(() =>
    platform.must('create_environment_variable', {
      application_id: platform.seed['application_id'],
      key: 'SETTINGS',
      value: 'a: 1',
      mount_path: '/etc/settings.yaml',
      description: 'of the checkout',
    }),
  );

  test('so that only what changes is given, and the rest stays', async () => {
    const { modern, writes, bodies } = await answering({ environment: 'as it is' });
    const user = userAnswering(agree);
    const result = await (await modern(user)).call(...inStaging('checkout-api/SETTINGS', { value: 'a: 2' }));
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(writes()).toEqual([atEnvironment(await idOf('list_environment_variables', 'application', 'SETTINGS'))]);
    expect(bodies.at(-1)).toEqual({
      key: 'SETTINGS',
      value: 'a: 2',
      mount_path: '/etc/settings.yaml',
      description: 'of the checkout',
    });
    expect(result.structuredContent).toMatchObject({ changes: ['value: a: 1 → a: 2'] });
    expect(user.questions.map(({ message }) => message).join()).toContain('value: a: 1 → a: 2');
    expect(user.questions[0]!.message).not.toContain('Not known');
  });

  test('of a container and of a job, too', async () => {
    const { modern, bodies } = await answering({ environment: 'as it is' });
    const client = await modern(userAnswering(agree));
    const { results } = (await platform.must('list_variables_of_job', { job_id: platform.seed['job_id'] })) as {
      results: Json[];
    };
    const ofJob = results.find(({ scope, variable_type: type }) => scope === 'JOB' && type === 'VALUE')!;
    const path = `${String(ofJob['service_name'])}/${String(ofJob['key'])}`;
    // The path of the container's stands for the project's too: the answer tells the ids.
    expect(failureIn(await client.call(...inStaging('search/REGION', { description: 'said again' })))).toMatchObject({
      kind: 'bad_address',
      why: 'ambiguous',
    });
    const ofContainer = await idOf('list_variables_of_container', 'container', 'REGION');
    for (const [reference, key] of [
      [ofContainer, 'REGION'],
      [`shop/staging/${path}`, ofJob['key']],
    ] as const) {
      const result = await client.call('update_environment_variable', {
        environment_id: 'shop/staging',
        environment_variable_id: reference,
        description: 'said again',
      });
      expect(result.isError, textOf(result)).toBeFalsy();
      expect(bodies.at(-1)).toMatchObject({ key, description: 'said again' });
    }
  });

  test('and nothing is sent, nor anybody asked, where it is so already', async () => {
    const { modern, writes } = await answering({ environment: 'as it is' });
    const user = userAnswering(agree);
    const result = await (
      await modern(user)
    ).call(...inStaging('checkout-api/SETTINGS', { description: 'of the checkout' }));
    expect(result.isError, textOf(result)).toBeFalsy();
    expect([writes(), user.questions]).toEqual([[], []]);
  });

  test('by its id, once a list has shown it', async () => {
    const { modern, bodies } = await answering({ environment: 'as it is' });
    const client = await modern(userAnswering(agree));
    await client.call('list_environment_variables', { application_id: 'shop/staging/checkout-api' });
    const id = await idOf('list_environment_variables', 'application', 'SETTINGS');
    const result = await client.call('update_environment_variable', {
      environment_id: 'shop/staging',
      environment_variable_id: id,
      value: 'a: 3',
    });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(bodies.at(-1)).toMatchObject({ key: 'SETTINGS', mount_path: '/etc/settings.yaml' });
  });

  test('one that another system holds is refused before anybody is asked', async () => {
    const { modern, writes } = await answering({ environment: 'as it is' });
    const { results } = (await platform.must('list_environment_variables', {
      application_id: platform.seed['application_id'],
    })) as { results: Json[] };
    const { key } = results.find((row) => row['variable_type'] === 'EXTERNAL_SECRET')!;
    const user = userAnswering(agree);
    const result = await (await modern(user)).call(...inStaging(`checkout-api/${String(key)}`, { key, value: 'x' }));
    expect(textOf(result)).toContain('its value is held by another system');
    expect([result.isError, writes(), user.questions]).toEqual([true, [], []]);
  });

  test('where neither list can be read any more, nobody is told to give a path in vain', async () => {
    let unread: RegExp | undefined;
    const { modern, writes } = await answering({ environment: 'as it is', unread: () => unread });
    const client = await modern(userAnswering(agree));
    const id = await idOf('list_environment_variables', 'application', 'SETTINGS');
    const args = { environment_id: platform.seed['environment_id'], environment_variable_id: id, value: 'a: 4' };
    unread = /environmentVariable$/;
    const unknown = textOf(await client.call('update_environment_variable', args));
    expect(unknown).toContain('missing: key');
    expect(unknown).toContain('give its path of names instead of its id');
    unread = undefined;
    await client.call('list_environment_variables', { application_id: 'shop/staging/checkout-api' });
    unread = /environmentVariable$/;
    const known = textOf(await client.call('update_environment_variable', args));
    expect(known).toContain('neither at its application nor where the call says that it is');
    expect(known).not.toContain('path of names');
    expect(writes()).toEqual([]);
  });
});
