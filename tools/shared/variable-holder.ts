import { isServiceKind, operations } from '../../src/contract/index.ts';
import { rowsIn, textOf, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { fewAtOnce } from './few-at-once.ts';
import { isOwnerKind, scopeOf, variablesSeenBy, type VariableOwner } from './owned-variables.ts';

/** The result of a search for the owner of a variable by id. */
export interface HolderSearch {
  /** Its owner; undefined if it wasn't found. */
  readonly holder?: VariableOwner;
  /** Its scope, if it was found. */
  readonly scope?: string;
  /** The names of owners that could not be read. */
  readonly unread: readonly string[];
}

const scopeIn = (rows: readonly JsonRecord[], id: string): string | undefined =>
  textOf(
    rows.find((row) => row['id'] === id),
    'scope',
  );

/** Searches for a variable among those of an owner. An inherited one is also found, but without a holder. */
async function lookAt(owner: VariableOwner, name: string, id: string, context: ToolContext): Promise<HolderSearch> {
  const rows = await variablesSeenBy(owner, context);
  const scope = scopeIn(rows ?? [], id);
  return {
    ...(scope !== undefined && { scope }),
    ...(scope === scopeOf(owner.kind) && { holder: owner }),
    unread: rows ? [] : [name],
  };
}

/** Finds the owner of a variable: the given one or, for an environment, one of its services. */
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
