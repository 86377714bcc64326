import type { ReferenceKind } from '../../contract/primitives.ts';
import { isRecord, type JsonRecord } from '../json/values.ts';

/** Something the platform has, as far as finding it goes. Never holds more: things are kept on disk. */
export interface ResourceRef {
  readonly kind: ReferenceKind;
  readonly id: string;
  readonly name?: string;
  /** What an environment is for. */
  readonly mode?: string;
  /** What a variable is set on. */
  readonly scope?: string;
  /** What it lies in, where that is known. */
  readonly parent?: { readonly kind: ReferenceKind; readonly id: string };
}

const textIn = (row: JsonRecord, name: string): string | undefined => {
  const value = row[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The host of an address: the rest of it may hold a secret. */
const hostOf = (address: string | undefined): string | undefined => (address === undefined ? undefined : URL.parse(address)?.host);

/** What people call it: its name, the key of a variable, the host that a webhook tells. */
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
 * A row of an answer as a thing; undefined where it isn't one.
 * @param kinds what it can be; services say themselves which kind they are of.
 * @param parent what it lies in; by default what the row points at.
 */
export function resourceRefOf(row: unknown, kinds: readonly ReferenceKind[], parent?: ResourceRef['parent']): ResourceRef | undefined {
  if (!isRecord(row)) return undefined;
  const id = textIn(row, 'id')?.toLowerCase();
  const kind = kinds.length === 1 ? kinds[0] : kinds.find((one) => one === textIn(row, 'service_type')?.toLowerCase());
  if (id === undefined || kind === undefined) return undefined;
  const within = parent ?? parentOf(row);
  const told = { name: nameOf(row), mode: textIn(row, 'mode'), scope: textIn(row, 'scope') };
  return {
    kind, id,
    ...(told.name !== undefined && { name: told.name }),
    ...(kind === 'environment' && told.mode !== undefined && { mode: told.mode }),
    ...(kind === 'environment_variable' && told.scope !== undefined && { scope: told.scope }),
    ...(within && { parent: within }),
  };
}
