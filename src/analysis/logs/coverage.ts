import { maximumLogLines } from '../../contract/index.ts';
import { saysNeverDeployed, type LenientServiceStatus } from '../deployment-progress.ts';
import { laterFirst } from '../time-order.ts';
import type { LogLine } from './log-line.ts';

/** What could be read of one log. */
export interface LogCoverage {
  /** The service that the log is of; absent if there is only one. */
  readonly service?: string;
  readonly lines: number;
  /** How many instances of the service its lines are from; absent if they name none. */
  readonly instances?: number;
  /** Time of the first line. */
  readonly from?: string;
  /** It has as many lines as the platform answers at most: there may have been earlier ones. */
  readonly is_full?: true;
  /** Since when it has lines of instances, where the platform loses those of replaced ones. */
  readonly instances_since?: string;
  /** Of an empty log: when the service was last deployed, or that it never was. */
  readonly deployed_at?: string;
  readonly never_deployed?: true;
  /** The log itself could not be read: the lines are from the log of the environment. */
  readonly not_read?: true;
}

/** The time of the first line; undefined if no line has one that can be read. */
export const firstTime = (lines: readonly LogLine[]): string | undefined =>
  lines
    .flatMap(({ created_at: time }) => (Number.isNaN(Date.parse(time ?? '')) ? [] : time!))
    .toSorted(laterFirst)
    .at(-1);

// Builds have a pod, too, and what the platform itself writes has a word in place of one.
const isInstance = (pod: string): boolean => /-.*\d/.test(pod) && !pod.startsWith('build-');

/** The number of instances that lines name, by the names of their pods. */
const instancesIn = (lines: readonly LogLine[], service: string | undefined): number =>
  new Set(lines.flatMap(({ pod_name: pod }) => (pod && pod !== service && isInstance(pod) ? [pod] : []))).size;

/** What the lines of a log cover. */
export function coverageOf(
  lines: readonly LogLine[],
  { service, instancesSince }: { readonly service?: string; readonly instancesSince?: string } = {},
): LogCoverage {
  const from = firstTime(lines);
  const instances = instancesIn(lines, service);
  return {
    ...(service !== undefined && { service }),
    lines: lines.length,
    ...(instances > 0 && { instances }),
    ...(from !== undefined && { from }),
    ...(lines.length >= maximumLogLines && { is_full: true }),
    ...(instancesSince !== undefined && { instances_since: instancesSince }),
  };
}

/** When a service was last deployed, from its status. */
export function deployedAt(
  status: LenientServiceStatus | undefined,
): Pick<LogCoverage, 'deployed_at' | 'never_deployed'> {
  const deployed = status?.last_deployment_date;
  if (typeof deployed === 'string') return { deployed_at: deployed };
  return status && saysNeverDeployed(status) ? { never_deployed: true } : {};
}

/** Whether lines of instances are lost from the period that the log covers. */
const lacksInstances = ({ from, instances_since: since }: LogCoverage): boolean =>
  from !== undefined && since !== undefined && laterFirst(since, from) < 0;

const linesText = (log: LogCoverage): string =>
  [
    `${log.lines} lines${log.from === undefined ? '' : ` from ${log.from} on`}`,
    ...(log.instances === undefined ? [] : [`of ${log.instances} ${log.instances === 1 ? 'instance' : 'instances'}`]),
    ...(log.is_full ? ['the most that the platform shows'] : []),
    ...(lacksInstances(log) ? [`of instances only from ${String(log.instances_since)} on`] : []),
  ].join(', ');

const emptyText = ({ deployed_at, never_deployed, instances_since }: LogCoverage): string =>
  never_deployed
    ? 'empty, never deployed'
    : (deployed_at ?? instances_since) === undefined
      ? 'empty'
      : `empty, though it could have lines since the last deployment at ${deployed_at ?? instances_since}`;

const coverageText = (log: LogCoverage): string => {
  const has = log.lines === 0 ? (log.not_read ? '' : emptyText(log)) : linesText(log);
  const told = log.not_read
    ? ['own log not read', ...(has ? [`of its latest deployment ${has}`] : [])].join(', ')
    : has;
  return log.service === undefined ? told : `${log.service}: ${told}`;
};

const isCoverage = (value: unknown): value is LogCoverage =>
  typeof value === 'object' && value !== null && 'lines' in value && typeof value.lines === 'number';

/**
 * The period that an answer about logs covers, as text: what each log has, and that nothing is known of before.
 * @param logs what `coverageOf` told of each
 * @param done what was done with the lines
 */
export function periodText(logs: unknown, done: 'Searched' | 'Read' = 'Searched'): string {
  const known = Array.isArray(logs) ? logs.filter(isCoverage) : [];
  if (known.length === 0) return '';
  return [
    `${done}: ${known.map(coverageText).join('; ')}.`,
    ...(known.some(({ lines }) => lines > 0) ? ['Nothing is known of before.'] : []),
    ...(known.some(({ instances }) => instances !== undefined)
      ? ['Instances without a line there are not counted.']
      : []),
    ...(known.some(lacksInstances)
      ? ['What earlier instances logged is lost: a deployment, restart or stop ended them.']
      : []),
  ].join(' ');
}
