import { segmentOf } from '../../src/contract/index.ts';
import { readDeployment, servicesDeployed, type HistoryItem, type PastDeployment } from '../../src/analysis/index.ts';
import { pruneRecord, type JsonRecord } from '../../src/server/tool/index.ts';
import type { FoundDeployment } from '../shared/found-deployments.ts';

/** The columns of a list of deployments. */
export const columns = [
  'path',
  'mode',
  'state',
  'action',
  'at',
  'seconds',
  'steps',
  'by',
  'commit',
  'message',
  'image',
  'services',
  'id',
];

/** The services of an environment's deployment: `search 2.4.1 DEPLOYED`. */
const services = (item: HistoryItem): readonly string[] =>
  servicesDeployed(item).map(({ name, version, state }) => [name, version, state].filter(Boolean).join(' '));

/** The steps that took time: `DEPLOYMENT_QUEUEING 32 s`. */
const stepTexts = ({ steps = [] }: PastDeployment): readonly string[] =>
  steps.flatMap(({ name, seconds }) => (seconds ? [`${name} ${seconds} s`] : []));

/** A deployment as a row. */
export function row(item: HistoryItem): JsonRecord {
  const past = readDeployment(item);
  const { state, action, startedAt, seconds, triggeredBy, commit, commitMessage, image, id } = past;
  return pruneRecord({
    state,
    action,
    at: startedAt,
    seconds,
    steps: stepTexts(past),
    by: triggeredBy,
    commit,
    message: commitMessage,
    image,
    services: services(item),
    id,
  });
}

/**
 * The same of one of several places: with its path, down to the service if it was the only one, and the environment's
 * mode.
 */
export function rowWithPath(
  { subject: { id, path = id }, item }: FoundDeployment,
  mode: string | undefined,
): JsonRecord {
  const [only, ...others] = item.services ?? [];
  const name = others.length === 0 ? only?.name : undefined;
  return pruneRecord({
    path: name ? `${path}/${segmentOf(name)}` : path,
    mode,
    ...row(name ? { ...item, details: { ...only?.details, ...item.details }, services: undefined } : item),
  });
}
