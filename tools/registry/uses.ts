import { identifyingMembers, type AnyOperation } from '../../src/contract/index.ts';
import {
  notKnown,
  pick,
  reading,
  readUses,
  rowsIn,
  show,
  type JsonRecord,
  type PlanLine,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';

const placeText = ({ service_type: kind, service_name: name, environment_name: environment, ...row }: JsonRecord) =>
  `${show(kind).toLowerCase()} ${[row['project_name'] ?? [], environment, name].flat().map(show).join('/')}`;

/** What a record says of itself: how many services use it. */
const countOf = (record: JsonRecord | undefined): number | undefined => {
  const count = record?.['associated_services_count'];
  return typeof count === 'number' ? count : undefined;
};

/** How many services use a resource, by both reads; undefined if neither tells. */
const usesIn = (listed: readonly JsonRecord[] | undefined, count: number | undefined): number | undefined =>
  listed === undefined ? count : Math.max(count ?? 0, listed.length);

/** How many services a plan names: a question has to show all of its plan. */
const mostNamed = 20;

/**
 * The services that use what a call changes or deletes, one line each, and how many more there are.
 * @param listed undefined if they can't be read
 * @param count that the record itself gives
 */
function useLines(listed: readonly JsonRecord[] | undefined, count: number | undefined): readonly PlanLine[] {
  const total = usesIn(listed, count);
  if (total === 0) return ['No service that is shown here uses it.'];
  if (listed === undefined || total === undefined)
    return [notKnown(count === undefined ? 'which services use it' : `which ${count} services use it`)];
  const uses = listed.slice(0, mostNamed);
  const others = total - uses.length;
  return [
    ...uses.map((use) => `Used by: ${placeText(use)}.`),
    ...(others > 0 ? [`Used by ${others} more, which are not shown here.`] : []),
  ];
}

/** The reads of a plan that shows what uses a resource: the resource, and the services. */
interface UseReads {
  readonly get: AnyOperation;
  readonly uses: AnyOperation;
}

const readsOf = ({ get, uses }: UseReads) => [
  ...readUses('the plan does not show what it is now', get),
  ...readUses('the plan does not show which services use it', uses),
];

/** A resource, and the services that use it; each undefined if it can't be read. */
async function readUsed({ get, uses }: UseReads, args: JsonRecord, { attempt }: Pick<ToolContext, 'attempt'>) {
  const ids = pick(args, identifyingMembers(get));
  const [record, list] = await Promise.all([attempt(get, ids), attempt(uses, ids)]);
  return { record: record as JsonRecord | undefined, listed: list && rowsIn(list) };
}

/** The services that use what a call changes: they get the change with their next deployment. */
export const usedBy = ({ get, uses }: UseReads): Preview =>
  reading(readsOf({ get, uses }), async (args, { reader }) => {
    const { record, listed } = await readUsed({ get, uses }, args, reader);
    return useLines(listed, countOf(record));
  });

/**
 * What a deletion would remove, and who uses it.
 * @param describe the resource in one line
 * @param without what those can't do any more, as a sentence
 */
export const deletionOf = (reads: UseReads, describe: (record: JsonRecord) => string, without?: string): Preview =>
  reading(readsOf(reads), async (args, { reader }) => {
    const { record, listed } = await readUsed(reads, args, reader);
    const count = countOf(record);
    return [
      record ? describe(record) : notKnown('what it is now'),
      ...useLines(listed, count),
      ...(usesIn(listed, count) === 0
        ? []
        : [
            ...(without === undefined ? [] : [without]),
            'Change these services first: a platform refuses this while it is used, or leaves them without it.',
          ]),
    ];
  });
