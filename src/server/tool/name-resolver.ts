import type { AnyOperation, ReferenceKind } from '../../contract/index.ts';
import type { JsonRecord } from '../json/index.ts';
import type { CallContext, Reader } from '../context/index.ts';

/** The kinds to which an argument can refer: one of the contract's kinds, or a service of any kind. */
export type ResourceKind = ReferenceKind | 'service';

/** The resource that a name, path, URI or id among the arguments refers to. */
export interface ResolvedResource {
  readonly kind: ReferenceKind;
  readonly id: string;
  readonly name?: string;
  /** For a variable: its scope. The same key can be set in several scopes. */
  readonly scope?: string;
  /** Path of names from the project down, if they are known. */
  readonly path?: string;
  readonly environment?: { readonly id?: string; readonly name?: string; readonly mode?: string };
  readonly project?: { readonly id?: string; readonly name?: string };
  /** For a variable that was found among those of a service: that service. */
  readonly service?: { readonly kind: ReferenceKind; readonly id: string };
}

/** How names are looked up for one caller. */
export interface Lookup {
  readonly principal: string;
  /** Reads the platform with the caller's rights. */
  readonly reader: Pick<Reader, 'read' | 'attempt'>;
  /**
   * Skips rows that can't be read; without it, such a list is a failure.
   * @param onRowsLost is called when that happens.
   */
  readonly readerInParts?: (onRowsLost: () => void) => Pick<Reader, 'read' | 'attempt'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Where a bare name is searched first. */
  readonly within?: {
    readonly organizationId?: string;
    readonly projectId?: string;
    readonly environmentId?: string;
    readonly service?: Pick<ResolvedResource, 'kind' | 'id'>;
  };
  /**
   * Identifies the rules under which the reader hides rows, if it does: such lists are cached separately, and data seen
   * otherwise isn't revealed.
   */
  readonly view?: string;
  /** Whether the resource is to be changed: then only an exact match in a cached list counts. */
  readonly isForChange?: boolean;
  /** Whether cached lists are ignored. */
  readonly withNewLists?: boolean;
  /**
   * When one list of the services of the organization may be read in place of those of its environments: if one name is
   * looked for in many, or always, because other names are looked up at the same time. Default: never.
   */
  readonly readsAtOnce?: 'if many' | 'always';
  /** Limits every search to a project or environment. `note` is reported if nothing is found there. */
  readonly only?: { readonly projectId?: string; readonly environmentId?: string; readonly note: string };
}

/** How names are looked up for a call. */
export const lookupFor = (
  { context, reader }: { readonly context: CallContext; readonly reader: Reader },
  within?: Lookup['within'],
): Lookup => ({ principal: context.principal, reader, now: () => context.clock.now(), within });

/** Resolves names to resources. It never reveals to one principal what it learned from another. */
export interface NameResolver {
  /** @throws CallFailure if there is no such resource, or more than one; ApiError if the platform fails. */
  resolve(kind: ResourceKind, reference: string, lookup: Lookup): Promise<ResolvedResource>;
  /** Names and ids that complete the typed text, best first. */
  complete(kind: ResourceKind, typed: string, lookup: Lookup): Promise<readonly string[]>;
  /**
   * The id of the token's organization: the chosen one, or the only one.
   * @throws ApiError if the platform fails, or if it isn't clear which one.
   */
  organization(lookup: Lookup): Promise<string>;
  /** Remembers names and ids from an operation's answer. */
  learn(operation: AnyOperation, input: JsonRecord, answer: unknown, principal: string): void;
}
