import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { connectorsTo } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';

const acme = '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e';
const beta = '1c8e4d2f-6a1b-4d4f-8e66-1b7d2c3e4f50';
const shopOf = { [acme]: '2d7f5e3a-7b2c-4e5a-9f77-2c8e3d4f5a61', [beta]: '3e6a4f2b-8c3d-4f6b-8a88-3d9f4e5a6b72' };
const stage = '4f5b3a1c-9d4e-4a7c-9b99-4eaf5f6b7c83';
const cluster = '5a6c4b2d-0e5f-4b8d-8caa-5fb06a7c8d94';
const opened: { close: () => unknown }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** What a platform answers to a token of two organizations, each with a project of the same name. */
function answerTo(path: string): unknown {
  if (path === '/organization')
    return {
      results: [
        { id: acme, name: 'Acme' },
        { id: beta, name: 'Beta' },
      ],
    };
  const [, kind, id = '', list] = path.split('/');
  if (kind === 'organization' && list === 'project')
    return { results: [{ id: shopOf[id as typeof acme], name: 'shop' }] };
  if (kind === 'organization' && list === 'cluster') return { results: [] };
  if (kind === 'environment' && id === stage && list === undefined)
    return { id: stage, name: 'stage', mode: 'STAGING', cluster_id: cluster };
  if (kind === 'project' && list === 'environment')
    return { results: id === shopOf[beta] ? [{ id: stage, name: 'stage', mode: 'STAGING' }] : [] };
  return undefined;
}

/** A client of a server for that token, and the requests of the server. */
async function twoOrganizations(
  organization?: string,
): Promise<{ readonly client: TestClient; readonly requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!;
    requests.push(`${request.method} ${path}`);
    const body = request.method === 'POST' ? { id: stage, name: 'made' } : answerTo(path);
    request.resume();
    response
      .writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(body ?? 'no such page'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connectors = connectorsTo(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    'the-token-of-this-test',
    { organization },
  );
  opened.push(connectors, { close: () => new Promise((resolve) => server.close(resolve)) });
  return { client: await connectors.modern(userAnswering(agree)), requests };
}

describe('where a token has several organizations', () => {
  test.each([
    ['list_projects', {}],
    ['get_organization', {}],
    ['find_resource', { name: 'shop' }],
    ['list_environments', { project_id: 'shop' }],
    ['create_project', { name: 'x' }],
  ])('%s asks for the choice, and lists them', async (tool, args) => {
    const { client, requests } = await twoOrganizations();
    const result = await client.call(tool, args);
    expect(failureIn(result)).toMatchObject({ kind: 'api', why: 'unclear_organization' });
    expect(textOf(result)).toMatch(/Acme \(0b9d3c1e[^)]*\), Beta \(1c8e4d2f[^)]*\).*INFRA_ORGANIZATION/s);
    expect(requests.filter((line) => line !== 'GET /organization')).toEqual([]);
  });

  test.each([
    ['stop_environment', { environment_id: stage }],
    ['upgrade_cluster', { cluster_id: cluster }],
    ['lock_cluster', { cluster_id: cluster, reason: 'x', ttl_in_days: 1 }],
    ['deploy_service', { environment: stage }],
  ])('%s asks nobody to agree while the guard can not know, and gives the same reason', async (tool, args) => {
    const { client, requests } = await twoOrganizations();
    const result = await client.call(tool, args);
    expect(failureIn(result), textOf(result)).toMatchObject({ kind: 'api', why: 'unclear_organization' });
    expect(textOf(result)).toMatch(/Acme \(0b9d3c1e[^)]*\), Beta \(1c8e4d2f[^)]*\).*INFRA_ORGANIZATION/s);
    expect(requests.filter((line) => !line.startsWith('GET '))).toEqual([]);
  });

  test.each([['Beta'], [beta]])('the chosen one (%s) is used everywhere', async (choice) => {
    const { client, requests } = await twoOrganizations(choice);
    expect((await client.call('get_organization')).structuredContent).toMatchObject({ id: beta, name: 'Beta' });
    expect(textOf(await client.call('list_environments', { project_id: 'shop' }))).toContain('stage');
    expect((await client.call('create_project', { name: 'x' })).isError).toBeFalsy();
    expect(textOf(await client.call('find_resource', { name: 'stage' }))).toContain('shop/stage');
    expect(requests.filter((line) => line.includes(acme))).toEqual([]);
    expect(requests).toContain(`POST /organization/${beta}/project`);
  });

  test('a call may name another one, by id or name', async () => {
    for (const choice of [undefined, 'Acme']) {
      for (const named of ['Beta', beta]) {
        const { client, requests } = await twoOrganizations(choice);
        expect((await client.call('create_project', { organization_id: named, name: 'x' })).isError).toBeFalsy();
        expect(requests).toContain(`POST /organization/${beta}/project`);
      }
    }
  });

  test('a plan names the organization that is meant', async () => {
    const { client } = await twoOrganizations('Acme');
    const args = {
      organization_id: 'Beta',
      target_url: 'https://hooks.example/in',
      events: ['DEPLOYMENT_FAILED'],
      dry_run: true,
    };
    expect(textOf(await client.call('create_webhook', args))).toContain(`On: organization "Beta" (id ${beta})`);
  });
});
