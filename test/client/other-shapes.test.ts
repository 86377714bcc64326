import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { apiErrorOf, connectClient, ids, startStubServer } from './stub-server.ts';

type Rows = readonly object[];
type AnswerTo = (query: URLSearchParams) => unknown;

/** A client of a server that answers every request so. */
async function clientOf(answer: AnswerTo) {
  const server = await startStubServer(({ url }) => {
    const body = answer(new URL(url, 'http://stub').searchParams);
    return typeof body === 'number' ? { status: body, body: { message: 'pageSize is too large' } } : { body };
  });
  return {
    client: connectClient(server.url),
    requests: () => server.requests.map(({ url }) => url.split('?')[1] ?? ''),
  };
}

const numbered = (count: number): Rows =>
  Array.from({ length: count }, (_, index) => ({
    id: `row-${index + 1}`,
    name: `row ${index + 1}`,
    message: `line ${index + 1}`,
  }));
const idsOf = (answer: object | undefined): unknown[] =>
  (answer as { results: { id: unknown }[] }).results.map(({ id }) => id);

const record = (more: object) => ({
  type: 'Info',
  timestamp: '2026-11-20T10:00:00Z',
  details: {
    execution_id: 'run-7',
    transmitter: { id: ids.environment, name: 'api', type: 'Application' },
    stage: { step: 'Deploy', id: null, name: null },
  },
  ...more,
});

const readLog = async (body: unknown) => {
  const { client } = await clientOf(() => body);
  return (await client.call(operations.get_environment_logs, { environment_id: ids.environment })).results;
};

const readPage = (answer: AnswerTo, input: object) =>
  clientOf(answer).then(async ({ client, requests }) => ({
    answer: await client.call(operations.list_projects, { organization_id: ids.organization, ...input }),
    requests: requests(),
  }));

const readHistory = (answer: AnswerTo, input: object = {}) =>
  clientOf(answer).then(async ({ client, requests }) => ({
    answer: (await client.call(operations.list_job_deployments, { job_id: ids.environment, ...input })) as {
      results: object[];
    },
    requests: requests(),
  }));

const strict: AnswerTo = (query) => (['page', 'page_size', 'tail'].some((name) => query.has(name)) ? 400 : numbered(5));

const newest: AnswerTo = (query) => ({ results: numbered(30).slice(0, Number(query.get('pageSize') ?? 20)) });

const longer: AnswerTo = (query) => (query.has('page') ? 400 : newest(query));

const endsBeforeNine: AnswerTo = (query) =>
  query.get('page') === '9'
    ? 400
    : {
        results: numbered(2),
        pagination: { page: Number(query.get('page') ?? 1), page_size: 2, total_count: 4, total_pages: 2 },
      };

const atMostSix: AnswerTo = (query) =>
  Number(query.get('pageSize')) > 6 || query.get('page') === '2'
    ? 400
    : { ...(newest(query) as object), page: Number(query.get('page') ?? 1) };

describe("an environment's log", () => {
  test('as records becomes lines', async () => {
    expect(
      await readLog([record({ message: { safe_message: 'Pulling image', full_details: 'internal' }, error: null })]),
    ).toEqual([
      expect.objectContaining({
        created_at: '2026-11-20T10:00:00Z',
        message: 'Pulling image',
        step: 'Deploy',
        service_id: ids.environment,
        service_name: 'api',
        deployment_request_id: 'run-7',
        level: 'Info',
      }),
    ]);
  });

  test('shows what an error tells, once, and nothing that is not safe', async () => {
    const error = {
      tag: 'X',
      user_log_message: 'Image could not be pulled',
      hint_message: 'Check the tag',
      underlying_error: { message: 'manifest unknown', full_details: 'password=x' },
    };
    const [line] = (await readLog([record({ message: { safe_message: 'Image could not be pulled' }, error })])) ?? [];
    expect(line).toMatchObject({
      level: 'error',
      message: 'Image could not be pulled\nmanifest unknown\nHint: Check the tag',
    });
  });

  test('as rows stays as it is', async () => {
    const row = {
      id: 'l-1',
      created_at: '2026-11-20T10:00:00Z',
      message: 'ready',
      step: 'DEPLOYMENT',
      service_id: ids.environment,
      deployment_request_id: 'd-1',
    };
    expect(await readLog({ results: [row] })).toEqual([row]);
  });

  test('whose rows tell a type has it as their level', async () => {
    const row = { message: 'could not connect', type: 'ERROR' };
    expect(
      await readLog({ results: [row, { ...row, level: 'warn' }, { message: 'ready', type: null }] }),
    ).toMatchObject([{ level: 'ERROR' }, { level: 'warn' }, { message: 'ready' }]);
  });

  test.each([[[1, 2]], ['lines'], [{ results: 'none' }]])(
    'that is something else can not be read: %j',
    async (body) => {
      const { client } = await clientOf(() => body);
      expect(
        await apiErrorOf(client.call(operations.get_environment_logs, { environment_id: ids.environment })),
      ).toMatchObject({ kind: 'bad_answer' });
    },
  );

  test('is cut to the newest lines where the platform always answers all', async () => {
    const { client, requests } = await clientOf(() => ({ results: numbered(9) }));
    expect(
      idsOf(await client.call(operations.get_application_logs, { application_id: ids.environment, tail: 2 })),
    ).toEqual(['row-8', 'row-9']);
    expect(requests()).toHaveLength(1);
  });
});

test("the kind of an alert rule's target has no space before it, in a list and by itself", async () => {
  const rule = {
    id: ids.environment,
    name: 'nodes are full',
    target: { target_type: ' CLUSTER', target_id: ids.organization },
  };
  const { client } = await clientOf(() => ({ results: [rule, { name: 'without a target' }] }));
  expect(
    (
      await client.call(
        operations.list_alert_rules,
        { organization_id: ids.organization },
        { onResponseIssue: () => undefined },
      )
    ).results,
  ).toMatchObject([{ target: { target_type: 'CLUSTER', target_id: ids.organization } }, { name: 'without a target' }]);
  const alone = await clientOf(() => rule);
  expect(
    await alone.client.call(
      operations.get_alert_rule,
      { alert_rule_id: ids.environment },
      { onResponseIssue: () => undefined },
    ),
  ).toMatchObject({ target: { target_type: 'CLUSTER' } });
});

describe('a page of a list', () => {
  test('is cut from the whole list where the platform ignores pages', async () => {
    const { answer, requests } = await readPage(() => numbered(5), { page: 2, page_size: 2 });
    expect(idsOf(answer)).toEqual(['row-3', 'row-4']);
    expect(answer?.pagination).toEqual({ page: 2, page_size: 2, total_count: 5, total_pages: 3 });
    expect(requests).toHaveLength(1);
  });

  test('after the last is empty, not the first again', async () => {
    const { answer } = await readPage(() => numbered(5), { page: 2, page_size: 10 });
    expect(answer).toMatchObject({ results: [], pagination: { page: 2, total_count: 5, total_pages: 1 } });
  });

  test('is what the platform answers, if it heeds pages without saying so', async () => {
    const { answer } = await readPage((query) => (query.get('page') === '2' ? numbered(7).slice(5) : numbered(5)), {
      page: 2,
      page_size: 5,
    });
    expect(idsOf(answer)).toEqual(['row-6', 'row-7']);
  });

  test('is what the platform answers, if it says which page it is', async () => {
    const paged = { results: numbered(2), pagination: { page: 2, page_size: 2, total_count: 4, total_pages: 2 } };
    const { answer, requests } = await readPage(() => paged, { page: 2, page_size: 2 });
    expect(answer).toEqual(paged);
    expect(requests).toHaveLength(1);
  });
});

describe('a platform that refuses to be asked for a part', () => {
  test('is asked for all of a list or log', async () => {
    const { answer } = await readPage(strict, { page: 2, page_size: 2 });
    expect(idsOf(answer)).toEqual(['row-3', 'row-4']);
    const { client } = await clientOf(strict);
    expect(
      idsOf(await client.call(operations.get_application_logs, { application_id: ids.environment, tail: 2 })),
    ).toEqual(['row-4', 'row-5']);
  });

  test('is asked for all at once from the second time on', async () => {
    const { client, requests } = await clientOf(strict);
    const read = async (tail: number) =>
      idsOf(await client.call(operations.get_application_logs, { application_id: ids.environment, tail }));
    expect([await read(2), await read(1)]).toEqual([['row-4', 'row-5'], ['row-5']]);
    expect(requests()).toEqual(['tail=2', '', '']);
  });

  test('is asked for parts all the same, if only one page was refused', async () => {
    const { client, requests } = await clientOf(endsBeforeNine);
    for (const page of [9, 2])
      await client.call(operations.list_projects, { organization_id: ids.organization, page, page_size: 2 });
    expect(requests()).toEqual(['page=9&page_size=2', '', 'page=2&page_size=2']);
  });

  test('is asked for a page of a history where it refuses as many rows in one', async () => {
    const { client, requests } = await clientOf(atMostSix);
    for (const page of [2, 3])
      await client.call(operations.list_job_deployments, { job_id: ids.environment, page, page_size: 3 });
    expect(requests()).toEqual(['page=2&pageSize=3', 'pageSize=6', 'pageSize=9', 'page=3&pageSize=3']);
  });

  test('is asked for more of a history, whose first page needs no page', async () => {
    const { answer, requests } = await readHistory(longer, { page: 1, page_size: 3 });
    expect([idsOf(answer).length, requests]).toEqual([3, ['pageSize=3']]);
    expect(idsOf((await readHistory(longer, { page: 2, page_size: 3 })).answer)).toEqual(['row-4', 'row-5', 'row-6']);
  });
});

describe('a history', () => {
  test('without pages is asked for more rows instead of a page', async () => {
    const { answer, requests } = await readHistory(newest, { page: 2, page_size: 10 });
    expect(idsOf(answer)).toEqual(
      numbered(30)
        .slice(10, 20)
        .map((row) => (row as { id: string }).id),
    );
    expect(answer).toMatchObject({ without_pages: true, page_size: 10 });
    expect(requests.at(-1)).toBe('pageSize=20');
  });

  test('whose older rows are refused has none of the first page', async () => {
    const { answer } = await readHistory((query) => (Number(query.get('pageSize')) > 10 ? 400 : newest(query)), {
      page: 2,
      page_size: 10,
    });
    expect(answer).toMatchObject({ results: [], without_pages: true });
  });

  test('whose services are rows of their own histories has their names', async () => {
    const identifier = { name: 'api', service_id: 's-1', service_type: 'CONTAINER', execution_id: 'e-1' };
    const { answer } = await readHistory(() => ({
      results: [
        {
          services: [
            { identifier, status: 'DEPLOYED', details: {} },
            { service_id: 's-2', name: 'web', service_type: 'HELM', status: 'STOPPED' },
          ],
        },
      ],
    }));
    expect(answer.results).toMatchObject([
      {
        services: [
          { service_id: 's-1', name: 'api', service_type: 'CONTAINER', status: 'DEPLOYED' },
          { service_id: 's-2', name: 'web', service_type: 'HELM', status: 'STOPPED' },
        ],
      },
    ]);
  });

  test('with the schedule of a cron job under another name is read alike', async () => {
    const cron_job = { scheduled_at: '0 3 * * *', timezone: 'Etc/UTC' };
    const { answer } = await readHistory(() => ({
      results: [
        { identifier: { execution_id: 'e-1' }, details: { image_name: 'a', tag: '1', schedule: { cron_job } } },
      ],
    }));
    expect(answer.results).toMatchObject([{ details: { image: { tag: '1' }, schedule: { cronjob: cron_job } } }]);
  });

  test('with image, action and services elsewhere is read alike', async () => {
    const { answer } = await readHistory(() => ({
      results: [
        { identifier: { execution_id: 'e-1' }, details: { image_name: 'shop/api', tag: '1.2' } },
        {
          identifier: { execution_id: 'e-2' },
          trigger_action: 'DEPLOY',
          action_status: 'ERROR',
          stages: [
            {
              name: 'one',
              services: [
                {
                  identifier: { name: 'api', service_id: 's-1', service_type: 'CONTAINER' },
                  status: 'DEPLOYED',
                  details: { image_name: 'shop/api', tag: '1.2' },
                },
              ],
            },
            { name: 'two' },
          ],
        },
      ],
    }));
    expect(answer.results).toMatchObject([
      { details: { image: { image_name: 'shop/api', tag: '1.2' } } },
      {
        status_details: { action: 'DEPLOY', status: 'ERROR' },
        services: [
          {
            service_id: 's-1',
            name: 'api',
            service_type: 'CONTAINER',
            status: 'DEPLOYED',
            details: { image: { image_name: 'shop/api', tag: '1.2' } },
          },
        ],
      },
    ]);
  });
});
