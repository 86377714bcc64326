import { beforeEach, expect, test } from 'vitest';
import { proxiedForEach } from '../support/connected-platform.ts';
import { textOf, type TestClient, type User } from '../support/mcp-clients.ts';
import { rowsOf, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let user: User;
let client: TestClient;
let bodies: string[];
/** What the histories of services seem to be; as they are where it is undefined. */
let history: ((path: string, rows: readonly Json[]) => readonly Json[]) | undefined;

beforeEach(() => {
  [bodies, history] = [[], undefined];
});
proxiedForEach(
  {
    onBody: (body) => void bodies.push(body),
    alter: (method, path, body) =>
      method === 'GET' && path.includes('/deploymentHistoryV2') && history
        ? { ...(body as Json), results: history(path, (body as { results: Json[] }).results) }
        : body,
  },
  (proxied) => ({ platform, user, client } = proxied),
);

const container = () => ({ container_id: platform.seed['container_id']! });
const helm = () => ({ helm_id: platform.seed['helm_id']! });
const chartOf = (record: Json): Json => (record['source'] as { repository: Json }).repository;

/** Both run something else than what is configured, and are stopped. */
async function stoppedWithOtherVersions(): Promise<{ readonly tag: unknown; readonly chart: unknown }> {
  const [tag, chart] = [
    (await platform.must('get_container', container()))['tag'],
    chartOf(await platform.must('get_helm', helm()))['chart_version'],
  ];
  expect(
    (await client.call('update_container', { container_id: 'shop/staging/search', tag: '99.0.1' })).isError,
  ).toBeFalsy();
  expect(
    (
      await client.call('update_helm', {
        helm_id: 'shop/staging/session-cache',
        source: { helm_repository: { chart_version: '99.1.0' } },
      })
    ).isError,
  ).toBeFalsy();
  const stopped = await client.call('stop_services', { environment: 'shop/staging', wait: true });
  expect(stopped.isError, textOf(stopped)).toBeFalsy();
  return { tag, chart };
}

const question = (): string => user.questions.at(-1)!.message;
const sent = (): Json => JSON.parse(bodies.findLast((body) => body.includes('"containers"')) ?? '{}') as Json;
const latest = async (list: 'list_container_deployments' | 'list_helm_deployments', of: Json): Promise<Json> =>
  rowsOf(await platform.must(list, of))[0]!;

test('what ran is started, not what is configured meanwhile, and the plan names both', async () => {
  const { tag, chart } = await stoppedWithOtherVersions();
  const result = await client.call('start_services', { environment: 'shop/staging', wait: true });
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(question()).toContain(
    `now STOPPED: tag ${String(tag)}, which ran before, and not 99.0.1, which is configured now`,
  );
  expect(question()).toContain(
    `now STOPPED: chart version ${String(chart)}, which ran before, and not 99.1.0, which is configured now`,
  );
  expect(sent()).toMatchObject({
    containers: [{ id: container().container_id, image_tag: tag }],
    helms: [{ id: helm().helm_id, chart_version: chart }],
  });
  expect(await latest('list_container_deployments', container())).toMatchObject({
    status: 'DEPLOYED',
    details: { image: { tag } },
  });
  expect(await latest('list_helm_deployments', helm())).toMatchObject({
    status: 'DEPLOYED',
    details: { repository: { chart_version: chart } },
  });
  // The version that a deployment names is the configured one from then on.
  expect(await platform.must('get_container', container())).toMatchObject({ tag });
  expect(chartOf(await platform.must('get_helm', helm()))).toMatchObject({ chart_version: chart });
});

test('a deployment that failed is not what ran', async () => {
  const { tag } = await stoppedWithOtherVersions();
  history = (path, [stop, ...others]) =>
    path.startsWith('/container/')
      ? [
          stop!,
          {
            ...others[0]!,
            status: 'DEPLOYMENT_ERROR',
            details: { image: { ...(others[0]!['details'] as { image: Json }).image, tag: '98.0.0' } },
          },
          ...others,
        ]
      : [stop!, ...others];
  const text = textOf(await client.call('start_services', { environment: 'shop/staging', dry_run: true }));
  expect(text).toContain(`tag ${String(tag)}, which ran before`);
  expect(text).not.toContain('98.0.0');
});

test('where the history does not tell, what is configured is started, and the plan says so', async () => {
  await stoppedWithOtherVersions();
  history = () => [];
  const result = await client.call('start_services', { environment: 'shop/staging', wait: true });
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(question()).toContain(
    'now STOPPED: tag 99.0.1, as it is configured, because the history does not tell what ran before.',
  );
  expect(question()).toContain(
    'now STOPPED: chart version 99.1.0, as it is configured, because the history does not tell what ran before.',
  );
  expect(sent()).toMatchObject({ containers: [{ id: container().container_id }], helms: [{ id: helm().helm_id }] });
  expect(JSON.stringify(sent())).not.toMatch(/image_tag|chart_version/);
  expect(await latest('list_container_deployments', container())).toMatchObject({
    details: { image: { tag: '99.0.1' } },
  });
});

test('where another image ran, its tag is not put onto the configured one', async () => {
  await stoppedWithOtherVersions();
  history = (path, rows) =>
    path.startsWith('/container/')
      ? rows.map((row) => ({ ...row, details: { image: { image_name: 'acme/elsewhere', tag: '7' } } }))
      : rows;
  await client.call('start_services', { environment: 'shop/staging' });
  expect(question()).toMatch(
    /now STOPPED: \S+:99\.0\.1, as it is configured: before, acme\/elsewhere:7 ran, and a start can't name that\./,
  );
  expect(JSON.stringify(sent())).not.toContain('image_tag');
});
