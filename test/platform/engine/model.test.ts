import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceKind, DeploymentAction, DeploymentState } from '../../../src/contract/index.ts';
import type { Engine } from '../../../src/platform/engine/index.ts';
import { aggregate, isSettled, statePathOf, stageOf, transitionsOf } from '../../../src/platform/engine/lifecycle.ts';
import { addEnvironment, manualClock, openEngineFixture, type EngineFixture } from './engine-fixture.ts';
import { runs } from '../../support/runs.ts';

/** Which phase of a service's deploy always fails; null for none. */
type Flaw = 'BUILD' | 'DEPLOYMENT' | 'EXECUTING' | null;

const services: Readonly<Record<string, { kind: ServiceKind; responseIssue: Flaw }>> = {
  db: { kind: 'database', responseIssue: null },
  'bad infra': { kind: 'terraform', responseIssue: 'EXECUTING' },
  app: { kind: 'application', responseIssue: null },
  'bad app': { kind: 'application', responseIssue: 'BUILD' },
  'bad chart': { kind: 'helm', responseIssue: 'DEPLOYMENT' },
  web: { kind: 'container', responseIssue: null },
};
const names = Object.keys(services);

interface Order {
  id: string;
  action: DeploymentAction;
  services: string[];
  canceled: boolean;
}

/** What was ordered, in sequence. */
interface Model {
  orders: Order[];
}

interface Real {
  environmentId: string;
  ids: Record<string, string>;
  engine: Engine;
}

const clock = manualClock();
let fixture: EngineFixture;
beforeAll(async () => {
  fixture = await openEngineFixture({
    clock,
    timeScale: 1,
    started: false,
    faults: ({ task, seconds }) =>
      task.action === 'DEPLOY' && services[task.service.name]?.responseIssue === task.phase.step
        ? { seconds, lines: ['it broke'], failure: 'it broke' }
        : undefined,
  });
});
afterAll(() => fixture.close());

/** Waits until the engine has done all that is due by the clock. */
const quiet = () =>
  fixture.until(
    undefined,
    async () =>
      (await fixture.db.selectFrom('deployment').select('id').where('due_ms', '<=', clock.now()).execute()).length ===
      0,
  );

const shown = async (real: Real): Promise<Record<string, DeploymentState>> => {
  const rows = await fixture.engine.serviceStatuses(fixture.db, Object.values(real.ids));
  return Object.fromEntries(rows.map((row) => [names.find((name) => real.ids[name] === row.id)!, row.state]));
};

/** The states an order's services end in unless it is canceled, by the table alone. */
const endsOf = ({ action, services: members }: Order): Record<string, DeploymentState> => {
  const stages = [...new Set(members.map((name) => stageOf(services[name]!.kind, action).position))].toSorted(
    (one, other) => one - other,
  );
  const ends: Record<string, DeploymentState> = {};
  let failed = false;
  for (const stage of stages) {
    const own = members.filter((name) => stageOf(services[name]!.kind, action).position === stage);
    for (const name of own) {
      const { kind, responseIssue } = services[name]!;
      const path = statePathOf(kind, action);
      const broken = action === 'DEPLOY' ? path.phases.find(({ step }) => step === responseIssue) : undefined;
      ends[name] = failed ? 'CANCELED' : (broken?.onFailure ?? path.end);
    }
    failed ||= own.some((name) => ends[name]!.endsWith('_ERROR'));
  }
  return ends;
};

/** Everything that must hold at any time. */
const invariants = async (real: Real): Promise<void> => {
  const states = await shown(real);
  expect((await fixture.engine.environmentStatus(fixture.db, real.environmentId)).state).toBe(
    aggregate(Object.values(states)),
  );
  const open = await fixture.db
    .selectFrom('deployment')
    .select(['seq', 'status'])
    .where('environment_id', '=', real.environmentId)
    .where('ended_at', 'is', null)
    .orderBy('seq')
    .execute();
  expect(open.slice(1).every(({ status }) => status === 'QUEUED')).toBe(true);
  const events = await fixture.db
    .selectFrom('deployment_event')
    .innerJoin('deployment_service', (join) =>
      join
        .onRef('deployment_service.deployment_id', '=', 'deployment_event.deployment_id')
        .onRef('deployment_service.service_id', '=', 'deployment_event.service_id'),
    )
    .innerJoin('deployment', 'deployment.id', 'deployment_event.deployment_id')
    .select([
      'deployment_event.deployment_id',
      'deployment_event.service_id',
      'deployment_event.state',
      'deployment_service.kind',
    ])
    .where('deployment.environment_id', '=', real.environmentId)
    .orderBy('deployment_event.seq')
    .execute();
  for (const part of Map.groupBy(events, (event) => event.deployment_id + event.service_id).values()) {
    const arrows = transitionsOf(part[0]!.kind);
    for (const [index, { state }] of part.entries()) {
      const from = part[index - 1]?.state;
      if (from !== undefined)
        expect(
          arrows.some((arrow) => arrow.from === from && arrow.to === state),
          `${from} → ${state}`,
        ).toBe(true);
    }
  }
};

type Command = fc.AsyncCommand<Model, Real>;

const command = (name: string, run: Command['run']): Command => ({ check: () => true, run, toString: () => name });

/** Whether a deploy of the service ever ended well. */
const hasVersion = async (real: Real, name: string): Promise<boolean> => {
  const rows = await fixture.db
    .selectFrom('deployment_service')
    .select('state')
    .where('service_id', '=', real.ids[name]!)
    .where('state', '=', 'DEPLOYED')
    .limit(1)
    .execute();
  return rows.length > 0;
};

/** How many orders were accepted. The engine, which works on, adds none. */
const countOrders = async (): Promise<number> =>
  (await fixture.db.selectFrom('deployment').select('id').execute()).length;

const orderCommand = (action: DeploymentAction, members: string[]): Command =>
  command(`${action} ${members.join(' + ')}`, async (model, real) => {
    const before = await shown(real);
    const ordersBefore = await countOrders();
    const versions = await Promise.all(members.map((name) => hasVersion(real, name)));
    const refused =
      action === 'RESTART' &&
      members.some(
        (name, index) => ['READY', 'STOPPED'].includes(before[name]!) || (isSettled(before[name]!) && !versions[index]),
      );
    const order = {
      action,
      environmentId: real.environmentId,
      serviceIds: members.map((name) => real.ids[name]!),
      origin: 'API',
      triggeredBy: 'model',
    } as const;
    const accepted = await fixture.db
      .write((trx) => real.engine.request(trx, order))
      .catch((error: { status?: number }) => error.status);
    expect(accepted).toEqual(refused ? 400 : expect.objectContaining({ environmentId: real.environmentId }));
    if (typeof accepted === 'object')
      model.orders.push({ id: accepted.id, action, services: members, canceled: false });
    expect(await countOrders()).toBe(ordersBefore + (refused ? 0 : 1));
    real.engine.wake();
  });

const cancelCommand = command('cancel', async (model, real) => {
  const open = await fixture.db
    .selectFrom('deployment')
    .select(['id', 'canceling'])
    .where('environment_id', '=', real.environmentId)
    .where('ended_at', 'is', null)
    .orderBy('seq')
    .executeTakeFirst();
  const canceled = await fixture.db
    .write((trx) => real.engine.cancel(trx, real.environmentId))
    .catch((error: { status?: number }) => error.status);
  if (open === undefined || open.canceling === 1) {
    expect(canceled).toBe(400);
    return;
  }
  expect(canceled).toMatchObject({ id: open.id });
  model.orders.find(({ id }) => id === open.id)!.canceled = true;
  real.engine.wake();
});

const passCommand = (milliseconds: number): Command =>
  command(`${milliseconds} ms pass`, async () => {
    clock.advance(milliseconds);
    await quiet();
  });

const restartCommand = command('another engine takes over', async (_model, real) => {
  await real.engine.stop();
  real.engine = fixture.anotherEngine();
  await real.engine.start();
});

const some = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 4 });
const commands = fc.commands(
  [
    fc
      .tuple(fc.constantFrom('DEPLOY', 'DEPLOY', 'RESTART', 'STOP'), some)
      .map(([action, members]) => orderCommand(action as DeploymentAction, members)),
    fc.constant(cancelCommand),
    fc.constantFrom(100, 1000, 5000, 20_000).map(passCommand),
    fc.constant(restartCommand),
  ],
  { maxCommands: 14 },
);

/** How each service of each order ended, and what the services show, against the model. */
const expectEnds = async (model: Model, real: Real): Promise<void> => {
  const latest: Record<string, DeploymentState> = Object.fromEntries(names.map((name) => [name, 'READY']));
  for (const order of model.orders) {
    const rows = await fixture.db
      .selectFrom('deployment_service')
      .select(['name', 'state'])
      .where('deployment_id', '=', order.id)
      .execute();
    const ends = Object.fromEntries(rows.map((row) => [row.name, row.state]));
    const planned = endsOf(order);
    for (const name of order.services)
      expect(order.canceled ? [planned[name], 'CANCELED'] : [planned[name]], `${order.action} ${name}`).toContain(
        ends[name],
      );
    Object.assign(latest, ends);
  }
  expect(await shown(real)).toEqual(latest);
  for (const name of names) {
    const { service_deployment_status } = await fixture.engine.serviceStatus(fixture.db, real.ids[name]!);
    expect(service_deployment_status).toBe((await hasVersion(real, name)) ? 'UP_TO_DATE' : 'NEVER_DEPLOYED');
  }
};

test('any sequence of orders, cancels, time and restarts goes as the table says', async () => {
  let turn = 0;
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const engine = fixture.anotherEngine();
      await engine.start();
      const real: Real = { ...(await addEnvironment(fixture.db, `model ${(turn += 1)}`, services)), engine };
      const model: Model = { orders: [] };
      const checked = [...sequence].map((each) =>
        command(String(each), async (...parts) => {
          await each.run(...parts);
          await invariants(real);
        }),
      );
      await fc.asyncModelRun(() => ({ model, real }), checked);
      await fixture.settled(clock);
      await invariants(real);
      await expectEnds(model, real);
      await real.engine.stop();
    }),
    { numRuns: runs(25) },
  );
});
