import type { ReferenceKind } from '../../contract/index.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';

/** The part of a resource that name resolution needs. It never contains more, because it is stored on disk. */
export interface ResourceRef {
  readonly kind: ReferenceKind;
  readonly id: string;
  readonly name?: string;
  /** The e-mail address of a member, who is named by it, too. */
  readonly email?: string;
  /** The mode of an environment. */
  readonly mode?: string;
  /** The scope of a variable. */
  readonly scope?: string;
  /** The resource that contains it, if known. */
  readonly parent?: { readonly kind: ReferenceKind; readonly id: string };
}

const textIn = (row: JsonRecord, name: string): string | undefined => {
  const value = row[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The host of a URL: the rest of it may contain a secret. */
const hostOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : URL.parse(url)?.host);

/** The name that people use: the resource's name, a variable's key, an invitation's address, or a webhook's host. */
const nameOf = (row: JsonRecord): string | undefined =>
  textIn(row, 'name') ?? textIn(row, 'key') ?? textIn(row, 'email') ?? hostOf(textIn(row, 'target_url'));

function parentOf(row: JsonRecord): ResourceRef['parent'] {
  for (const kind of ['environment', 'project', 'organization'] as const) {
    const pointer = row[kind];
    const id = isRecord(pointer) ? textIn(pointer, 'id') : undefined;
    if (id !== undefined) return { kind, id };
  }
  return undefined;
}

/** A row of a list that can't be used as a resource: it has no id, or is of a kind that no operation accepts. */
export interface UnusableRow {
  readonly name: string;
  /** Its kind, if that is the reason. */
  readonly kind?: string;
}

// A platform's word for a kind. Other text there is not repeated.
const kindWord = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

/** The name of a row that can't be used as a resource, and the reason; undefined if it has no name. */
export function unusableRowOf(row: JsonRecord): UnusableRow | undefined {
  const [name, kind] = [nameOf(row), textIn(row, 'service_type')];
  if (name === undefined) return undefined;
  return textIn(row, 'id') === undefined
    ? { name }
    : { name, kind: kind !== undefined && kindWord.test(kind) ? kind : 'that it does not name' };
}

/** Why a row can't be used as a resource, as a sentence. */
export const unusableText = ({ kind }: UnusableRow): string =>
  kind === undefined
    ? 'The platform lists one of that name without an id: the list shows it, but it can neither be read by itself nor changed or deleted.'
    : `The platform lists one of that name, of a kind ${kind}: no tool here acts on it, only lists show it.`;

/**
 * Reads a row of an answer; undefined if it isn't a resource of these kinds.
 * @param kinds the possible kinds; of several, the row's `service_type` decides.
 * @param parent the resource that contains it. Default: the environment, project or organization to which the row
 *   refers.
 */
export function resourceRefOf(
  row: unknown,
  kinds: readonly ReferenceKind[],
  parent?: ResourceRef['parent'],
): ResourceRef | undefined {
  if (!isRecord(row)) return undefined;
  const id = textIn(row, 'id')?.toLowerCase();
  const kind = kinds.length === 1 ? kinds[0] : kinds.find((one) => one === textIn(row, 'service_type')?.toLowerCase());
  if (id === undefined || kind === undefined) return undefined;
  const parentRef = parent ?? parentOf(row);
  const fields = {
    name: nameOf(row),
    email: textIn(row, 'email'),
    mode: textIn(row, 'mode'),
    scope: textIn(row, 'scope'),
  };
  return {
    kind,
    id,
    ...(fields.name !== undefined && { name: fields.name }),
    ...(kind === 'member' && fields.email !== undefined && { email: fields.email }),
    ...(kind === 'environment' && fields.mode !== undefined && { mode: fields.mode }),
    ...(kind === 'environment_variable' && fields.scope !== undefined && { scope: fields.scope }),
    ...(parentRef && { parent: parentRef }),
  };
}
