import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { allOperations, operations } from '../../../src/contract/operations.ts';
import { createAddresses, type RememberingAddresses } from '../../../src/server/resolve/addresses.ts';
import { addressText } from '../../../src/server/resolve/words.ts';
import { startLab, type Lab } from '../../platform/lab.ts';
import { createRedaction } from '../../../src/server/redaction/index.ts';
import { callerOf, problemIn, type LookingCaller } from './support.ts';

const redactor = createRedaction().forCall({ principal: 'ann' });

let lab: Lab;
let url: string;
let addresses: RememberingAddresses;
let caller: LookingCaller;

const documented = allOperations
  .filter((operation) => operation.documented)
  .map(({ method, path }) => ({ method, matches: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));

async function passOn(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { authorization, 'content-type': type } = incoming.headers;
  const { statusCode, body } = await request(`${lab.url}${incoming.url}`, {
    method: incoming.method as 'GET', body: incoming.method === 'GET' ? undefined : incoming,
    headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
  });
  outgoing.writeHead(statusCode, { 'content-type': 'application/json' });
  body.pipe(outgoing);
}

/** The platform without the reads that lie outside the document. */
const gate = createServer((incoming, outgoing) => {
  const path = incoming.url!.split('?')[0]!;
  if (documented.some(({ method, matches }) => method === incoming.method && matches.test(path))) void passOn(incoming, outgoing);
  else outgoing.writeHead(404).end('Not Found');
});

beforeAll(async () => {
  lab = await startLab();
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  await caller?.close();
  addresses = createAddresses();
  caller = callerOf(url, lab.tokens.admin, addresses);
});
afterAll(async () => {
  await caller.close();
  gate.closeAllConnections();
  await new Promise((resolve) => gate.close(resolve));
  await lab.close();
});

/** An environment with a database in it, made through the caller; their ids. */
async function made(name: string): Promise<{ environment: unknown; database: unknown }> {
  const environment = await caller.call(operations.create_environment, { project_id: lab.seed['project_id'], name, mode: 'STAGING', cluster_id: lab.seed['cluster_id'] });
  const database = await caller.call(operations.create_database, { environment_id: environment['id'], name: 'ledger', type: 'REDIS', version: '7', mode: 'CONTAINER' });
  return { environment: environment['id'], database: database['id'] };
}

test('what was never seen is asked for by its id, and it is said why', async () => {
  const problem = await problemIn(addresses.resolve('environment', 'shop/staging', caller.look));
  expect(problem).toMatchObject({ why: 'not_listable', notes: [expect.stringContaining('does not list these: environment')] });
});

test('an id of a service that was never seen is asked for with its kind, which is enough', async () => {
  const id = lab.seed['application_id']!;
  const problem = await problemIn(addresses.resolve('service', id, caller.look));
  expect(problem.near).toEqual([]);
  expect(addressText(problem, { redactor, hidden: [] })).toContain(`Say of which kind it is: infra://service/<kind>/${id} (kinds: application,`);
  expect(await addresses.resolve('service', `infra://service/application/${id}`, caller.look)).toMatchObject({ kind: 'application', id });
});

test('a name that was never seen leaves a next step', async () => {
  for (const kind of ['service', 'environment'] as const) {
    const problem = await problemIn(addresses.resolve(kind, 'nothing-like-it', caller.look));
    expect(addressText(problem, { redactor, hidden: [] })).toMatch(/Give its id(?: and kind: infra:\/\/service\/<kind>\/<id>)?\.\nAsk the user for the id/);
  }
});

test('services that were used are known by their ids, with what was known of them before', async () => {
  const id = lab.seed['application_id']!;
  await caller.call(operations.get_application_status, { application_id: id });
  expect(await addresses.resolve('service', id, caller.look)).toEqual({ kind: 'application', id });
  await caller.call(operations.restart_services, { environment_id: lab.seed['environment_id'], container_ids: [lab.seed['container_id']] });
  expect(await addresses.resolve('service', lab.seed['container_id']!, caller.look)).toMatchObject({ kind: 'container' });
  const { database } = await made('four');
  await caller.call(operations.deploy_database, { database_id: database });
  expect(await addresses.resolve('service', String(database), caller.look)).toMatchObject({ kind: 'database', name: 'ledger' });
});

test('projects are listed all the same', async () => {
  expect(await addresses.resolve('project', 'shop', caller.look)).toMatchObject({ id: lab.seed['project_id'] });
});

test('a whole path finds what was seen', async () => {
  const { environment, database } = await made('one');
  expect(await addresses.resolve('environment', 'shop/one', caller.look)).toMatchObject({ id: environment, environment: { mode: 'STAGING' } });
  expect(await addresses.resolve('service', 'shop/one/ledger', caller.look)).toMatchObject({ id: database, kind: 'database', path: 'shop/one/ledger' });
});

test('a bare name is no proof that there is only one', async () => {
  const { database } = await made('two');
  const problem = await problemIn(addresses.resolve('service', 'ledger', caller.look));
  expect(problem).toMatchObject({ why: 'ambiguous', candidates: [{ id: database, path: 'shop/two/ledger' }], notes: [expect.stringContaining('ids seen earlier and is not complete')] });
});

test('what was seen outlives the process, for its own principal', async () => {
  let text: string | undefined;
  const shelf = { platform: 'gate', read: async () => text, write: async (written: string) => void (text = written) };
  addresses = createAddresses(shelf);
  await caller.close();
  caller = callerOf(url, lab.tokens.admin, addresses);
  const { environment } = await made('three');
  await addresses.flush();
  const later = callerOf(url, lab.tokens.admin, createAddresses(shelf));
  expect(await createAddresses(shelf).resolve('environment', 'shop/three', later.look)).toMatchObject({ id: environment });
  expect(await createAddresses(shelf).complete('environment', 'thr', later.look)).toEqual(['shop/three']);
  await problemIn(createAddresses(shelf).resolve('environment', 'shop/three', { ...later.look, principal: 'bob' }));
  await problemIn(createAddresses({ ...shelf, platform: 'another' }).resolve('environment', 'shop/three', later.look));
  await later.close();
});
