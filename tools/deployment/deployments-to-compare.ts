import { maximumPageSize } from '../../src/contract/index.ts';
import { readDeployment, type HistoryItem } from '../../src/analysis/index.ts';
import { naming, recordsIn, show, type ToolContext, type ToolText } from '../../src/server/tool/index.ts';
import { allowedRequests, eachWithin } from '../shared/allowance.ts';
import { readAspect, subjectAt, type Subject } from '../shared/any-service.ts';
import { environmentsWithin, lookedAtText, unlessFailing } from '../shared/places.ts';

/** Two deployments of one place, the earlier one first, and the path of their environment if it was looked for. */
interface DeploymentsToCompare {
  readonly items: readonly [HistoryItem, HistoryItem];
  readonly environment?: string;
}

/** What to do instead, whatever is wrong with the ids. */
const instead: ToolText = [
  'Two deployments of one service or environment are compared: give their ids.',
  naming`${'list_deployments'} shows which there are, each with its id.`,
  naming`What differs between two environments is shown by ${'compare_environments'}.`,
];

const idOf = (item: HistoryItem): string => readDeployment(item).id ?? '';

/** The newest part of a history, newest first; undefined if it can't be read. */
async function newestOf(context: ToolContext, subject: Subject): Promise<readonly HistoryItem[] | undefined> {
  const query = { page: 1, page_size: maximumPageSize };
  const history = await readAspect(context, subject, 'deployments', query);
  return history && recordsIn(history['results']);
}

/** The two with these ids, the earlier one first; undefined unless both are there. @param items newest first */
function bothIn(items: readonly HistoryItem[], ids: readonly string[]): DeploymentsToCompare['items'] | undefined {
  const [second, first] = items.filter((item) => ids.includes(idOf(item)));
  return first && second && [first, second];
}

const missingIn = (items: readonly HistoryItem[], ids: readonly string[]): string =>
  ids.filter((id) => !items.some((item) => idOf(item) === id)).join(' or ');

async function ofGiven(context: ToolContext, subject: Subject, ids: readonly string[]): Promise<DeploymentsToCompare> {
  const items = await newestOf(context, subject);
  if (!items) return context.refuse(`the deployments of this ${subject.kind} can't be read here`, instead);
  const both = bothIn(items, ids);
  return both
    ? { items: both }
    : context.refuse(
        `among the newest ${maximumPageSize} deployments of this ${subject.kind} there is none with the id ${missingIn(items, ids)}: it may be of another service or environment`,
        instead,
      );
}

/** Looks through the environments' histories, until both are found. */
async function ofAny(
  context: ToolContext,
  project: string | undefined,
  ids: readonly string[],
): Promise<DeploymentsToCompare> {
  const { places, allowance } = await environmentsWithin(context, { project }, () => ({
    remainingRequests: allowedRequests(context),
  }));
  const hasId = (item: HistoryItem): boolean => ids.includes(idOf(item));
  const histories = await eachWithin(
    places.environments,
    allowance,
    async ({ id, path }) => {
      const items = await unlessFailing(newestOf(context, { kind: 'environment', id }));
      return { path, items, found: (items ?? []).filter(hasId) };
    },
    { isDone: (read) => new Set(read.flatMap(({ found }) => found.map(idOf))).size === ids.length },
  );
  const holding = histories.filter(({ found }) => found.length > 0);
  for (const { path, found } of holding) {
    const both = bothIn(found, ids);
    if (both) return { items: both, environment: path };
  }
  if (holding.length > 1)
    return context.refuse(
      'these two deployments are of two environments',
      instead,
      holding.flatMap(({ path, found }) => found.map((item) => `${idOf(item)}: ${show(path)}`)).join('\n'),
    );
  const read = histories.filter(({ items }) => items);
  const lacking = places.unread.length + places.notReached.length + places.environments.length - read.length;
  return context.refuse(
    `no deployment with the id ${missingIn(
      holding.flatMap(({ found }) => found),
      ids,
    )} is among the newest ${maximumPageSize} of ${lookedAtText(read.length, undefined, context)}${lacking === 0 ? '' : `; ${lacking} more could not be looked into`}`,
    instead,
  );
}

/**
 * The two deployments to compare: of the service or environment that the call gives, or else of the environment whose
 * history has both.
 * @param ids of the deployments, in any order
 * @throws CallFailure with all that is wrong and what to do instead
 */
export async function deploymentsToCompare(
  context: ToolContext,
  project: string | undefined,
  ids: readonly string[],
): Promise<DeploymentsToCompare> {
  if (ids.length !== 2 || new Set(ids).size !== 2)
    return context.refuse('not the ids of two different deployments are given', instead);
  const given = subjectAt(context, 'service') ?? subjectAt(context, 'environment');
  return given ? ofGiven(context, given, ids) : ofAny(context, project, ids);
}
