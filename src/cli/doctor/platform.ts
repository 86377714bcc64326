import type { Client } from '../../client/client.ts';
import { ApiError, type ApiErrorKind } from '../../client/errors.ts';
import type { Config } from '../config/read-config.ts';
import { operations } from '../../contract/operations.ts';
import { clean } from '../../server/redaction/index.ts';
import { endpointOf } from '../wiring/claim.ts';
import { createLog } from '../wiring/log.ts';
import { remoteConnection } from '../wiring/remote.ts';
import { type Finding, finder, wordsOf } from './finding.ts';

const platform = finder('platform');
const token = finder('token');
const permissions = finder('permissions');
const budget = finder('budget');

/** Longest time that an answer is waited for, in milliseconds. */
const patience = 10_000;

const once = () => ({ attempts: 1, deadline: Date.now() + patience });

const failed = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error;
  throw error;
};

/** Reads that need no more than the organization, for what the token may do. Nothing is changed to find it out. */
async function permissionsFinding(client: Client, organizationId: string): Promise<Finding> {
  const input = { organization_id: organizationId };
  const tried = { projects: operations.list_projects, members: operations.list_members, clusters: operations.list_clusters, webhooks: operations.list_webhooks };
  const told = await Promise.all(
    Object.entries(tried).map(async ([what, operation]) => {
      const error = await client.call(operation, input, once()).then(() => undefined, failed);
      return { what, kind: error?.kind };
    }),
  );
  const where = (...kinds: (ApiErrorKind | undefined)[]) => told.filter(({ kind }) => kinds.includes(kind)).map(({ what }) => what).join(', ');
  const may = `reads the organization${where(undefined) && `, ${where(undefined)}`}`;
  const refused = where('forbidden');
  if (refused) return permissions.note(`${may}; is refused ${refused}`, 'If assistants need those, have a token made with more permissions.');
  return permissions.good(`${may}. Whether it may also change something only a change can tell`);
}

function budgetFinding(client: Client): Finding {
  const left = client.budget();
  if (!left) return budget.note('the platform says nothing of a limit');
  const told = `${left.remaining} of ${left.limit} requests left until ${new Date(left.resetAt).toISOString()}`;
  if (left.remaining > left.limit / 10) return budget.good(told);
  return budget.note(told, 'Calls wait or fail when it is used up. See who else uses this token, or give the server one of its own.');
}

/** What an API token that is a JWT says of its own end, in milliseconds since the epoch. */
function expiryOf(value: string | undefined): number | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(value?.split('.')[1] ?? '', 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

const replaceToken = 'Have the platform make a new token, and give it with INFRA_API_TOKEN or INFRA_API_TOKEN_FILE.';

function acceptedFinding(value: string | undefined, name: string): Finding {
  const expiry = expiryOf(value);
  const told = `accepted, for ${clean(name)}`;
  if (expiry === undefined) return token.good(told);
  const days = (expiry - Date.now()) / 86_400_000;
  const until = `${told}, until ${new Date(expiry).toISOString()}`;
  return days > 7 ? token.good(until) : token.note(until, replaceToken);
}

/** The first answer of a platform that is no success. */
interface Refused {
  readonly error: ApiError;
  readonly where: string;
  /** That it answers, and how long it took. */
  readonly answers: Finding;
  readonly holdsToken: boolean;
}

const unlikeTheApi = ({ error, where }: Refused): Finding[] => [
  platform.bad(`${where} does not answer as the API does: ${error.reason}`, 'See that INFRA_BASE_URL is the address of the API, with its path where it has one.'),
];

const silent = ({ error, where }: Refused): Finding[] => [
  platform.bad(`${where}: ${error.reason}`, error.next), token.skipped('the platform does not answer'), permissions.skipped('likewise'), budget.skipped('likewise'),
];

/** What each failure tells of platform and token. */
const meanings: Readonly<Record<ApiErrorKind, (refused: Refused) => Finding[]>> = {
  unauthorized: ({ answers, holdsToken }) =>
    holdsToken
      ? [answers, token.bad('refused', replaceToken), permissions.skipped('the token is refused')]
      : [answers, token.skipped('this server has none: callers bring their own')],
  forbidden: ({ answers }) => [
    answers, token.good('accepted'), permissions.bad('it may not even read the organization', 'Have a token made that may read, or one of this organization.'),
  ],
  rate_limited: ({ answers, error }) => [answers, token.skipped('no request is left to try it'), budget.bad(error.reason, error.next)],
  invalid_input: unlikeTheApi,
  not_found: unlikeTheApi,
  not_offered: unlikeTheApi,
  conflict: unlikeTheApi,
  bad_answer: unlikeTheApi,
  server_error: silent,
  unreachable: silent,
  timeout: silent,
  canceled: silent,
};

/** Asks a platform a few questions that change nothing. */
async function asked(client: Client, where: string, holdsToken: boolean, value?: string): Promise<Finding[]> {
  const began = Date.now();
  const answer = await client.call(operations.get_organization, {}, once()).catch(failed);
  const answers = platform.good(`${where} answers, in ${Date.now() - began} ms`);
  if (answer instanceof ApiError) return meanings[answer.kind]({ error: answer, where, answers, holdsToken });
  return [answers, acceptedFinding(value, answer.name ?? answer.id), await permissionsFinding(client, answer.id), budgetFinding(client)];
}

async function embedded(dataDir: string): Promise<Finding[]> {
  const endpoint = await endpointOf(dataDir);
  if (!endpoint) return [platform.good('the embedded one; it starts with the first call')];
  const answers = await fetch(`${endpoint.url}/openapi.json`, { signal: AbortSignal.timeout(patience) }).then(({ ok }) => ok, () => false);
  if (answers) return [platform.good(`the embedded one, served by process ${endpoint.pid} at ${endpoint.url}`)];
  return [platform.note(`the embedded one; process ${endpoint.pid} served it at ${endpoint.url} and does no more`, 'The next call starts it anew. Nothing needs to be done, unless that process hangs: then end it.')];
}

/** Whether the platform can be reached, takes the token, and what it lets the token do. */
export async function platformFindings(config: Config): Promise<Finding[]> {
  if (config.baseUrl === undefined) return embedded(config.dataDir);
  try {
    const connection = await remoteConnection(config, createLog('silent'));
    try {
      const { client } = await connection.connect();
      const [value] = connection.secrets();
      return await asked(client, config.baseUrl, value !== undefined, value);
    } finally {
      await connection.close();
    }
  } catch (error) {
    return [platform.bad(wordsOf(error), 'Correct INFRA_BASE_URL, INFRA_API_TOKEN or INFRA_API_TOKEN_FILE.')];
  }
}
