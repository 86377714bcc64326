import type { ResolvedResource } from '../tool/name-resolver.ts';
import { joinPath } from './names.ts';
import type { ResourceIndex } from './resource-index.ts';
import type { ResourceRef } from './resource-ref.ts';
import { isOfKind } from './resource-hierarchy.ts';

/** A thing with all that it lies in, from the outermost; never empty. */
export type ResourcePath = readonly ResourceRef[];

export const leafOf = (trail: ResourcePath): ResourceRef => trail.at(-1)!;

// More than the tree is deep: what a platform says of parents could go in a circle.
const maximumDepth = 8;

/** A thing with what it is known to lie in. */
export function pathTo(thing: ResourceRef, principal: string, seen: ResourceIndex, depth = maximumDepth): ResourcePath {
  const { parent } = thing;
  if (parent === undefined || depth === 0) return [thing];
  return [...pathTo(seen.get(principal, parent.kind, parent.id) ?? parent, principal, seen, depth - 1), thing];
}

/** The names from the project down; undefined where one of them isn't known. */
function pathText(trail: ResourcePath): string | undefined {
  const isRooted = trail[0]?.kind === 'organization' || trail[0]?.kind === 'project';
  const names = trail.filter(({ kind }) => kind !== 'organization').map(({ name }) => name);
  return isRooted && names.length > 0 && names.every((name) => name !== undefined) ? joinPath(names) : undefined;
}

/** The address of what a trail ends at. */
export function resolvedResourceOf(trail: ResourcePath): ResolvedResource {
  const { kind, id, name, scope } = leafOf(trail);
  const path = pathText(trail);
  const environment = trail.find((one) => one.kind === 'environment');
  const project = trail.find((one) => one.kind === 'project');
  return {
    kind, id,
    ...(name !== undefined && { name }),
    ...(scope !== undefined && { scope }),
    ...(path !== undefined && { path }),
    ...(environment && { environment: { id: environment.id, name: environment.name, mode: environment.mode } }),
    ...(project && { project: { id: project.id, name: project.name } }),
  };
}

/** How addresses are written so that each means itself: services that share a path are told apart by their kind. */
export function unambiguousPaths(addresses: readonly ResolvedResource[]): readonly string[] {
  const shared = Map.groupBy(addresses, ({ path }) => path);
  return addresses.map(({ kind, id, path }) => {
    if (path === undefined) return id;
    if (shared.get(path)!.length === 1 || !isOfKind(kind, 'service')) return path;
    const cut = path.lastIndexOf('/') + 1;
    return `${path.slice(0, cut)}${kind}:${path.slice(cut)}`;
  });
}
