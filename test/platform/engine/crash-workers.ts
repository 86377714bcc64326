import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { ServiceKind, DeploymentAction } from '../../../src/contract/index.ts';
import { systemRandom } from '../../../src/platform/common/index.ts';
import type { Db } from '../../../src/platform/store/index.ts';
import { expectReferencesHold, postgresTests } from '../../support/test-store.ts';
import { addEnvironment, organizationId, type EngineFixture } from './engine-fixture.ts';

const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url));

/** Starts a process that works on the store; resolves when it does. */
export async function startWorker(dataDir: string, timeScale: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program, dataDir, String(timeScale)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

/** Kills a process the hard way, as a power cut would. */
export async function killWorker(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Orders deployments of every kind in as many environments, several waiting in each one's queue. */
export async function orderMany(fixture: EngineFixture, environments: number, ordersEach: number): Promise<number> {
  const kinds: ServiceKind[] = ['application', 'container', 'database', 'helm', 'job', 'terraform'];
  const actions: DeploymentAction[] = ['DEPLOY', 'DEPLOY', 'RESTART', 'STOP'];
  for (let place = 0; place < environments; place += 1) {
    const services = { one: { kind: kinds[place % kinds.length]! }, two: { kind: kinds[(place + 2) % kinds.length]! } };
    const { environmentId, ids } = await addEnvironment(fixture.db, `environment ${place}`, services);
    for (let turn = 0; turn < ordersEach; turn += 1) {
      await fixture.order({ environmentId, serviceIds: Object.values(ids), action: actions[turn % actions.length]! });
    }
  }
  return environments * ordersEach;
}

/** A webhook that gets every event. */
export async function addWebhook(db: Db, target_url: string): Promise<string> {
  const id = systemRandom.uuid();
  const now = new Date().toISOString();
  await db
    .insertInto('webhook')
    .values({
      id,
      created_at: now,
      updated_at: now,
      organization_id: organizationId,
      kind: 'STANDARD',
      target_url,
      enabled: 1,
      description: null,
      sealed_target_secret: null,
      events: JSON.stringify(['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED', 'DEPLOYMENT_FAILED']),
    })
    .execute();
  return id;
}

const expectedStates: Readonly<Record<string, Readonly<Record<'DEPLOY' | 'RESTART' | 'STOP', string[]>>>> = (() => {
  const others = {
    RESTART: ['RESTART_QUEUED', 'RESTARTING', 'RESTARTED'],
    STOP: ['STOP_QUEUED', 'STOPPING', 'STOPPED'],
  };
  const deploy = (...states: string[]) => ({ DEPLOY: ['DEPLOYMENT_QUEUED', ...states, 'DEPLOYED'], ...others });
  return {
    application: deploy('BUILDING', 'DEPLOYING'),
    container: deploy('DEPLOYING'),
    database: deploy('DEPLOYING'),
    helm: deploy('DEPLOYING'),
    job: deploy('EXECUTING'),
    terraform: deploy('EXECUTING'),
  };
})();

/** Everything that must hold once all deployments of `orderMany` have ended, however often the workers died. */
export async function expectNothingLostOrDoubled(db: Db, deployments: number): Promise<void> {
  // Jobs that came to run by their schedule meanwhile are beside the point.
  const rows = await db.selectFrom('deployment').select('status').whereRef('queue', '=', 'environment_id').execute();
  expect(rows).toHaveLength(deployments);
  expect(new Set(rows.map((row) => row.status))).toEqual(new Set(['SUCCESS']));

  const events = await db
    .selectFrom('deployment_event')
    .innerJoin('deployment', 'deployment.id', 'deployment_event.deployment_id')
    .innerJoin('deployment_service', (join) =>
      join
        .onRef('deployment_service.deployment_id', '=', 'deployment_event.deployment_id')
        .onRef('deployment_service.service_id', '=', 'deployment_event.service_id'),
    )
    .select([
      'deployment_event.deployment_id',
      'deployment_event.service_id',
      'deployment_event.state',
      'deployment_event.announced',
      'deployment.action',
      'deployment_service.kind',
    ])
    .whereRef('deployment.queue', '=', 'deployment.environment_id')
    .orderBy('deployment_event.seq')
    .execute();
  const eventsByService = Map.groupBy(events, (event) => `${event.deployment_id}/${event.service_id}`);
  expect(eventsByService.size).toBe(deployments * 2);
  for (const part of eventsByService.values()) {
    const { kind, action } = part[0]!;
    const states = part.map((event) => event.state).filter((state) => !state.startsWith('WAITING'));
    expect(states).toEqual(expectedStates[kind]?.[action as 'DEPLOY']);
    expect(part.map((event) => event.announced).filter((announced) => announced !== null)).toEqual(
      action === 'STOP' ? [] : ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED'],
    );
  }

  const ended: Readonly<Record<string, string>> = { DEPLOY: 'DEPLOYED', RESTART: 'RESTARTED', STOP: 'STOPPED' };
  const told = await db
    .selectFrom('audit_event')
    .select(['event_type', 'target_id', 'change', 'project_name'])
    .execute();
  expect(
    told
      .map(
        ({ event_type: type, target_id: service, change, project_name: project }) =>
          `${(JSON.parse(change) as { deployment_id: string }).deployment_id}/${service} ${type} ${project}`,
      )
      .toSorted(),
  ).toEqual([...eventsByService].map(([part, own]) => `${part} ${ended[own[0]!.action]} shop`).toSorted());

  const announced = events.filter((event) => event.announced !== null).length;
  expect((await db.selectFrom('webhook_delivery').select('event_seq').execute()).length).toBe(announced);

  const steps = await db
    .selectFrom('deployment_step')
    .select(['deployment_id', 'service_id', 'position', 'status'])
    .orderBy('position')
    .execute();
  for (const part of Map.groupBy(steps, (step) => `${step.deployment_id}/${step.service_id}`).values()) {
    expect(part.map((step) => step.position)).toEqual(part.map((_, index) => index));
  }

  const doubled = await db
    .selectFrom('log_line')
    .select(({ fn }) => [fn.countAll<number>().as('times')])
    .groupBy(['deployment_id', 'service_id', 'step', 'created_at', 'message'])
    .having(({ fn }) => fn.countAll(), '>', 2)
    .execute();
  expect(doubled).toEqual([]);

  if (!postgresTests)
    expect((await sql<{ integrity_check: string }>`PRAGMA integrity_check`.execute(db)).rows).toEqual([
      { integrity_check: 'ok' },
    ]);
  await expectReferencesHold(db);
}
