import { expect, test } from 'vitest';
import { dockerBackups } from '../../../../src/platform/runtime/docker/databases/backups/backups.ts';
import { observeOneShot, type OneShot } from '../../../../src/platform/runtime/docker/databases/backups/one-shot.ts';
import type { DockerContext } from '../../../../src/platform/runtime/docker/docker-context.ts';
import { writeRecord } from '../../../../src/platform/runtime/docker/record.ts';
import type { BackupTask } from '../../../../src/platform/runtime/index.ts';
import { specs } from '../../engine/engine-fixture.ts';
import { startFakeEngine } from './fake-engine.ts';

const id = '11111111-2222-4333-8444-555555555555';
const network = { Id: 'n', Name: `infra-${id}`, Labels: {} };

test.each([[true], [undefined]] as const)(
  'a run that only reads backups can not change them: %s',
  async (onlyReads) => {
    const engine = await startFakeEngine((response, { method, url }) => {
      if (method === 'GET' && /\/services\//.test(url)) response.statusCode = 404;
      response.end(JSON.stringify(/\/networks/.test(url) ? [network] : { ID: 's' }));
    });
    const database = {
      id,
      name: 'shop',
      environmentId: id,
      kind: 'database',
      spec: { ...specs.database, type: 'POSTGRESQL', version: '15' },
    } as unknown as OneShot['database'];
    const run: OneShot = {
      id: 'x',
      database,
      image: 'postgres',
      script: 'true',
      backupId: id,
      nodeId: 'n1',
      limitSeconds: 10,
      ...(onlyReads && { onlyReads }),
    };
    await observeOneShot(
      {
        docker: engine.docker,
        platformId: id,
        clock: { now: () => 0 },
        credentialsFor: () => undefined,
      } as unknown as DockerContext,
      run,
      new AbortController().signal,
    );
    const created = engine.seen.find(({ method, url }) => method === 'POST' && url.endsWith('/services/create'))!;
    const {
      TaskTemplate: {
        ContainerSpec: { Mounts },
      },
    } = JSON.parse(created.body) as {
      TaskTemplate: { ContainerSpec: { Mounts: { Target: string; ReadOnly?: boolean }[] } };
    };
    expect(Mounts.find(({ Target }) => Target === '/backups')).toMatchObject({ ReadOnly: onlyReads === true });
  },
);

test.each([
  ['fails', 500, ['/services/infra-run-b1', '/secrets/infra-run-b1']],
  ['has no manager for a moment, which passes', 503, []],
] as const)(
  'where a backup ends because its engine %s, its run and its password do not stay',
  async (_, status, removed) => {
    const engine = await startFakeEngine((response, { method, url }) => {
      if (method === 'DELETE') return response.writeHead(204).end();
      if (url.includes('/tasks'))
        return response
          .writeHead(status)
          .end(JSON.stringify({ message: status === 503 ? 'This node is not a swarm manager.' : 'something broke' }));
      return response.end(
        JSON.stringify({
          ID: 's',
          CreatedAt: '2026-11-01T00:00:00Z',
          Spec: { TaskTemplate: { Placement: { Constraints: ['node.id==n1'] } } },
        }),
      );
    });
    const service = {
      id,
      name: 'shop',
      environmentId: id,
      kind: 'database',
      spec: { ...specs.database, type: 'POSTGRESQL', version: '15' },
    };
    const task = {
      id: 'b1',
      beganAt: 0,
      record: JSON.stringify({ nodeId: 'n1', node: 'one' }),
      database: { service, record: writeRecord({ image: 'postgres', entrypoint: [], command: [] }) },
    } as unknown as BackupTask;
    const backups = dockerBackups({
      docker: engine.docker,
      platformId: id,
      clock: { now: () => 0 },
    } as unknown as DockerContext);
    await expect(
      backups.observe(task, {
        credentials: () => Promise.reject(new Error('not asked')),
        signal: new AbortController().signal,
      }),
    ).rejects.toThrow();
    expect(
      engine.seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url.replace(/^\/v[\d.]+/, '')),
    ).toEqual(removed);
  },
);
