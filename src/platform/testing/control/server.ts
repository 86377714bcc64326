import Fastify, { type FastifyInstance } from 'fastify';
import * as z from 'zod';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { DateTime, Duration, issueTexts } from '../../../contract/index.ts';
import { addJsonBodyParser, answerProblem } from '../../api/index.ts';
import {
  type PlatformClock,
  isoDurationMilliseconds,
  type PlatformLog,
  ApiProblem,
  invalid,
  refused,
} from '../../common/index.ts';
import { listSnapshots, removeSnapshot, SnapshotName, takeSnapshot } from '../../store/index.ts';
import type { FaultRegistry } from './faults/registry.ts';
import { FaultRule } from './faults/rule.ts';
import type { Stepping } from './stepping.ts';

const credential = /^(?:Token|Bearer) +(\S+)$/i;

const sha256 = (value: string): Buffer => createHash('sha256').update(value).digest();

/** The token of the control endpoints. Each start creates a new one. It is not stored, and is not an API token. */
interface ControlToken {
  readonly value: string;
  /** Whether an Authorization header contains it, under either scheme. */
  accepts(header: string | undefined): boolean;
}

/** Creates a random control token. */
export function createControlToken(): ControlToken {
  const value = randomBytes(32).toString('base64url');
  const expectedHash = sha256(value);
  return {
    value,
    accepts: (header) => timingSafeEqual(sha256(credential.exec(header ?? '')?.[1] ?? ''), expectedHash),
  };
}

/** The path prefix of all control endpoints. */
export const controlPrefix = '/_control';

export interface ControlServerDependencies {
  readonly dataDir: string;
  /** Whether other processes may use the records too. The records then aren't in that directory. */
  readonly isShared: boolean;
  readonly token: Pick<ControlToken, 'accepts'>;
  readonly clock: PlatformClock;
  readonly timeScale: number;
  /** Absent if time passes by itself. */
  readonly stepping?: Stepping | undefined;
  readonly faults: Pick<FaultRegistry, 'list' | 'put' | 'remove'>;
  /** See Engine.settled. */
  readonly settled: () => Promise<number | null>;
  /** Restores a snapshot. */
  readonly restore: (name: string) => Promise<void>;
  /** Resets the records to the seed. */
  readonly reset: () => Promise<void>;
  readonly log: PlatformLog;
}

const unauthorized =
  'Send the control token of this start, which the platform printed when it was ready, as "Authorization: Bearer <value>". API tokens don\'t open the control endpoints.';

const Advance = z
  .strictObject({ by: Duration.optional(), to: DateTime.optional() })
  .refine(({ by, to }) => (by === undefined) !== (to === undefined), { error: 'give either by, such as PT5M, or to' });
const Named = z.strictObject({ name: SnapshotName });

/** Validates a body. @throws ApiProblem 400 that lists every error */
function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body ?? {});
  if (result.success) return result.data;
  throw new ApiProblem(400, issueTexts(result.error, 'the body', schema).join('; '));
}

/** Runs operations one after the other, in the order of the calls. */
const createSerialQueue = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(operation: () => Promise<Result>): Promise<Result> => {
    const next = last.then(operation, operation);
    last = next;
    return next;
  };
};

const iso = (moment: number): string => new Date(moment).toISOString();

function registerTimeRoutes(
  app: FastifyInstance,
  { clock, timeScale, stepping, settled }: ControlServerDependencies,
  inTurn: ReturnType<typeof createSerialQueue>,
): void {
  const describeTime = async () => {
    const time = { now: iso(clock.now()), stepped: stepping !== undefined, time_scale: timeScale };
    if (!stepping) return time;
    const next = await settled();
    return { ...time, next_due_at: next === null ? null : iso(next) };
  };
  app.get('/time', () => inTurn(describeTime));
  app.post('/time/advance', ({ body }) =>
    inTurn(async () => {
      const { by, to } = parseBody(Advance, body);
      if (!stepping)
        throw refused('Time passes by itself here. Start the platform with --stepped-time to move it by requests.');
      await stepping.advanceTo(to === undefined ? clock.now() + isoDurationMilliseconds(by!) : Date.parse(to));
      return describeTime();
    }),
  );
}

type Named = { Params: { name: string } };

function registerFaultRoutes(app: FastifyInstance, { faults }: ControlServerDependencies): void {
  app.get('/faults', async () => ({ results: await faults.list() }));
  app.put<Named>('/faults/:name', async ({ params, body }) => {
    const rule = parseBody(FaultRule, typeof body === 'object' ? { name: params.name, ...body } : body);
    if (rule.name !== params.name)
      throw invalid('name', `is ${rule.name} in the body and ${params.name} in the path; leave it out of the body`);
    return faults.put(rule);
  });
  app.delete('/faults', async (_request, reply) => {
    await Promise.all((await faults.list()).map(({ name }) => faults.remove(name)));
    return reply.code(204).send();
  });
  app.delete<Named>('/faults/:name', async ({ params: { name } }, reply) => {
    if (!(await faults.remove(name)))
      throw new ApiProblem(404, `No fault rule is called ${name}. GET ${controlPrefix}/faults lists them.`);
    return reply.code(204).send();
  });
}

function registerRecordRoutes(
  app: FastifyInstance,
  dependencies: ControlServerDependencies,
  inTurn: ReturnType<typeof createSerialQueue>,
): void {
  const { dataDir, isShared, clock, restore, reset } = dependencies;
  const nameIn = (body: unknown) => parseBody(Named, body).name;
  // Records that other processes may use are not replaced.
  app.addHook('onRequest', async ({ routeOptions: { url = '' } }) => {
    if (!isShared || !/\/(?:snapshots|restore|reset)(?:\/|$)/.test(url)) return;
    throw refused(
      'The records of this platform are in a database that other processes may use. Snapshots, restores and resets are for those in a data directory; use a dump of the database.',
    );
  });
  app.get('/snapshots', async () => ({ results: await listSnapshots(dataDir) }));
  app.post('/snapshots', ({ body }, reply) =>
    inTurn(async () => reply.code(201).send(await takeSnapshot(dataDir, nameIn(body)))),
  );
  app.delete<Named>('/snapshots/:name', ({ params }, reply) =>
    inTurn(async () => {
      await removeSnapshot(dataDir, params.name);
      return reply.code(204).send();
    }),
  );
  app.post('/restore', ({ body }) =>
    inTurn(async () => {
      const name = nameIn(body);
      await restore(name);
      return { restored: name, now: iso(clock.now()) };
    }),
  );
  app.post('/reset', ({ body }) =>
    inTurn(async () => {
      parseBody(z.strictObject({}), body);
      await reset();
      return { now: iso(clock.now()) };
    }),
  );
}

/**
 * Creates the server of the control endpoints, which tests use. It is separate from the API's server, so the API's
 * tokens, rate limit and OpenAPI description don't apply to it. It handles the requests that are passed to its
 * `routing`.
 */
export function createControlServer(dependencies: ControlServerDependencies): FastifyInstance {
  const app = Fastify({ logger: false });
  addJsonBodyParser(app);
  app.addHook('onRequest', async ({ headers }) => {
    if (!dependencies.token.accepts(headers.authorization)) throw new ApiProblem(401, unauthorized);
  });
  // Requests are rare here, and a kept-alive connection would delay the shutdown of the platform.
  app.addHook('onSend', async (_request, reply) => void reply.header('connection', 'close'));
  app.setErrorHandler((error, request, reply) => answerProblem(dependencies, error, request, reply));
  app.setNotFoundHandler(({ method, url }) => {
    throw new ApiProblem(404, `There is no control endpoint ${method} ${url.split('?', 1)[0]}.`);
  });
  const inTurn = createSerialQueue();
  void app.register(
    async (routes) => {
      registerTimeRoutes(routes, dependencies, inTurn);
      registerFaultRoutes(routes, dependencies);
      registerRecordRoutes(routes, dependencies, inTurn);
    },
    { prefix: controlPrefix },
  );
  return app;
}
