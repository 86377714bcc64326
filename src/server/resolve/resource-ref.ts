import type { ReferenceKind } from '../../contract/index.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';

/** What name resolution needs to know about a resource. It never holds more, because it is stored on disk. */
export interface ResourceRef {
  readonly kind: ReferenceKind;
  readonly id: string;
  readonly name?: string;
  /** The mode of an environment. */
  readonly mode?: string;
  /** The scope of a variable. */
  readonly scope?: string;
  /** What contains it, if known. */
  readonly parent?: { readonly kind: ReferenceKind; readonly id: string };
}

const textIn = (row: JsonRecord, name: string): string | undefined => {
  const value = row[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The host of a URL: the rest of it may contain a secret. */
const hostOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : URL.parse(url)?.host);

/** The name that people use: the resource's name, a variable's key, or the host of a webhook's target. */
const nameOf = (row: JsonRecord): string | undefined => textIn(row, 'name') ?? textIn(row, 'key') ?? hostOf(textIn(row, 'target_url'));

function parentOf(row: JsonRecord): ResourceRef['parent'] {
  for (const kind of ['environment', 'project', 'organization'] as const) {
    const pointer = row[kind];
    const id = isRecord(pointer) ? textIn(pointer, 'id') : undefined;
    if (id !== undefined) return { kind, id };
  }
  return undefined;
}

/**
 * Reads a row of an answer; undefined if it isn't a resource of these kinds.
 * @param kinds the possible kinds; of several, the row's `service_type` decides.
 * @param parent what contains it. Default: the environment, project or organization that the row points at.
 */
export function resourceRefOf(row: unknown, kinds: readonly ReferenceKind[], parent?: ResourceRef['parent']): ResourceRef | undefined {
  if (!isRecord(row)) return undefined;
  const id = textIn(row, 'id')?.toLowerCase();
  const kind = kinds.length === 1 ? kinds[0] : kinds.find((one) => one === textIn(row, 'service_type')?.toLowerCase());
  if (id === undefined || kind === undefined) return undefined;
  const parentRef = parent ?? parentOf(row);
  const fields = { name: nameOf(row), mode: textIn(row, 'mode'), scope: textIn(row, 'scope') };
  return {
    kind, id,
    ...(fields.name !== undefined && { name: fields.name }),
    ...(kind === 'environment' && fields.mode !== undefined && { mode: fields.mode }),
    ...(kind === 'environment_variable' && fields.scope !== undefined && { scope: fields.scope }),
    ...(parentRef && { parent: parentRef }),
  };
}
