import type { ReferenceKind } from '../../contract/primitives.ts';

/** What an argument can point at: a thing of one of the contract's kinds, or a service of any kind. */
export type AddressKind = ReferenceKind | 'service';

/** What a name, path, URI or id among the arguments stands for. */
export interface Address {
  readonly kind: ReferenceKind;
  readonly id: string;
  readonly name?: string;
  /** Names from the project down, as far as they are known. */
  readonly path?: string;
  readonly environment?: { readonly id?: string; readonly name?: string; readonly mode?: string };
  readonly project?: { readonly id?: string; readonly name?: string };
}
