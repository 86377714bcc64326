import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { toWire, type OperationName, operations } from '../../src/contract/index.ts';
import { type PlatformOptions, type RunningPlatform, startPlatform } from '../../src/platform/index.ts';
import { databaseFile } from '../../src/platform/store/index.ts';
import { openTestStore, postgresTests } from './test-store.ts';
import { createTokens, seededDirectory, type Tokens } from './seeded-directory.ts';
import { seenAtLast } from './eventually.ts';

export type Json = Record<string, unknown>;

/** A response of the platform. */
export interface PlatformResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed JSON body; undefined if there is none. */
  readonly body: Json;
  readonly text: string;
}

/** How a request differs from a plain, authorized one. */
interface RequestOptions {
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** The Authorization header: the admin token by default, null to send none. */
  readonly authorization?: string | null;
}

/** A platform with its own data directory, called over HTTP like any client would. */
export interface TestPlatform {
  readonly url: string;
  readonly dataDir: string;
  /** Opens its records, where they aren't in its data directory. */
  readonly openRecords?: PlatformOptions['openRecords'];
  readonly organizationId: string;
  readonly seed: Readonly<Record<string, string>>;
  /** The admin token that it was started with, or one made since. */
  readonly token: string;
  /** One more token of each permission level. */
  readonly tokens: Tokens;
  /** The URL and token of its control API, if it has one. */
  readonly control: RunningPlatform['control'];
  /** Sends a raw request. */
  send(method: string, target: string, options?: RequestOptions): Promise<PlatformResponse>;
  /** Calls an operation with its flat input. */
  call(name: OperationName, input?: Json, options?: RequestOptions): Promise<PlatformResponse>;
  /** Calls an operation and returns the body. Throws if the platform refuses it. */
  must(name: OperationName, input?: Json): Promise<Json>;
  /** The rows of every table that only requests write to, for comparing before and after. */
  dump(): Record<string, unknown[]>;
  /** The same rows by table as texts that compare fast, without those of some more tables. */
  digests(without: readonly string[]): Promise<Record<string, string>>;
  /** Stops the platform and starts another one on the same directory. */
  restart(options?: Partial<PlatformOptions>): Promise<TestPlatform>;
  close(): Promise<void>;
}

/** Tables that the worker writes to in the background, or that change with every call. */
const backgroundTables = ['worker', 'api_token', 'timer', 'duty', 'call_window'];

const dump = (dataDir: string): Record<string, unknown[]> => {
  if (postgresTests) return postgresTests.rowsOfDatabase(dataDir, (name) => !backgroundTables.includes(name));
  const db = new DatabaseSync(join(dataDir, databaseFile), { readOnly: true });
  try {
    const tables = db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .all()
      .map(({ name }) => String(name));
    const compared = tables.filter((name) => !backgroundTables.includes(name));
    return Object.fromEntries(
      compared.map((name) => [name, db.prepare(`SELECT * FROM "${name}" ORDER BY rowid`).all()]),
    );
  } finally {
    db.close();
  }
};

/** The same once the engine has taken up every backup and deployment that is due, which it does a moment after the request. */
const settledDump = (dataDir: string): Promise<Record<string, unknown[]>> =>
  seenAtLast(
    () => dump(dataDir),
    (rows) =>
      !([...rows['backup']!, ...rows['deployment']!] as { due_ms: number | null }[]).some(
        ({ due_ms: due }) => due !== null && due <= Date.now(),
      ),
    10,
  );

const digests = async (dataDir: string, without: readonly string[]): Promise<Record<string, string>> => {
  const ignored = new Set([...backgroundTables, ...without]);
  if (postgresTests) return postgresTests.digestsOfDatabase(dataDir, (name) => !ignored.has(name));
  return Object.fromEntries(
    Object.entries(await settledDump(dataDir))
      .filter(([name]) => !ignored.has(name))
      .map(([name, rows]) => [name, JSON.stringify(rows)]),
  );
};

const sendRequest = async (
  url: string,
  method: string,
  target: string,
  authorization: string,
  options: RequestOptions,
): Promise<PlatformResponse> => {
  const headers = {
    ...(options.authorization !== null && { authorization: options.authorization ?? authorization }),
    ...options.headers,
  };
  const {
    statusCode,
    headers: responseHeaders,
    body,
  } = await request(`${url}${target}`, { method, headers, body: options.body });
  const text = await body.text();
  return {
    status: statusCode,
    headers: responseHeaders,
    body: (text === '' ? undefined : JSON.parse(text)) as Json,
    text,
  };
};

const standard: Partial<PlatformOptions> = { timeScale: 0, rateLimit: 1_000_000, token: 'token-of-the-tests' };

async function platformIn(dataDir: string, options: Partial<PlatformOptions>, known?: Tokens): Promise<TestPlatform> {
  const platform = await startPlatform({ openRecords: () => openTestStore(dataDir), ...options, dataDir });
  const tokens = known ?? (await createTokens(dataDir));
  const send: TestPlatform['send'] = (method, target, requestOptions = {}) =>
    sendRequest(platform.url, method, target, `Token ${tokens.admin}`, requestOptions);
  const call: TestPlatform['call'] = (name, input = {}, requestOptions = {}) => {
    const { method, target, body } = toWire(operations[name], input);
    const json = body && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...requestOptions.headers },
    };
    return send(method, target, { ...requestOptions, ...json });
  };
  return {
    url: platform.url,
    dataDir,
    ...(postgresTests && { openRecords: () => openTestStore(dataDir) }),
    token: platform.token ?? tokens.admin,
    organizationId: platform.organizationId,
    seed: platform.seed,
    control: platform.control,
    tokens,
    send,
    call,
    must: async (name, input) => {
      const { status, body, text } = await call(name, input);
      if (status >= 300) throw new Error(`${name} was refused: ${text}`);
      return body;
    },
    dump: () => dump(dataDir),
    digests: (without) => digests(dataDir, without),
    restart: async (changes) => {
      await platform.close();
      return platformIn(dataDir, { ...options, ...changes }, tokens);
    },
    close: async () => {
      await platform.close();
      await postgresTests?.dropTestDatabase(dataDir);
      await rm(dataDir, { recursive: true });
    },
  };
}

/**
 * Starts a platform in a temporary directory. By default deployments are instant and the rate limit is out of reach;
 * `rateLimit: undefined` selects the platform's own.
 */
export async function startTestPlatform(options: Partial<PlatformOptions> = {}): Promise<TestPlatform> {
  const all = { ...standard, ...options };
  const { dataDir, tokens } = await seededDirectory(all);
  return platformIn(dataDir, all, tokens);
}

/** An id that doesn't exist. */
export const unknownId = '00000000-0000-4000-8000-000000000000';

/** The rows of a list response. */
export const rowsOf = ({ results }: Json): Json[] => results as Json[];
