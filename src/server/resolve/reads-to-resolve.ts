import { operations } from '../../contract/index.ts';
import { readUses, type ReadUse, type ResourceKind } from '../tool/index.ts';
import { listChainsFor } from './resource-hierarchy.ts';

/** What finding a resource of this kind by its name reads. */
export function readsToResolve(kind: ResourceKind): readonly ReadUse[] {
  const without = kind === 'organization' ? 'the organization is not filled in: its id has to be given' : `names of a kind ${kind} can not all be found: give ids`;
  const lists = listChainsFor(kind).flatMap((chain) => chain.map(({ listing }) => listing.operation));
  return readUses(without, ...new Set([operations.get_organization, ...lists]));
}
