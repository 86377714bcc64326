import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { allOperations, operations } from '../../../src/contract/index.ts';
import {
  createNameResolver,
  type PersistentNameResolver,
  resolutionProblemText,
} from '../../../src/server/resolve/index.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { createRedaction } from '../../../src/server/redaction/index.ts';
import { recordingCaller, resolutionProblem, type RecordingCaller } from './recording-caller.ts';

const redactor = createRedaction().forCall({ principal: 'ann' });

let platform: TestPlatform;
let url: string;
let resolver: PersistentNameResolver;
let caller: RecordingCaller;

const documented = allOperations
  .filter((operation) => operation.documented)
  .map(({ method, path }) => ({ method, matches: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));

async function passOn(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { authorization, 'content-type': type } = incoming.headers;
  const { statusCode, body } = await request(`${platform.url}${incoming.url}`, {
    method: incoming.method as 'GET',
    body: incoming.method === 'GET' ? undefined : incoming,
    headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
  });
  outgoing.writeHead(statusCode, { 'content-type': 'application/json' });
  body.pipe(outgoing);
}

/** The platform without the reads that lie outside the document. */
const gate = createServer((incoming, outgoing) => {
  const path = incoming.url!.split('?')[0]!;
  if (documented.some(({ method, matches }) => method === incoming.method && matches.test(path)))
    void passOn(incoming, outgoing);
  else outgoing.writeHead(404).end('Not Found');
});

beforeAll(async () => {
  platform = await startTestPlatform();
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  await caller?.close();
  resolver = createNameResolver();
  caller = recordingCaller(url, platform.tokens.admin, resolver);
});
afterAll(async () => {
  await caller.close();
  gate.closeAllConnections();
  await new Promise((resolve) => gate.close(resolve));
  await platform.close();
});

/** An environment with a database in it, made through the caller; their ids. */
async function made(name: string): Promise<{ environment: unknown; database: unknown }> {
  const environment = await caller.call(operations.create_environment, {
    project_id: platform.seed['project_id'],
    name,
    mode: 'STAGING',
    cluster_id: platform.seed['cluster_id'],
  });
  const database = await caller.call(operations.create_database, {
    environment_id: environment['id'],
    name: 'ledger',
    type: 'REDIS',
    version: '7',
    mode: 'CONTAINER',
  });
  return { environment: environment['id'], database: database['id'] };
}

test('what was never seen is asked for by its id, and it is said why', async () => {
  const problem = await resolutionProblem(resolver.resolve('environment', 'shop/staging', caller.lookup));
  expect(problem).toMatchObject({
    why: 'not_listable',
    notes: [expect.stringContaining('does not list these: environment')],
  });
});

test('an id of a service that was never seen is asked for with its kind, which is enough', async () => {
  const id = platform.seed['application_id']!;
  const problem = await resolutionProblem(resolver.resolve('service', id, caller.lookup));
  expect(problem.suggestions).toEqual([]);
  expect(resolutionProblemText(problem, { redactor, hidden: [] })).toContain(
    `Say of which kind it is: infra://service/<kind>/${id} (kinds: application,`,
  );
  expect(await resolver.resolve('service', `infra://service/application/${id}`, caller.lookup)).toMatchObject({
    kind: 'application',
    id,
  });
});

test('a name that was never seen leaves a next step', async () => {
  for (const kind of ['service', 'environment'] as const) {
    const problem = await resolutionProblem(resolver.resolve(kind, 'nothing-like-it', caller.lookup));
    expect(resolutionProblemText(problem, { redactor, hidden: [] })).toMatch(
      /Give its id(?: and kind: infra:\/\/service\/<kind>\/<id>)?\.\nAsk the user for the id/,
    );
  }
});

test('services that were used are known by their ids, with what was known of them before', async () => {
  const id = platform.seed['application_id']!;
  await caller.call(operations.get_application_status, { application_id: id });
  expect(await resolver.resolve('service', id, caller.lookup)).toEqual({ kind: 'application', id });
  await caller.call(operations.restart_services, {
    environment_id: platform.seed['environment_id'],
    container_ids: [platform.seed['container_id']],
  });
  expect(await resolver.resolve('service', platform.seed['container_id']!, caller.lookup)).toMatchObject({
    kind: 'container',
  });
  const { database } = await made('four');
  await caller.call(operations.deploy_database, { database_id: database });
  expect(await resolver.resolve('service', String(database), caller.lookup)).toMatchObject({
    kind: 'database',
    name: 'ledger',
  });
});

test('projects are listed all the same', async () => {
  expect(await resolver.resolve('project', 'shop', caller.lookup)).toMatchObject({ id: platform.seed['project_id'] });
});

test('a whole path finds what was seen', async () => {
  const { environment, database } = await made('one');
  expect(await resolver.resolve('environment', 'shop/one', caller.lookup)).toMatchObject({
    id: environment,
    environment: { mode: 'STAGING' },
  });
  expect(await resolver.resolve('service', 'shop/one/ledger', caller.lookup)).toMatchObject({
    id: database,
    kind: 'database',
    path: 'shop/one/ledger',
  });
});

test('a bare name is no proof that there is only one', async () => {
  const { database } = await made('two');
  const problem = await resolutionProblem(resolver.resolve('service', 'ledger', caller.lookup));
  expect(problem).toMatchObject({
    why: 'ambiguous',
    candidates: [{ id: database, path: 'shop/two/ledger' }],
    notes: [expect.stringContaining('ids seen earlier and is not complete')],
  });
});

test('what was seen outlives the process, for its own principal', async () => {
  let text: string | undefined;
  const persistence = {
    platform: 'gate',
    read: async () => text,
    write: async (written: string) => void (text = written),
  };
  resolver = createNameResolver(persistence);
  await caller.close();
  caller = recordingCaller(url, platform.tokens.admin, resolver);
  const { environment } = await made('three');
  await resolver.flush();
  const later = recordingCaller(url, platform.tokens.admin, createNameResolver(persistence));
  expect(await createNameResolver(persistence).resolve('environment', 'shop/three', later.lookup)).toMatchObject({
    id: environment,
  });
  expect(await createNameResolver(persistence).complete('environment', 'thr', later.lookup)).toEqual(['shop/three']);
  await resolutionProblem(
    createNameResolver(persistence).resolve('environment', 'shop/three', { ...later.lookup, principal: 'bob' }),
  );
  await resolutionProblem(
    createNameResolver({ ...persistence, platform: 'another' }).resolve('environment', 'shop/three', later.lookup),
  );
  await later.close();
});
