import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { connectedForAll } from '../support/connected-platform.ts';
import type { Connectors } from '../support/connectors.ts';
import { agree, failureIn, type TestClient, textOf, userAnswering } from '../support/mcp-clients.ts';
import type { Json, TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
const user = userAnswering(agree);

connectedForAll((connected) => ({ platform, connectors } = connected));

beforeEach(async () => {
  client = await connectors.modern(user);
});
afterEach(() => void user.questions.splice(0));

async function calling(tool: string, args: Json): Promise<Json> {
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return result.structuredContent as Json;
}

const sourceOf = async (kind: 'job' | 'helm', id: unknown): Promise<Json> =>
  (await platform.must(`get_${kind}`, { [`${kind}_id`]: id }))['source'] as Json;

describe('the registry of a job', () => {
  const image = { image_name: 'library/report', tag: '1.0' };

  test('is given by its name, when the job is made and when it is changed', async () => {
    const { id } = await calling('create_job', {
      environment: 'shop/staging',
      name: 'named',
      source: { image: { ...image, registry_id: 'acme' } },
      schedule: { cronjob: { scheduled_at: '0 3 * * *' } },
    });
    expect(await sourceOf('job', id)).toMatchObject({ image: { registry_id: seedId('registry/acme') } });
    await calling('update_job', { job: id, source: { image: { registry_id: 'docker-hub' } } });
    expect(await sourceOf('job', id)).toEqual({ image: { ...image, registry_id: seedId('registry/docker-hub') } });
    await calling('update_job', { job: id, source: { image: { registry: 'acme' } } });
    expect(await sourceOf('job', id)).toMatchObject({ image: { registry_id: seedId('registry/acme') } });
  });

  test('is said to be unknown with what there is', async () => {
    const result = await client.call('create_job', {
      environment: 'shop/staging',
      name: 'unknown',
      source: { image: { ...image, registry_id: 'nowhere' } },
      schedule: { cronjob: { scheduled_at: '0 3 * * *' } },
    });
    expect(failureIn(result)).toEqual({ kind: 'bad_address', why: 'unknown', outcome: 'failed' });
    expect(textOf(result)).toMatch(/"nowhere"[\s\S]*docker-hub/);
    expect(user.questions).toEqual([]);
  });

  test('is refused where it is no text at all', async () => {
    const result = await client.call('create_job', {
      environment: 'shop/staging',
      name: 'odd',
      source: { image: { ...image, registry_id: 7 } },
      schedule: { cronjob: { scheduled_at: '0 3 * * *' } },
    });
    expect(textOf(result)).toContain('"source.image.registry_id"');
  });
});

describe('the source of a Helm release', () => {
  const helm = { helm: 'shop/staging/session-cache' };
  const shown = async (): Promise<Json> => (await calling('get_helm', helm))['source'] as Json;

  test('is taken as get_helm shows it, whole or in part', async () => {
    const before = (await shown()) as { repository: Json };
    await calling('update_helm', {
      ...helm,
      source: { repository: { ...before.repository, chart_version: '99.1.0' } },
    });
    expect(await shown()).toEqual({ repository: { ...before.repository, chart_version: '99.1.0' } });
    const { changes } = await calling('update_helm', { ...helm, source: { repository: { chart_version: '99.2.0' } } });
    expect(changes).toEqual(['source.helm_repository.chart_version: 99.1.0 → 99.2.0']);
    expect(await shown()).toEqual({ repository: { ...before.repository, chart_version: '99.2.0' } });
    expect(textOf(await client.call('update_helm', { ...helm, source: await shown() }))).toMatch(/^There is nothing/);
  });

  test('has its repository by name', async () => {
    await calling('update_helm', { ...helm, source: { helm_repository: { repository: 'private-charts' } } });
    expect(await shown()).toMatchObject({ repository: { repository: { id: seedId('helm-repository/private') } } });
    await calling('update_helm', {
      ...helm,
      source: { repository: { repository: { id: seedId('helm-repository/charts') } } },
    });
    expect(await shown()).toMatchObject({ repository: { repository: { id: seedId('helm-repository/charts') } } });
  });

  test('is refused under both names at once', async () => {
    const result = await client.call('update_helm', {
      ...helm,
      source: { repository: { chart_version: '1' }, helm_repository: { chart_version: '2' } },
    });
    expect(result.isError, textOf(result)).toBe(true);
    expect(user.questions).toEqual([]);
  });
});
