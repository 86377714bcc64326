import { firstPart } from '../../contract/index.ts';
import { targetText, type NamedTarget } from './risk/named-target.ts';
import type { Target } from '../context/index.ts';
import type { PlannedRequest, Plan } from './planned-call.ts';
import type { JsonRecord } from '../json/index.ts';

/**
 * Maximum length of a plan in a list of calls or in the message of a chat, in characters. A longer one can be approved
 * only where all of it is shown.
 */
export const longestListedPlan = 4_000;

const longestLine = 300;

const mostLines = 40;

const cut = (line: string): string => {
  const first = firstPart(line, longestLine);
  return first === line ? line : `${first}… (${line.length - first.length} more characters)`;
};

const needsQuotes =
  /\n|[^\S ]|[\s\u3000\u2800]{3}|^[\s"]|\s$|<\d+ (?:spaces|tabs|line feeds)>|[\s>](?:[\w.]+:\s|On \d|Sends \d|As it is:|Not what it may look like:)/;

const oneLine = (value: unknown): string =>
  typeof value === 'string' && !needsQuotes.test(value) ? value : JSON.stringify(value);

const modeText: Record<Target['mode'], string> = {
  DEVELOPMENT: ', DEVELOPMENT',
  STAGING: ', STAGING',
  PRODUCTION: ', PRODUCTION',
  unknown: ', whose mode could not be determined',
  none: '',
};

const aboutText = (target: NamedTarget): string => {
  const { kind, id, mode } = target;
  const place = kind !== 'environment' && mode === 'unknown' ? ', of an environment' : '';
  return `${targetText(target)}${place}${modeText[mode]}${id === undefined ? '' : ` (id ${id})`}`;
};

const shortened = (lines: readonly string[]): readonly string[] =>
  lines.length > mostLines ? [...lines.slice(0, mostLines), `… and ${lines.length - mostLines} more lines`] : lines;

/** A body in lines. What a request says under two names, as `cluster_id` and as `cluster`, is one line. */
const bodyLines = (body: JsonRecord): string[] => {
  const hasTwice = (plain: string): boolean =>
    body[plain] !== undefined && body[plain] === body[`${plain}_id`] && typeof body[plain] === 'string';
  return Object.entries(body)
    .filter(([name]) => !hasTwice(name))
    .map(([name, value]) => {
      const plain = name.replace(/_id$/, '');
      return `${name}${plain !== name && hasTwice(plain) ? ` and ${plain}` : ''}: ${oneLine(value)}`;
    });
};

const requestLines = ({ method, path, body = {}, unchanged = [] }: PlannedRequest): string[] => [
  `Sends: ${method} ${path}`,
  ...bodyLines(body),
  ...(unchanged.length > 0 ? [`As it is: ${unchanged.join(', ')}`] : []),
];

const idForm = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

const requestForm = ({ method, path }: PlannedRequest): string => `${method} ${path.replace(idForm, '…')}`;

/** The part of a request that distinguishes it from similar ones: its id, and its body. */
const likeRequestLine = ({ path, body = {} }: PlannedRequest): string =>
  `${idForm.exec(path)![0]}: ${Object.entries(body)
    .map(([name, value]) => `${name} ${oneLine(value)}`)
    .join(', ')}`;

/** Requests that differ only in one id and their bodies: one line each, so that a question can hold more of them. */
function likeRequestsLines(requests: readonly PlannedRequest[]): string[] {
  return [`Sends ${requests.length} times: ${requestForm(requests[0]!)}, for`, ...requests.map(likeRequestLine)];
}

const areAlike = (requests: readonly PlannedRequest[]): boolean =>
  requests.length > 1 &&
  new Set(requests.map(requestForm)).size === 1 &&
  requests.every(({ path, unchanged = [] }) => idForm.test(path) && unchanged.length === 0);

/** What is left to tell of a plan's effects, for the answer: no more lines, and no longer ones, than a person is shown. */
export const factLines = ({ effects, afterwards = effects }: Plan): readonly string[] => shortened(afterwards).map(cut);

/** A plan as text, one fact per line. @param whole whether long lines and long plans are printed in full. */
export function planText(
  { summary, target, several, requests, effects, oddities = [] }: Plan,
  { whole = false } = {},
): string {
  const odd = oddities.length > 0 ? [`Not what it may look like: ${oddities.join('; ')}.`] : [];
  const lines = [
    summary,
    several === undefined ? `On: ${aboutText(target)}` : `On ${several} services, listed below.`,
    ...odd,
    ...(several !== undefined && areAlike(requests) ? likeRequestsLines(requests) : requests.flatMap(requestLines)),
    ...effects,
  ];
  return (whole ? lines : shortened(lines).map(cut)).join('\n');
}
