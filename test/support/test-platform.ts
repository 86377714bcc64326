import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { type PermissionLevel, permissionLevels, toWire } from '../../src/contract/operation.ts';
import { type OperationName, operations } from '../../src/contract/operations.ts';
import { type PlatformOptions, type RunningPlatform, startPlatform } from '../../src/platform/platform.ts';
import { databaseFile } from '../../src/platform/store/database.ts';
import { createToken } from '../../src/platform/api/tokens.ts';

export type Json = Record<string, unknown>;

/** An answer of the platform. */
export interface PlatformResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body read as JSON; undefined where there is none. */
  readonly body: Json;
  readonly text: string;
}

/** What may differ from a plain, authorized request. */
interface RequestOptions {
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** The value of the Authorization header; null for none, the admin token's by default. */
  readonly authorization?: string | null;
}

/** A platform in a directory of its own, spoken to over HTTP as any client would. */
export interface TestPlatform {
  readonly url: string;
  readonly dataDir: string;
  readonly organizationId: string;
  readonly seed: Readonly<Record<string, string>>;
  /** Values of tokens, one of each level. */
  readonly tokens: Readonly<Record<PermissionLevel, string>>;
  /** Where and with which token it is controlled, where it can be. */
  readonly control: RunningPlatform['control'];
  /** Sends a request as it is given. */
  send(method: string, target: string, sent?: RequestOptions): Promise<PlatformResponse>;
  /** Calls an operation with its flat input. */
  call(name: OperationName, input?: Json, sent?: RequestOptions): Promise<PlatformResponse>;
  /** The same, for calls that must be accepted; gives the body. */
  must(name: OperationName, input?: Json): Promise<Json>;
  /** Every row that only requests write, by table; for comparing before and after. */
  dump(): Record<string, unknown[]>;
  /** Stops the platform and starts another on the same directory. */
  restart(options?: Partial<PlatformOptions>): Promise<TestPlatform>;
  close(): Promise<void>;
}

/** Written on their own accord by the worker, and when a token is used. */
const backgroundTables = ['worker', 'api_token', 'timer'];

const dump = (dataDir: string): Record<string, unknown[]> => {
  const db = new DatabaseSync(join(dataDir, databaseFile), { readOnly: true });
  try {
    const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`).all().map(({ name }) => String(name));
    const kept = tables.filter((name) => !backgroundTables.includes(name));
    return Object.fromEntries(kept.map((name) => [name, db.prepare(`SELECT * FROM "${name}" ORDER BY rowid`).all()]));
  } finally {
    db.close();
  }
};

const sendRequest = async (url: string, method: string, target: string, authorization: string, sent: RequestOptions): Promise<PlatformResponse> => {
  const headers = { ...(sent.authorization !== null && { authorization: sent.authorization ?? authorization }), ...sent.headers };
  const { statusCode, headers: answered, body } = await request(`${url}${target}`, { method, headers, body: sent.body });
  const text = await body.text();
  return { status: statusCode, headers: answered, body: (text === '' ? undefined : JSON.parse(text)) as Json, text };
};

async function platformIn(dataDir: string, options: Partial<PlatformOptions>): Promise<TestPlatform> {
  const platform = await startPlatform({ dataDir, timeScale: 0, rateLimit: 1_000_000, token: 'token-of-the-tests', ...options });
  const values = await Promise.all(permissionLevels.map(async (permission) => [permission, await createToken(dataDir, { name: `${permission} of the tests`, permission })]));
  const tokens = Object.fromEntries(values) as Record<PermissionLevel, string>;
  const send: TestPlatform['send'] = (method, target, sent = {}) => sendRequest(platform.url, method, target, `Token ${tokens.admin}`, sent);
  const call: TestPlatform['call'] = (name, input = {}, sent = {}) => {
    const wire = toWire(operations[name], input);
    const json = wire.body && { body: JSON.stringify(wire.body), headers: { 'content-type': 'application/json', ...sent.headers } };
    return send(wire.method, wire.target, { ...sent, ...json });
  };
  return {
    url: platform.url, dataDir, organizationId: platform.organizationId, seed: platform.seed, control: platform.control, tokens, send, call,
    must: async (name, input) => {
      const { status, body, text } = await call(name, input);
      if (status >= 300) throw new Error(`${name} was refused: ${text}`);
      return body;
    },
    dump: () => dump(dataDir),
    restart: async (others) => {
      await platform.close();
      return platformIn(dataDir, { ...options, ...others });
    },
    close: async () => {
      await platform.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** Starts a platform: instant deployments and next to no rate limit unless the options say otherwise. */
export const startTestPlatform = async (options: Partial<PlatformOptions> = {}): Promise<TestPlatform> =>
  platformIn(await mkdtemp(join(tmpdir(), 'infra-mcp-platform-')), options);

/** An id that nothing has. */
export const unknownId = '00000000-0000-4000-8000-000000000000';

/** The rows of a list's answer. */
export const rowsOf = ({ results }: Json): Json[] => results as Json[];

/** A platform of one's own in a directory of its own. */
export async function startDefaultPlatform(): Promise<RunningPlatform & { readonly token: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-e2e-'));
  const platform = await startPlatform({ dataDir, token: 'token-of-the-tests', timeScale: 0 });
  return {
    ...platform,
    token: 'token-of-the-tests',
    close: async () => {
      await platform.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
