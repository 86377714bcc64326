import { ApiError, type ApiErrorKind, type Client } from '../../client/index.ts';
import type { Config } from '../config/index.ts';
import { operations } from '../../contract/index.ts';
import { sendRequest } from '../../outgoing/index.ts';
import { clean } from '../../server/redaction/index.ts';
import { endpointOf } from '../wiring/data-dir-claim.ts';
import { createLog } from '../wiring/log.ts';
import { remoteConnection } from '../wiring/remote-connection.ts';
import { answerTimeout } from './current-client.ts';
import { type DoctorFinding, findingBuilder, errorMessage } from '../../platform/common/index.ts';
import { expiryOf } from './token-claims.ts';

const platform = findingBuilder('platform');
const token = findingBuilder('token');
const permissions = findingBuilder('permissions');
const budget = findingBuilder('budget');

const singleAttempt = () => ({ attempts: 1, deadline: Date.now() + answerTimeout });

const asApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error;
  throw error;
};

/** Determines the token's read permissions, with requests that need only the organization's id and change nothing. */
async function permissionsFinding(client: Client, organizationId: string): Promise<DoctorFinding> {
  const input = { organization_id: organizationId };
  const tried = {
    projects: operations.list_projects,
    members: operations.list_members,
    clusters: operations.list_clusters,
    webhooks: operations.list_webhooks,
  };
  const results = await Promise.all(
    Object.entries(tried).map(async ([resources, operation]) => {
      const error = await client.call(operation, input, singleAttempt()).then(() => undefined, asApiError);
      return { resources, kind: error?.kind };
    }),
  );
  const where = (...kinds: (ApiErrorKind | undefined)[]) =>
    results
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ resources }) => resources)
      .join(', ');
  const may = `reads the organization${where(undefined) && `, ${where(undefined)}`}`;
  const refused = where('forbidden');
  if (refused)
    return permissions.note(
      `${may}; may not read ${refused}`,
      'If assistants need those, create a token with more permissions.',
    );
  return permissions.good(`${may}. Write permissions can't be checked without a change`);
}

function budgetFinding(client: Client): DoctorFinding {
  const left = client.budget();
  if (!left) return budget.info('the platform reports no limit');
  const usage = `${left.remaining} of ${left.limit} requests left until ${new Date(left.resetAt).toISOString()}`;
  if (left.remaining > left.limit / 10) return budget.good(usage);
  return budget.note(
    usage,
    'Calls wait or fail when it is used up. Check who else uses this token, or give the server its own.',
  );
}

const replaceTokenAdvice =
  'Create a new token on the platform, and set it with INFRA_API_TOKEN or INFRA_API_TOKEN_FILE.';

function acceptedFinding(value: string | undefined, name: string): DoctorFinding {
  const expiry = expiryOf(value);
  const summary = `accepted, for ${clean(name)}`;
  if (expiry === undefined) return token.good(summary);
  const days = (expiry - Date.now()) / 86_400_000;
  const until = `${summary}, until ${new Date(expiry).toISOString()}`;
  return days > 7 ? token.good(until) : token.note(until, replaceTokenAdvice);
}

/** A failed request to the platform. */
interface FailedRequest {
  readonly error: ApiError;
  readonly where: string;
  /** The finding that the platform responds, with the response time. */
  readonly answers: DoctorFinding;
  readonly holdsToken: boolean;
}

const unexpectedAnswerFindings = ({ error, where }: FailedRequest): DoctorFinding[] => [
  platform.bad(
    `${where} does not respond like the API: ${error.reason}`,
    'Check that INFRA_BASE_URL is the URL of the API, including its path.',
  ),
];

const unreachableFindings = ({ error, where }: FailedRequest): DoctorFinding[] => [
  platform.bad(`${where}: ${error.reason}`, error.next),
  token.skipped('the platform does not answer'),
  permissions.skipped('the platform does not answer'),
  budget.skipped('the platform does not answer'),
];

/** Findings about platform and token by kind of failure. */
const findingsByErrorKind: Readonly<Record<ApiErrorKind, (failed: FailedRequest) => DoctorFinding[]>> = {
  unauthorized: ({ answers, holdsToken }) =>
    holdsToken
      ? [answers, token.bad('refused', replaceTokenAdvice), permissions.skipped('the token is refused')]
      : [answers, token.skipped('this server has none: callers send their own')],
  forbidden: ({ answers }) => [
    answers,
    token.good('accepted'),
    permissions.bad('it may not even read the organization', 'Create a token of this organization that may read.'),
  ],
  unclear_organization: ({ answers, error: { reason, detail = '' } }) => [
    answers,
    token.bad(
      `accepted, but ${clean(`${reason}. ${detail}`)}`,
      'Choose one with INFRA_ORGANIZATION, by its name or id.',
    ),
    permissions.skipped('it is not clear which organization is meant'),
  ],
  rate_limited: ({ answers, error }) => [
    answers,
    token.skipped('no requests left to check it'),
    budget.bad(error.reason, error.next),
  ],
  invalid_input: unexpectedAnswerFindings,
  not_found: unexpectedAnswerFindings,
  not_offered: unexpectedAnswerFindings,
  conflict: unexpectedAnswerFindings,
  bad_answer: unexpectedAnswerFindings,
  server_error: unreachableFindings,
  unreachable: unreachableFindings,
  timeout: unreachableFindings,
  canceled: unreachableFindings,
};

/** Checks a remote platform with a few read requests. */
async function remoteFindings(
  client: Client,
  where: string,
  holdsToken: boolean,
  value?: string,
): Promise<DoctorFinding[]> {
  const startedAt = Date.now();
  const answer = await client.call(operations.get_organization, {}, singleAttempt()).catch(asApiError);
  const answers = platform.good(`${where} answers, in ${Date.now() - startedAt} ms`);
  if (answer instanceof ApiError)
    return findingsByErrorKind[answer.kind]({ error: answer, where, answers, holdsToken });
  return [
    answers,
    acceptedFinding(value, answer.name ?? answer.id),
    await permissionsFinding(client, answer.id),
    budgetFinding(client),
  ];
}

/** Whether a GET request succeeds. */
const isAnswered = (url: string): Promise<boolean> =>
  sendRequest(url, { signal: AbortSignal.timeout(answerTimeout) }).then(
    ({ ok }) => ok,
    () => false,
  );

async function embeddedFindings(dataDir: string): Promise<DoctorFinding[]> {
  const endpoint = await endpointOf(dataDir);
  if (!endpoint) return [platform.good('the embedded one; it starts with the first call')];
  const answers = await isAnswered(`${endpoint.url}/openapi.json`);
  if (answers) return [platform.good(`the embedded one, served by process ${endpoint.pid} at ${endpoint.url}`)];
  return [
    platform.note(
      `the embedded one; process ${endpoint.pid} served it at ${endpoint.url} but doesn't respond`,
      'The next call starts it again. Do nothing, unless that process hangs: then end it.',
    ),
  ];
}

/**
 * Checks that the platform is reachable and accepts the token, what the token may read, and the remaining request
 * budget.
 */
export async function platformFindings(config: Config): Promise<DoctorFinding[]> {
  if (config.baseUrl === undefined) return embeddedFindings(config.dataDir);
  try {
    const connection = await remoteConnection(config, createLog('silent'));
    try {
      const { client } = await connection.connect();
      const [value] = connection.secrets();
      return await remoteFindings(client, config.baseUrl, value !== undefined, value);
    } finally {
      await connection.close();
    }
  } catch (error) {
    return [platform.bad(errorMessage(error), 'Correct INFRA_BASE_URL, INFRA_API_TOKEN or INFRA_API_TOKEN_FILE.')];
  }
}
