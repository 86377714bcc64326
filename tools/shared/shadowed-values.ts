import {
  isRecord,
  notKnown,
  omit,
  readUses,
  recordsIn,
  show,
  type JsonRecord,
  type ReadUse,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import {
  effective,
  narrowness,
  scopeOf,
  seenBy,
  variableLists,
  type Reads,
  type VariableOwner,
} from './owned-variables.ts';

/** A value that no longer counts for an owner and what is in it, because a new one of its own takes its place. */
export interface ShadowedValue {
  readonly key: string;
  /** The scope in which it is set. */
  readonly scope: string;
  readonly kind: 'secret' | 'variable';
}

/** The reads of `shadowedBy`. */
export const readsOfShadowed: readonly ReadUse[] = readUses(
  'that a value of a wider scope no longer counts is not told',
  ...variableLists('variables'),
  ...variableLists('secrets'),
);

/**
 * The values of wider scopes that new variables or secrets of an owner take the place of; undefined if what it sees
 * can't be read.
 */
export async function shadowedBy(
  { kind, id }: VariableOwner,
  keys: readonly string[],
  reads: Reads,
): Promise<readonly ShadowedValue[] | undefined> {
  if (kind === 'project' || keys.length === 0) return [];
  const { variables, secrets } = await seenBy(kind, id, reads);
  if (!variables || !secrets) return undefined;
  const isWider = (row: JsonRecord): boolean => narrowness(row) < narrowness({ scope: scopeOf(kind) });
  const wider = { variables: variables.filter(isWider), secrets: secrets.filter(isWider) };
  return keys.flatMap((key) => {
    const found = effective(wider, key);
    return found
      ? [{ key, scope: String(found.row['scope']), kind: found.isSecret ? ('secret' as const) : ('variable' as const) }]
      : [];
  });
}

/** Which value no longer counts, and for whom. */
const shadowedText = ({ key, scope, kind: what }: ShadowedValue, kind: string): string =>
  `The ${what} ${show(key)} of scope ${scope} no longer counts ${kind === 'environment' ? 'in this environment' : `for this ${kind}`}.`;

/** The same as lines of a plan. */
export async function shadowedLines(
  owner: VariableOwner,
  keys: readonly string[],
  reads: Reads,
): Promise<readonly string[]> {
  const found = await shadowedBy(owner, keys, reads);
  return (
    found?.map((one) => shadowedText(one, owner.kind)) ?? [
      notKnown(`whether a value of a wider scope for ${keys.map(show).join(', ')} no longer counts`),
    ]
  );
}

/** An answer with what no longer counts, from reads before the change where there were any; as it is, if nothing. */
export async function withShadowed(
  answer: JsonRecord,
  owner: VariableOwner,
  keys: readonly string[],
  context: ToolContext,
): Promise<JsonRecord> {
  const found = (await shadowedBy(owner, keys, { attempt: context.before })) ?? [];
  return found.length === 0
    ? answer
    : { ...answer, no_longer_counts: found.map((one) => ({ ...one, for: owner.kind })) };
}

const isShadowed = (row: JsonRecord): row is JsonRecord & ShadowedValue & { readonly for: string } =>
  isRecord(row) && typeof row['key'] === 'string';

/** A renderer that tells what no longer counts in a line for each. */
export const tellingShadowed = (inner: Renderer): Renderer => ({
  ...inner,
  text: (view) =>
    [
      inner.text(omit(view, ['no_longer_counts'])),
      ...recordsIn(view['no_longer_counts'])
        .filter(isShadowed)
        .map((one) => shadowedText(one, one.for)),
    ].join('\n'),
});
