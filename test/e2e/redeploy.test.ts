import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
const opened: { close: () => unknown }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
afterAll(() => platform.close());

interface Manner {
  /** Status of a deploy without a version. */
  readonly deploy?: number;
  /** Status of a redeploy, if it is refused. */
  readonly redeploy?: number;
  /** Alters the answers of changes. */
  readonly alter?: (body: Record<string, unknown>) => unknown;
}

/** The embedded platform behind a proxy that wants a version with each deploy. */
async function strict({ deploy = 400, redeploy, alter = (body) => body }: Manner = {}): Promise<
  Connectors & Pick<RecordingProxy, 'writes'>
> {
  let body = '';
  const proxy = await startRecordingProxy(platform.url, {
    onBody: (text) => void (body = text),
    beforeRequest: async (method, request, response) => {
      const status = request.url!.endsWith('/redeploy')
        ? redeploy
        : /^\/(?!environment\/).*\/deploy$/.test(request.url!) && !body
          ? deploy
          : undefined;
      if (method === 'POST' && status !== undefined)
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ status, error: 'E', message: `${request.url!.split('/').at(-1)} needs a version` }));
    },
    alter: (method, _, answer) => (method === 'POST' ? alter(answer as Record<string, unknown>) : answer),
  });
  const connectors = connectorsTo(proxy.url, platform.token);
  opened.push(connectors, proxy);
  return { ...connectors, writes: proxy.writes };
}

const application = (): string => platform.seed['application_id']!;

describe('where a platform wants a version with each deploy', () => {
  test('the same again is redeployed, at once from the second time on, and the answer says so', async () => {
    const { modern, writes } = await strict();
    const client = await modern(userAnswering(agree));
    for (let count = 0; count < 2; count += 1) {
      const result = await client.call('deploy_application', { application_id: application() });
      expect(result.isError, textOf(result)).toBeFalsy();
      expect(textOf(result)).toContain('deployed: its present version');
    }
    const paths = ['deploy', 'redeploy', 'redeploy'].map((last) => `POST /application/${application()}/${last}`);
    expect(writes()).toEqual(paths);
  });

  test.each(['container', 'helm', 'job'])('a %s is redeployed, too', async (kind) => {
    const { modern, writes } = await strict();
    const result = await (
      await modern(userAnswering(agree))
    ).call('deploy_service', { service: platform.seed[`${kind}_id`] });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(writes()).toEqual(
      ['deploy', 'redeploy'].map((last) => `POST /${kind}/${platform.seed[`${kind}_id`]}/${last}`),
    );
  });

  test('somebody is asked once, about both requests', async () => {
    const { modern, writes } = await strict();
    const user = userAnswering(agree);
    const result = await (await modern(user)).call('deploy_service', { service: 'shop/production/search' });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(user.questions).toHaveLength(1);
    expect(user.questions[0]!.message).toMatch(/Sends: POST \/container\/[\w-]+\/deploy$/m);
    expect(user.questions[0]!.message).toMatch(
      /If the platform refuses that without a version: POST \/container\/[\w-]+\/redeploy instead, which deploys its present version again\.$/m,
    );
    expect(writes()).toHaveLength(2);
  });

  test('a deploy that names its commit is sent as it is, and never another', async () => {
    const { modern, writes } = await strict();
    const client = await modern(userAnswering(agree));
    const result = await client.call('deploy_application', {
      application_id: application(),
      git_commit_id: 'abcdef0123456789abcdef0123456789abcdef01',
    });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(textOf(result)).not.toContain('present version');
    expect(writes()).toEqual([`POST /application/${application()}/deploy`]);
  });

  test.each([409, 500])('nothing else is sent after a %i, which is no such refusal', async (deploy) => {
    const { modern, writes } = await strict({ deploy });
    expect(
      (await (await modern(userAnswering(agree))).call('deploy_application', { application_id: application() }))
        .isError,
    ).toBe(true);
    expect(writes()).toEqual([`POST /application/${application()}/deploy`]);
  });

  test.each([400, 404, 405])(
    'the refusal of the deploy is what is reported where the redeploy ends with %i',
    async (redeploy) => {
      const { modern, writes } = await strict({ redeploy });
      const result = await (
        await modern(userAnswering(agree))
      ).call('deploy_application', { application_id: application() });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(redeploy === 404 ? /./ : /(?<!re)deploy needs a version/);
      expect(writes()).toHaveLength(2);
    },
  );
});

const restart = () =>
  [
    'restart_services',
    {
      environment_id: platform.seed['environment_id'],
      application_ids: [application()],
      container_ids: [platform.seed['container_id']],
    },
  ] as const;

describe('a deployment', () => {
  test('is found by its request where the id in the answer is the service', async () => {
    const { modern } = await strict({
      alter: ({ deployment_request_id, state }) => ({ id: application(), state, deployment_request_id }),
    });
    const client = await modern(userAnswering(agree));
    const result = await client.call('deploy_application', { application_id: application(), wait: true });
    expect(result.structuredContent).toMatchObject({ outcome: 'succeeded', service: application() });
    expect(textOf(result)).toContain('present version');
    const accepted = await client.call('deploy_application', { application_id: application() });
    const { application_id, deployment_request_id, id } = accepted.structuredContent as Record<string, string>;
    expect([application_id, id]).toEqual([application(), undefined]);
    const done = await client.call('wait_for_deployment', {
      service: application(),
      deployment_id: deployment_request_id,
    });
    expect(done.structuredContent).toMatchObject({ outcome: 'succeeded', deployment_id: deployment_request_id });
    const byService = await client.call('wait_for_deployment', {
      service: application(),
      deployment_id: application(),
    });
    expect(byService.structuredContent).toMatchObject({ outcome: 'succeeded' });
  });

  test.each<[string, (body: Record<string, unknown>) => unknown, () => readonly [string, Record<string, unknown>]]>([
    ['without a body', () => undefined, () => ['deploy_service', { environment: platform.seed['environment_id'] }]],
    ['with {}', () => ({}), restart],
    ['with one status for several services', (body) => ({ ...body, results: undefined }), restart],
    ['with null', () => null, () => ['stop_environment', { environment_id: platform.seed['environment_id'] }]],
  ])('that is answered %s is followed all the same', async (_, alter, call) => {
    const { modern } = await strict({ alter });
    const [tool, args] = call();
    const result = await (await modern(userAnswering(agree))).call(tool, { ...args, wait: true });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(result.structuredContent).toMatchObject({ outcome: 'succeeded' });
  });
});
