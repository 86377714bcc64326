import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { connectClient, ids, startStubServer, type StubResponse } from '../client/stub-server.ts';

type Body = Record<string, unknown>;

const id = '66666666-6666-4666-8666-666666666666';
const created: StubResponse = { status: 201, body: { id } };
const refusal = (message: string): StubResponse => ({ status: 400, body: { message } });

/** A client of a server, with what it was sent. */
async function platform(answer: (request: { target: string; body: Body }) => StubResponse) {
  const sent: { target: string; body: Body }[] = [];
  const { url } = await startStubServer(({ url: target, body }) => {
    const request = { target, body: (body === '' ? {} : JSON.parse(body)) as Body };
    sent.push(request);
    return answer(request);
  });
  return { client: connectClient(url), sent };
}

const environment = { project_id: id, name: 'live', mode: 'STAGING', cluster_id: ids.cluster } as const;
const application = {
  environment_id: id,
  name: 'shop',
  git_repository: { url: 'https://git.example.com/team/web/shop.git', branch: 'main' },
} as const;

describe.each(['cluster', 'cluster_id'])(
  'a platform that knows only the name %s of two, and never says so',
  (known) => {
    const unknown = known === 'cluster' ? 'cluster_id' : 'cluster';
    const strict = () =>
      platform(({ body }) => {
        if (Object.hasOwn(body, unknown)) return refusal('must NOT have additional properties');
        return Object.hasOwn(body, known) ? created : refusal('a required property is missing');
      });

    test('gets that one, and from then on at once', async () => {
      const { client, sent } = await strict();
      expect(await client.call(operations.create_environment, environment)).toMatchObject({ id });
      expect(sent.at(-1)?.body).toEqual({ name: 'live', mode: 'STAGING', [known]: ids.cluster });
      const before = sent.length;
      await client.call(operations.create_environment, { ...environment, name: 'next' });
      expect(sent.slice(before).map(({ body }) => body)).toEqual([
        { name: 'next', mode: 'STAGING', [known]: ids.cluster },
      ]);
    });
  },
);

test('a refusal that names no member stays the one that is reported, if other words are refused too', async () => {
  const { client } = await platform(({ body }) =>
    refusal(Object.hasOwn(body, 'cluster_id') ? 'must NOT have additional properties' : 'cluster_id is required'),
  );
  await expect(client.call(operations.create_environment, environment)).rejects.toMatchObject({
    detail: expect.stringContaining('additional properties') as string,
  });
});

test.each([
  ['https://git.example.com/team/web/shop.git', 'team/web'],
  ['git@git.example.com:team/shop.git', 'team'],
  ['ssh://git@git.example.com:2222/team/shop/', 'team'],
])('the owner and the name of %s are sent where they are demanded, and then at once', async (url, owner) => {
  const { client, sent } = await platform(({ body }) => {
    const repository = body['git_repository'] as Body;
    const missing = ['owner', 'name'].filter((name) => repository[name] === undefined);
    return missing.length === 0
      ? created
      : refusal(missing.map((name) => `git_repository.${name}: is required`).join('; '));
  });
  const asked = { ...application, git_repository: { ...application.git_repository, url } };
  for (const requests of [2, 3]) {
    await client.call(operations.create_application, asked);
    expect(sent).toHaveLength(requests);
    expect(sent.at(-1)?.body['git_repository']).toMatchObject({ url, branch: 'main', owner, name: 'shop' });
  }
});

test('a name that is demanded of the application itself is not one of its repository', async () => {
  const { client, sent } = await platform(() => refusal('name: must be unique'));
  await expect(client.call(operations.create_application, application)).rejects.toThrow();
  expect(sent).toHaveLength(1);
});

const withoutPages = (target: string): StubResponse =>
  target.includes('page') ? refusal('unknown query parameter page') : { status: 200, body: { results: [] } };

describe('a page that is refused for one list', () => {
  const page = { page: 1, page_size: 50 } as const;
  const projects = { organization_id: ids.organization, ...page };
  const variables = { application_id: id, ...page };
  test('is not asked of the others', async () => {
    const { client, sent } = await platform(({ target }) => withoutPages(target));
    await client.call(operations.list_projects, projects);
    expect(sent.splice(0)).toHaveLength(2);
    await client.call(operations.list_environment_variables, variables);
    expect(sent.map(({ target }) => target.includes('page'))).toEqual([false]);
  });

  test('unless one of them shows that it has pages', async () => {
    const paged = { results: [], pagination: { page: 1, page_size: 20, total_count: 0, total_pages: 0 } };
    const { client, sent } = await platform(({ target }) =>
      target.includes('Variable') ? { status: 200, body: paged } : withoutPages(target),
    );
    await client.call(operations.list_projects, projects);
    sent.splice(0);
    for (const expected of [[false, true], [true]]) {
      await client.call(operations.list_environment_variables, variables);
      expect(sent.splice(0).map(({ target }) => target.includes('page='))).toEqual(expected);
    }
  });
});
