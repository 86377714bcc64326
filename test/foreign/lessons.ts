import type { DifferenceName, IsOn } from '../other-platform/differences.ts';
import type { RefusedRequest } from '../other-platform/listener.ts';

interface Lesson {
  /** Default: everywhere. */
  readonly where?: DifferenceName;
  /** Method and path with its query. */
  readonly request: RegExp;
  readonly why: string;
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
  },
  {
    where: 'noPages',
    request: /^GET .*\?page=\d+&page_size=\d+$/,
    why: 'a page is asked for where the platform knows none',
  },
  {
    where: 'historiesWithoutPage',
    request: /^GET .*\/deploymentHistoryV2\?page=[2-9]\d*&pageSize=\d+$/,
    why: 'an older page is asked for where the platform knows none',
  },
  {
    request: /^(GET|POST) \/terraform\/[^/]+\/plan$/,
    why: 'plans of Terraform are no operation of the document, and only trying tells whether they are offered',
  },
  { request: /^(GET|POST) \/database\/[^/]+\/(recovery|restore)\b/, why: 'the same holds for bringing databases back' },
];

const requestOf = ({ method, path }: RefusedRequest): string => `${method} ${path}`;

/** The operation of a request, by its path without ids and query. */
const operationOf = (refusal: RefusedRequest): string =>
  requestOf(refusal)
    .replace(/\?.*$/, '')
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '{id}');

/** Whether a refusal is the first of its operation, and one that can be learned from. */
export function isLesson(on: IsOn, refusal: RefusedRequest, all: readonly RefusedRequest[]): boolean {
  if (!lessons.some(({ where, request }) => (where === undefined || on(where)) && request.test(requestOf(refusal))))
    return false;
  return all.find((one) => operationOf(one) === operationOf(refusal)) === refusal;
}
