import type { DifferenceName, IsOn } from '../other-platform/differences.ts';
import type { RefusedRequest } from '../other-platform/listener.ts';

interface Lesson {
  /** Default: everywhere. */
  readonly where?: DifferenceName;
  /** Method and path with its query. */
  readonly request: RegExp;
  readonly why: string;
  /** Whether one refusal tells it of all operations. */
  readonly ofAll?: true;
}

/**
 * Requests that a platform may refuse once per server, because only trying tells: the document has them, the platform
 * hasn't, and nothing read before says so. Each is sent once for every operation, then remembered.
 */
export const lessons: readonly Lesson[] = [
  {
    where: 'logsOfTwoKinds',
    request: /^GET \/(database|job|helm|terraform)\/[^/]+\/log\b/,
    why: 'which kinds have logs of their own, no answer tells',
  },
  {
    where: 'noTerraformStatus',
    request: /^GET \/terraform\/[^/]+\/status$/,
    why: 'which kinds have a status of their own, no answer tells',
  },
  {
    where: 'lockPath',
    request: /^GET \/organization\/[^/]+\/cluster\/lock$/,
    why: 'locks are listed under one of two paths',
  },
  {
    where: 'oneAtATime',
    request: /^POST \/environment\/[^/]+\/service\/(stop|deploy)$/,
    why: 'whether several services can be stopped or deployed at once, only the refusal tells',
  },
  {
    where: 'versionToDeploy',
    request: /^POST \/(application|container|job|helm)\/[^/]+\/deploy$/,
    why: 'whether a deployment needs a version, only the refusal tells',
  },
  { where: 'words', request: /^POST \/organization\/[^/]+\/webhook$/, why: 'an event has two spellings' },
  {
    where: 'noTail',
    request: /^GET \/\w+\/[^/]+\/log\?tail=\d+$/,
    why: 'a number of lines is asked for where the platform knows none',
    ofAll: true,
  },
  {
    where: 'noPages',
    request: /^GET .*\?page=\d+&page_size=\d+$/,
    why: 'a page is asked for where the platform knows none',
    ofAll: true,
  },
  {
    where: 'historiesWithoutPage',
    request: /^GET .*\/deploymentHistoryV2\?page=[2-9]\d*&pageSize=\d+$/,
    why: 'an older page is asked for where the platform knows none',
    ofAll: true,
  },
  {
    where: 'strictBodies',
    request: /^POST \/project\/[^/]+\/environment$/,
    why: 'the member for the cluster has two names',
  },
  {
    where: 'strictBodies',
    request: /^(POST \/environment\/[^/]+\/application|PUT \/application\/[^/]+)$/,
    why: 'whether the parts of an address are wanted beside it, only the refusal tells',
  },
  {
    request: /^(GET|POST) \/terraform\/[^/]+\/plan$/,
    why: 'plans of Terraform are no operation of the document, and only trying tells whether they are offered',
  },
  {
    request: /^POST \/organization\/[^/]+\/webhook\/[^/]+\/test$/,
    why: 'the same holds for test deliveries of webhooks',
  },
  { request: /^(POST|DELETE) \/alert-rules\/[^/]+\/silence$/, why: 'the same holds for silences of alert rules' },
  { request: /^POST \/job\/[^/]+\/run(\/cancel)?$/, why: 'the same holds for single runs of jobs' },
  {
    request: /^GET \/organization\/[^/]+\/cluster\/[^/]+\/advancedSettings$/,
    why: 'the same holds for settings of clusters',
  },
  { request: /^(GET|POST) \/database\/[^/]+\/(recovery|restore)\b/, why: 'the same holds for bringing databases back' },
  {
    request: /^GET \/organization\/[^/]+\/annotationsGroups\/[^/]+\/associatedItems$/,
    why: 'the document has who uses a group for labels alone',
  },
  { request: /^(PUT|DELETE) \/environment\/[^/]+\/end$/, why: 'the same holds for ends of environments' },
  { request: /^GET \/organization\/[^/]+\/deploymentWindow$/, why: 'the same holds for deployment windows' },
  { request: /^(GET|POST|DELETE) \/organization\/[^/]+\/apiToken\b/, why: 'the same holds for API tokens' },
  {
    request: /^(POST \/organization\/[^/]+\/gitToken|\w+ \/organization\/[^/]+\/gitToken\/.*)$/,
    why: 'of git tokens, the document has the list alone',
  },
];

const requestOf = ({ method, path }: RefusedRequest): string => `${method} ${path}`;

/** The operation of a request, by its path without ids and query. */
const operationOf = (refusal: RefusedRequest): string =>
  requestOf(refusal)
    .replace(/\?.*$/, '')
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '{id}');

/**
 * Whether a refusal is the first of its operation, and one that can be learned from.
 * @param all every refusal
 * @param earlier those of earlier calls: a call sends several requests at once
 */
export function isLesson(
  on: IsOn,
  refusal: RefusedRequest,
  all: readonly RefusedRequest[],
  earlier: readonly RefusedRequest[],
): boolean {
  const lesson = lessons.find(
    ({ where, request }) => (where === undefined || on(where)) && request.test(requestOf(refusal)),
  );
  if (lesson === undefined) return false;
  if (lesson.ofAll && earlier.some((one) => lesson.request.test(requestOf(one)))) return false;
  return all.find((one) => operationOf(one) === operationOf(refusal)) === refusal;
}
