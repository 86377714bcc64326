import { outsideChangeIn } from '../../src/analysis/index.ts';
import {
  isRecord,
  show,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import type { Subject } from './any-service.ts';
import { ifPossible } from './if-possible.ts';
import { allSeenBy, isOwnerKind, ownedVariableReads } from './owned-variables.ts';

/** Maximum number of variables that an answer names. */
const mostNamed = 10;

/** What is told where nothing shows a difference. */
const nothingShown = 'not known';

/** What is told of a change whose value can't be compared with the deployed one: it may have been set back. */
const maybeAsDeployed = 'may be as deployed';

/** The reads of `whatDiffers`. */
export const readsOfDifference: readonly ReadUse[] = [
  ...ownedVariableReads('variables'),
  ...ownedVariableReads('secrets'),
];

const isAfter = (time: string | undefined, moment: string): boolean =>
  time !== undefined && Date.parse(time) > Date.parse(moment);

/** A variable or secret that was set after a moment, without its value. */
const variableText =
  (what: 'variable' | 'secret', moment: string) =>
  (row: JsonRecord): readonly string[] => {
    const at = textOf(row, 'updated_at') ?? textOf(row, 'created_at');
    if (!isAfter(at, moment) || row['scope'] === 'BUILT_IN') return [];
    const isAdded = isAfter(textOf(row, 'created_at'), moment);
    const how = isAdded ? `added at ${at}` : `changed at ${at}, ${maybeAsDeployed}`;
    return [`${what} ${show(row['key'])} of scope ${show(row['scope'])} ${how}`];
  };

/**
 * What changed of a service that is out of date, since its last deployment: its configuration, and the variables and
 * secrets that it sees. Nothing for others, or where its status tells what was changed outside of the platform. What was
 * deployed can't be read: of what was changed, it is said that it may have been set back. What was removed isn't told.
 */
export async function whatDiffers(
  context: ToolContext,
  { kind, id }: Pick<Subject, 'kind' | 'id'>,
  { configuration, status }: { readonly configuration?: JsonRecord; readonly status?: JsonRecord },
): Promise<JsonRecord> {
  if (status?.['service_deployment_status'] !== 'OUT_OF_DATE' || outsideChangeIn(status) !== undefined) return {};
  const deployed = textOf(status, 'last_deployment_date');
  if (deployed === undefined) return { changed_since_deployment: nothingShown };
  const seen = isOwnerKind(kind)
    ? await ifPossible(context, 'Which variables changed', () => allSeenBy(kind, id, context))
    : undefined;
  const changed = [
    ...(seen?.variables ?? []).flatMap(variableText('variable', deployed)),
    ...(seen?.secrets ?? []).flatMap(variableText('secret', deployed)),
  ];
  const configuredAt = isRecord(configuration) ? textOf(configuration, 'updated_at') : undefined;
  const told = [
    ...(isAfter(configuredAt, deployed) ? [`its configuration, changed at ${configuredAt}, ${maybeAsDeployed}`] : []),
    ...changed.slice(0, mostNamed),
    ...(changed.length > mostNamed ? [`${changed.length - mostNamed} more`] : []),
  ];
  return { changed_since_deployment: told.length === 0 ? nothingShown : told };
}

/** The same as a line of an answer; none for a service that isn't out of date. */
export const differenceLines = (changed: unknown): readonly string[] => {
  if (changed === nothingShown)
    return ['Out of date. Not known: what differs from what runs; something may have been removed.'];
  return Array.isArray(changed)
    ? [`Out of date. Since its last deployment: ${changed.map(String).join('; ')}. What was removed is not shown.`]
    : [];
};
