import { request } from 'undici';
import { createKnownIds, type KnownIds } from '../../src/cli/doctor/tools-on-platform/try-reads.ts';
import {
  isRecord,
  parseJson,
  type JsonRecord,
  toWire,
  type AnyOperation,
  allOperations,
  operations,
} from '../../src/contract/index.ts';
import { shapeOf, type ValueShape } from './shape.ts';

/** A platform to compare. */
export interface ComparedPlatform {
  readonly url: string;
  /** The value of the Authorization header. */
  readonly authorization: string;
}

/** What a platform answered to an operation; without a status if there was nothing to try it on. */
export interface Exchange {
  readonly operation: string;
  readonly path: string;
  readonly status?: number;
  readonly shape: ValueShape;
}

/** An answer as it came, with its body parsed. */
export interface RawAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends an operation without any tolerance or retry. */
export async function sendRaw(
  { url, authorization }: ComparedPlatform,
  operation: AnyOperation,
  input: JsonRecord,
  alter: (body: unknown) => unknown = (body) => body,
): Promise<RawAnswer> {
  const { method, target, body } = toWire(operation, input);
  const sent = body === undefined ? undefined : JSON.stringify(alter(body));
  const answer = await request(`${url}${target}`, {
    method,
    headers: { authorization, ...(sent !== undefined && { 'content-type': 'application/json' }) },
    body: sent,
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, body: text === '' ? undefined : (parseJson(text) ?? text) };
}

/**
 * An answer in the one form from which ids are learnt: some platforms answer bare arrays, or a list where one record is
 * meant.
 */
const forLearning = (operation: AnyOperation, body: unknown): unknown => {
  if (Array.isArray(body)) return { results: body };
  if (operation === operations.get_organization && isRecord(body) && Array.isArray(body['results']))
    return body['results'][0];
  return body;
};

/** The exchange of one operation, whose ids are kept. */
export async function exchange(
  platform: ComparedPlatform,
  operation: AnyOperation,
  input: JsonRecord,
  ids: KnownIds,
): Promise<Exchange> {
  const { status, body } = await sendRaw(platform, operation, input);
  if (status < 300) ids.learn(operation, forLearning(operation, body));
  return { operation: operation.name, path: `${operation.method} ${operation.path}`, status, shape: shapeOf(body) };
}

const reads = allOperations.filter(({ method }) => method === 'GET');

/** Most further lists that are read to find a service of each kind. */
const maximumSearches = 20;

/** Reads everything that the contract can read, once each, with ids from the lists. Sends nothing but GET. */
export async function readEverything(platform: ComparedPlatform): Promise<readonly Exchange[]> {
  const ids = createKnownIds();
  const done = new Map<AnyOperation, Exchange>();
  const next = (): AnyOperation | undefined =>
    reads.find((operation) => !done.has(operation) && ids.lackingFor(operation) === undefined);
  const readPossible = async (): Promise<void> => {
    for (let operation = next(); operation; operation = next())
      done.set(operation, await exchange(platform, operation, ids.inputFor(operation)!, ids));
  };
  await readPossible();
  for (const [list, member, kind] of [
    [operations.list_environments, 'project_id', 'project'],
    [operations.list_services, 'environment_id', 'environment'],
  ] as const) {
    for (const id of ids.of(kind).slice(1, maximumSearches)) {
      if (!reads.every((operation) => done.has(operation))) await exchange(platform, list, { [member]: id }, ids);
    }
    await readPossible();
  }
  return reads.map(
    (operation) =>
      done.get(operation) ?? { operation: operation.name, path: `GET ${operation.path}`, shape: new Map() },
  );
}
