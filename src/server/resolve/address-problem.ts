import type { Address, AddressKind } from '../tool/address.ts';

/** Why what was given stands for nothing that can be used. */
export interface AddressProblem {
  readonly kind: AddressKind;
  readonly given: string;
  /** `not_listable`: the platform doesn't tell what there is, and nothing seen earlier fits. */
  readonly why: 'unknown' | 'ambiguous' | 'not_listable' | 'wrong_kind' | 'bad_uri';
  /** What it could stand for. */
  readonly candidates: readonly Address[];
  /** What there is instead, with the nearest names first. */
  readonly near: readonly Address[];
  /** The part of a path that isn't there. */
  readonly missing?: { readonly kind: AddressKind; readonly name: string };
  /** What else there is to know, in our own words: whole sentences. */
  readonly notes: readonly string[];
}

/** A problem about which nothing more is known. */
export const bareProblem = (kind: AddressKind, given: string, why: 'wrong_kind' | 'bad_uri'): AddressProblem => ({ kind, given, why, candidates: [], near: [], notes: [] });
