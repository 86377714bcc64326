import { isServiceKind, operations } from '../../src/contract/index.ts';
import { rowsIn, textOf, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { fewAtOnce } from './few-at-once.ts';
import { isOwnerKind, scopeOf, variablesSeenBy, type VariableOwner } from './owned-variables.ts';

/** Where a variable with some id was looked for. */
export interface HolderSearch {
  /** What has it itself; undefined if it was found nowhere. */
  readonly holder?: VariableOwner;
  /** Its scope, if it was found. */
  readonly scope?: string;
  /** What could not be looked at, by name. */
  readonly unread: readonly string[];
}

const scopeIn = (rows: readonly JsonRecord[], id: string): string | undefined =>
  textOf(
    rows.find((row) => row['id'] === id),
    'scope',
  );

/** Looks for a variable among those of an owner. What is inherited there is found, too, without a holder. */
async function lookAt(owner: VariableOwner, name: string, id: string, context: ToolContext): Promise<HolderSearch> {
  const rows = await variablesSeenBy(owner, context);
  const scope = scopeIn(rows ?? [], id);
  return {
    ...(scope !== undefined && { scope }),
    ...(scope === scopeOf(owner.kind) && { holder: owner }),
    unread: rows ? [] : [name],
  };
}

/** Finds out which owner has a variable: the one that is given or, of an environment, one of its services. */
export async function findHolder(owner: VariableOwner, id: string, context: ToolContext): Promise<HolderSearch> {
  const own = await lookAt(owner, `the ${owner.kind}`, id, context);
  if (own.scope !== undefined || owner.kind !== 'environment') return own;
  const list = await context.attempt(operations.list_services, { environment_id: owner.id });
  const services = rowsIn(list).flatMap((row) => {
    const kind = textOf(row, 'service_type')?.toLowerCase() ?? '';
    return isOwnerKind(kind) && isServiceKind(kind)
      ? [{ owner: { kind, id: String(row['id']) }, name: textOf(row, 'name') ?? String(row['id']) }]
      : [];
  });
  const found = await fewAtOnce(services, (one) => lookAt(one.owner, one.name, id, context));
  return (
    found.find(({ holder }) => holder) ?? {
      unread: [...own.unread, ...(list ? [] : ['its services']), ...found.flatMap(({ unread }) => unread)],
    }
  );
}
