import type { AnyOperation } from '../../contract/operation.ts';
import type { ReferenceKind } from '../../contract/primitives.ts';
import type { JsonRecord } from '../json/values.ts';
import type { CallContext } from '../context/call-context.ts';
import type { Reader } from '../context/reader.ts';

/** What an argument can point at: a thing of one of the contract's kinds, or a service of any kind. */
export type ResourceKind = ReferenceKind | 'service';

/** What a name, path, URI or id among the arguments stands for. */
export interface ResolvedResource {
  readonly kind: ReferenceKind;
  readonly id: string;
  readonly name?: string;
  /** Of a variable: what it is set on. The same key can be set on several. */
  readonly scope?: string;
  /** Names from the project down, as far as they are known. */
  readonly path?: string;
  readonly environment?: { readonly id?: string; readonly name?: string; readonly mode?: string };
  readonly project?: { readonly id?: string; readonly name?: string };
}

/** How addresses are looked up on behalf of one caller. */
export interface Lookup {
  readonly principal: string;
  /** Reads the platform with the caller's rights. */
  readonly reader: Pick<Reader, 'read' | 'attempt'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Where a bare name is looked for first. */
  readonly within?: {
    readonly organizationId?: string;
    readonly projectId?: string;
    readonly environmentId?: string;
    readonly service?: Pick<ResolvedResource, 'kind' | 'id'>;
  };
  /** Where alone anything is looked for, and what is told of that where nothing is found. */
  readonly only?: { readonly projectId?: string; readonly environmentId?: string; readonly note: string };
}

/** How names are looked up for a call. */
export const lookupFor = ({ context, reader }: { readonly context: CallContext; readonly reader: Reader }, within?: Lookup['within']): Lookup => ({
  principal: context.principal, reader, now: () => context.clock.now(), within,
});

/** What finds the things that names stand for. Nothing it knows of one principal is told to another. */
export interface NameResolver {
  /** @throws CallFailure where there is no such thing, or more than one; ApiError as the platform fails. */
  resolve(kind: ResourceKind, given: string, look: Lookup): Promise<ResolvedResource>;
  /** Names and ids that what was typed may be the beginning of, best first. */
  complete(kind: ResourceKind, typed: string, look: Lookup): Promise<readonly string[]>;
  /** The id of the token's organization. @throws ApiError as the platform fails. */
  organization(look: Lookup): Promise<string>;
  /** Takes note of what an operation answered. */
  learn(operation: AnyOperation, input: JsonRecord, answer: unknown, principal: string): void;
}
