import { afterEach, describe, expect, test } from 'vitest';
import { askerOf, closeAll } from './asking.ts';
import { DIFFERENCES } from './differences.ts';
import type { Members } from './schema.ts';
import { specs } from './seed-services.ts';
import { startOtherPlatform } from './start.ts';
import type { Row } from './store.ts';

afterEach(closeAll);

/** Members that only a platform with more of them takes. */
const WIDER = [
  'ephemeral_storage_in_gib',
  'cpu_architecture',
  'docker_target_build_stage',
  'disk_type',
  'dockerfile_fragment',
];

describe('what it doesn’t document is refused', () => {
  test('unknown and missing members, wrong words, wrong content types and unknown paths', async () => {
    const platform = askerOf(await startOtherPlatform({ token: 'secret' }));
    const path = `/organization/${platform.ids.organization}/project`;
    expect((await platform.post(path, { name: 'x', colour: 'red' })).body).toEqual({
      status: 400,
      error: 'Bad Request',
      message: 'body member colour: is unknown',
    });
    expect((await platform.post(path, {})).body).toMatchObject({ message: 'body member name: is required' });
    expect((await platform.post(path, { name: 4 })).status).toBe(400);
    expect((await platform.get(`${path}?colour=red`)).body).toMatchObject({
      message: 'query parameter colour: is unknown',
    });
    expect((await platform.ask('POST', path, { name: 'x' }, { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await platform.get('/nothing')).status).toBe(404);
    expect((await platform.ask('DELETE', path)).status).toBe(404);
    expect((await platform.get('/project/seven')).status).toBe(400);
    expect((await platform.ask('GET', path, undefined, { authorization: 'Token other' })).status).toBe(401);
    expect(platform.refusals.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 404, 404, 400]);
    expect(platform.requests).toHaveLength(9);
    expect(platform.requests[0]).toMatchObject({
      method: 'POST',
      path,
      body: { name: 'x', colour: 'red' },
      status: 400,
    });
  });

  test('too many requests in an hour', async () => {
    const platform = askerOf(await startOtherPlatform({ token: 'secret', requestsPerHour: 1 }));
    expect([(await platform.get('/organization')).status, (await platform.get('/organization')).status]).toEqual([
      200, 429,
    ]);
  });

  test('a difference that isn’t one', async () => {
    await expect(startOtherPlatform({ token: 'secret', differences: { noSuchThing: true } as object })).rejects.toThrow(
      'noSuchThing',
    );
    expect(Object.values(DIFFERENCES)).toEqual(Array.from({ length: 36 }, (_, index) => index + 1));
  });
});

describe.each(['none', 'all'] as const)('with %s of the differences', (differences) => {
  test('deployments move from queued to running to their end', async () => {
    let now = Date.parse('2026-02-01T10:00:00Z');
    const platform = askerOf(await startOtherPlatform({ token: 'secret', differences, now: () => now }));
    const environment = platform.ids.environments.production;
    await platform.post(`/environment/${environment}/redeploy`);
    const states = async () => {
      const body = (await platform.get(`/environment/${environment}/statuses`)).body as {
        environment: Members;
        applications: Members[];
        containers: Members[];
      };
      return [
        body.environment.state,
        ...body.applications.map(({ state }) => state),
        ...body.containers.map(({ state }) => state),
      ];
    };
    expect(await states()).toEqual(Array.from({ length: 5 }, () => 'DEPLOYMENT_QUEUED'));
    now += 150;
    expect(await states()).toEqual(['DEPLOYING', 'BUILDING', 'BUILDING', 'DEPLOYING', 'DEPLOYING']);
    now += 200;
    expect(await states()).toEqual(['DEPLOYMENT_ERROR', 'DEPLOYED', 'BUILD_ERROR', 'DEPLOYED', 'DEPLOYMENT_ERROR']);
    expect(platform.refusals).toEqual([]);
  });

  test('a deployment ends by itself, and a deleted service is gone', async () => {
    let now = Date.parse('2026-02-01T10:00:00Z');
    const platform = askerOf(
      await startOtherPlatform({ token: 'secret', differences, deploymentMs: 50, now: () => now }),
    );
    const { id } = platform.service('gateway');
    await platform.ask('DELETE', `/container/${id}`);
    expect((await platform.get(`/container/${id}`)).status).toBe(200);
    now += 1000;
    expect((await platform.get(`/container/${id}`)).status).toBe(404);
  });

  test('a deleted environment takes its services along', async () => {
    const platform = askerOf(await startOtherPlatform({ token: 'secret', differences, deploymentMs: 50 }));
    const environment = platform.ids.environments.development;
    expect((await platform.ask('DELETE', `/environment/${environment}`)).status).toBe(204);
    await expect.poll(async () => (await platform.get(`/environment/${environment}`)).status).toBe(404);
    expect(platform.state.services.some((service) => service.environment_id === environment)).toBe(false);
  });

  test('variables are overridden, aliased and imported, and fixed where they are built in', async () => {
    const platform = askerOf(await startOtherPlatform({ token: 'secret', differences }));
    const { id } = platform.service('storefront');
    const rows = (await platform.get(`/variable?scope=APPLICATION&parent_id=${id}`)).rows;
    const named = (key: string) => String(rows.find((row) => row.key === key)?.id);
    const place = { override_scope: 'APPLICATION', override_parent_id: id };
    expect(
      (await platform.post(`/variable/${named('LOG_LEVEL')}/override`, { value: 'debug', ...place })).body,
    ).toMatchObject({ variable_type: 'OVERRIDE', overridden_variable: { key: 'LOG_LEVEL' } });
    const alias = { key: 'LISTEN', alias_scope: 'APPLICATION', alias_parent_id: id };
    expect((await platform.post(`/variable/${named('PORT')}/alias`, alias)).body).toMatchObject({
      variable_type: 'ALIAS',
      value: '8080',
    });
    const builtIn = rows.find((row) => row.variable_type === 'BUILT_IN');
    expect((await platform.ask('DELETE', `/variable/${String(builtIn?.id)}`)).status).toBe(400);
    const vars = [
      { name: 'PORT', value: '1', scope: 'APPLICATION', is_secret: false },
      { name: 'NEW', value: '2', scope: 'APPLICATION', is_secret: false },
    ];
    const imported = await platform.post(`/variable/import?service_id=${id}&service_type=APPLICATION`, {
      overwrite: false,
      vars,
    });
    expect(imported.body).toMatchObject({
      total_variables_to_import: 2,
      successful_imported_variables: [{ name: 'NEW' }],
    });
    expect((await platform.get(`/variable?scope=PROJECT&parent_id=${id}`)).status).toBe(400);
  });

  test('whatever can be read is read without a failure', async () => {
    const platform = askerOf(await startOtherPlatform({ token: 'secret', differences }));
    for (const path of platform.readable()) expect([path, (await platform.get(path)).status]).toEqual([path, 200]);
  });

  test('services of every kind are made, deployed to their end, copied and replaced by what was asked for', async () => {
    let now = Date.parse('2026-02-01T10:00:00Z');
    const platform = askerOf(await startOtherPlatform({ token: 'secret', differences, now: () => now }));
    const environment = platform.ids.environments.staging;
    for (const [name, { kind, spec }] of Object.entries(specs(platform.ids))) {
      const known = Object.entries(spec).filter(
        ([member]) => member !== 'printed_lines' && (differences === 'all' || !WIDER.includes(member)),
      );
      const { git_repository: repository } = Object.fromEntries(known);
      const body: Members = {
        ...Object.fromEntries(known),
        ...(kind === 'application' &&
          differences === 'all' && { git_repository: { ...(repository as Members), owner: 'shop', name } }),
        name: `${name}-2`,
      };
      const made = await platform.post(`/environment/${environment}/${kind}`, body);
      expect([name, made.status, made.body]).toEqual([name, 201, expect.objectContaining({ name: `${name}-2` })]);
      const path = `/${kind}/${(made.body as Row).id}`;
      const { type: _, mode: __, ...changed } = body;
      expect([name, (await platform.put(path, kind === 'database' ? changed : body)).status]).toEqual([name, 200]);
      expect([200, 202]).toContain((await platform.post(`${path}/redeploy`)).status);
      now += 400;
      const statuses = (await platform.get(`/environment/${environment}/statuses`)).body as Record<string, Row[]>;
      const state = statuses[`${kind}s`]?.find(({ id }) => id === (made.body as Row).id)?.state;
      expect([name, state]).toEqual([name, 'DEPLOYED']);
      expect([201, 202]).toContain(
        (await platform.post(`${path}/clone`, { name: `${name}-3`, environment_id: environment })).status,
      );
    }
    expect(platform.refusals).toEqual([]);
  });
});
