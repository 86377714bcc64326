import { maximumPageSize } from '../../src/contract/index.ts';
import { laterFirst, readDeployment, type HistoryItem } from '../../src/analysis/index.ts';
import { recordsIn, type ToolContext } from '../../src/server/tool/index.ts';
import { eachWithin, type Allowance } from './allowance.ts';
import { readAspect, type Subject } from './any-service.ts';
import { unlessFailing } from './places.ts';

/** Maximum number of pages that one search reads of a history. */
const mostPages = 5;

/** The deployments to find. */
export interface WantedDeployments {
  /** Part of the state, of the deployment or of one of its services; `FAILED` for each that failed. */
  readonly state?: string;
  /** Requested at this time or later, in milliseconds since the epoch. */
  readonly from?: number;
  /** Number of matches after which older deployments are not read. */
  readonly enough: number;
}

/** What was read of the history of a service or environment. */
interface ReadHistory {
  readonly subject: Subject;
  /** Those that fit, newest first; undefined if the history could not be read. */
  readonly found: readonly HistoryItem[] | undefined;
  /** The states of all that were read. */
  readonly states: readonly string[];
  /** The time of the oldest one that was read. */
  readonly oldest?: string;
  /** Set if older ones may fit that were not read: the same time. */
  readonly cutAt?: string;
}

/** When a deployment was requested; undefined if that isn't known. */
export const requestedAt = (item: HistoryItem | undefined): string | undefined =>
  item && readDeployment(item).startedAt;

const isBefore = (time: string | undefined, from: number | undefined): boolean =>
  from !== undefined && time !== undefined && Date.parse(time) < from;

const statesOf = (item: HistoryItem): readonly string[] =>
  [item, ...(item.services ?? [])].flatMap(({ status }) => status ?? []);

/** Whether a deployment failed: cancelled ones did not. */
export const hasFailed = (item: HistoryItem): boolean => {
  const { end, state = '' } = readDeployment(item);
  return end === 'bad' && !state.startsWith('CANCEL');
};

function hasState(item: HistoryItem, wanted: string | undefined): boolean {
  const text = wanted?.toUpperCase();
  if (text === undefined || (text === 'FAILED' && hasFailed(item))) return true;
  const word = text === 'FAILED' ? 'ERROR' : text;
  return statesOf(item).some((state) => state.toUpperCase().includes(word));
}

const fits =
  ({ state, from }: WantedDeployments) =>
  (item: HistoryItem): boolean =>
    hasState(item, state) && !isBefore(requestedAt(item), from);

/** Reads a history from its newest deployment back, until enough fit or none can. Its first request is paid for. */
async function readBack(
  context: ToolContext,
  subject: Subject,
  wanted: WantedDeployments,
  allowance: Allowance,
): Promise<ReadHistory> {
  const isFiltered = wanted.state !== undefined || wanted.from !== undefined;
  const page_size = isFiltered ? maximumPageSize : Math.min(wanted.enough, maximumPageSize);
  const items: HistoryItem[] = [];
  let oldest: string | undefined;
  for (let page = 1; ; page += 1) {
    const read = readAspect(context, subject, 'deployments', { page, page_size });
    // One page after the other: whether there is a next one depends on this one.
    const answer = await unlessFailing(read);
    if (!answer && page === 1) return { subject, found: undefined, states: [] };
    const rows = recordsIn(answer?.['results']) as HistoryItem[];
    items.push(...rows);
    oldest = requestedAt(rows.at(-1)) ?? oldest;
    const history = { subject, found: items.filter(fits(wanted)), states: items.flatMap(statesOf), oldest };
    const isUntold = !answer || (answer['without_pages'] === true && page > 1 && rows.length === 0);
    const isWhole = !isUntold && (rows.length < page_size || isBefore(oldest, wanted.from));
    if (isWhole || history.found.length >= wanted.enough) return history;
    if (isUntold || page === mostPages || allowance.remainingRequests < 1) return { ...history, cutAt: oldest };
    allowance.remainingRequests -= 1;
  }
}

/** A deployment of one of several places. */
export interface FoundDeployment {
  readonly subject: Subject;
  readonly item: HistoryItem;
}

/** The deployments of several places. */
export interface FoundDeployments {
  /** Newest first. */
  readonly found: readonly FoundDeployment[];
  /** Those whose history was read. */
  readonly read: readonly Subject[];
  /** Those whose history could not be read. */
  readonly unread: readonly Subject[];
  /** Those that were not asked, to spare requests. */
  readonly notReached: readonly Subject[];
  /** Those of which older deployments may fit that were not read, and the newest time from which on all were read. */
  readonly cut: readonly Subject[];
  readonly wholeSince?: string;
  /** The time of the oldest one that was read. */
  readonly oldest?: string;
  /** The states of all that were read, in order. */
  readonly states: readonly string[];
}

/**
 * Finds deployments of services or environments, a few histories at a time.
 * @throws ApiError if the platform fails as a whole
 */
export async function findDeployments(
  context: ToolContext,
  subjects: readonly Subject[],
  wanted: WantedDeployments,
  allowance: Allowance,
): Promise<FoundDeployments> {
  const histories = await eachWithin(subjects, allowance, (subject) => readBack(context, subject, wanted, allowance));
  const cut = histories.filter(({ cutAt }) => cutAt !== undefined);
  return {
    found: histories
      .flatMap(({ subject, found = [] }) => found.map((item) => ({ subject, item })))
      .toSorted((one, other) => laterFirst(requestedAt(one.item), requestedAt(other.item))),
    read: histories.filter(({ found }) => found).map(({ subject }) => subject),
    unread: histories.filter(({ found }) => !found).map(({ subject }) => subject),
    notReached: subjects.slice(histories.length),
    cut: cut.map(({ subject }) => subject),
    wholeSince: cut.map(({ cutAt }) => cutAt).toSorted(laterFirst)[0],
    oldest: histories
      .flatMap(({ oldest }) => oldest ?? [])
      .toSorted(laterFirst)
      .at(-1),
    states: [...new Set(histories.flatMap(({ states }) => states))].toSorted(),
  };
}
