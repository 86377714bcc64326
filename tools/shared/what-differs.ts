import { outsideChangeIn } from '../../src/analysis/index.ts';
import { show, textOf, type JsonRecord, type ReadUse, type ToolContext } from '../../src/server/tool/index.ts';
import type { Subject } from './any-service.ts';
import { ifPossible } from './if-possible.ts';
import { allSeenBy, effective, isOwnerKind, ownedVariableReads, type SeenVariables } from './owned-variables.ts';

/** Maximum number of variables that an answer names. */
const mostNamed = 10;

/** What is told where nothing shows a difference. */
const nothingShown = 'not known';

/** A change since a deployment, without values. */
export interface Change {
  readonly text: string;
  /** Whether it may have been set back: what is there now can't be compared with what is deployed. */
  readonly mayBeSetBack: boolean;
}

/** A change that is not deployed yet, as text. */
export const pendingText = ({ text, mayBeSetBack }: Change): string =>
  mayBeSetBack ? `${text} (it may have been set back to what is deployed)` : text;

/** The reads of `whatDiffers`. */
export const readsOfDifference: readonly ReadUse[] = [
  ...ownedVariableReads('variables'),
  ...ownedVariableReads('secrets'),
];

const isAfter = (time: string | undefined, moment: string): boolean =>
  time !== undefined && Date.parse(time) > Date.parse(moment);

/** Whether a service differs from what is deployed of it by what was changed on the platform. */
export const isOutOfDate = (status: JsonRecord | undefined): boolean =>
  status?.['service_deployment_status'] === 'OUT_OF_DATE' && outsideChangeIn(status) === undefined;

/**
 * The variables and secrets that were set after a moment and count for the one that sees them.
 * @param moment an ISO timestamp
 */
export function variablesSetSince(moment: string, seen: SeenVariables): readonly Change[] {
  const changesOf = (what: 'variable' | 'secret', rows: readonly JsonRecord[] = []): readonly Change[] =>
    rows.flatMap((row) => {
      const [key, at] = [textOf(row, 'key'), textOf(row, 'updated_at') ?? textOf(row, 'created_at')];
      if (key === undefined || row['scope'] === 'BUILT_IN' || !isAfter(at, moment)) return [];
      if (effective(seen, key)?.row !== row) return [];
      const isNew = isAfter(textOf(row, 'created_at'), moment);
      const how = `${isNew ? 'added' : 'changed'} at ${at}`;
      return [{ text: `${what} ${show(key)} of scope ${show(row['scope'])} ${how}`, mayBeSetBack: !isNew }];
    });
  return [...changesOf('variable', seen.variables), ...changesOf('secret', seen.secrets)];
}

/** That a configuration was changed after a moment; empty if it wasn't. @param moment an ISO timestamp */
export function configurationSetSince(moment: string, configuration: JsonRecord | undefined): readonly Change[] {
  const at = textOf(configuration, 'updated_at');
  return isAfter(at, moment) ? [{ text: `its configuration, changed at ${at}`, mayBeSetBack: true }] : [];
}

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
  if (!isOutOfDate(status)) return {};
  const deployed = textOf(status, 'last_deployment_date');
  if (deployed === undefined) return { changed_since_deployment: nothingShown };
  const seen = isOwnerKind(kind)
    ? await ifPossible(context, 'Which variables changed', () => allSeenBy(kind, id, context))
    : undefined;
  const changed = seen ? variablesSetSince(deployed, seen) : [];
  const told = [
    ...configurationSetSince(deployed, configuration).map(pendingText),
    ...changed.slice(0, mostNamed).map(pendingText),
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
