import type { ResolvedResource } from '../tool/index.ts';
import { joinPath } from '../../contract/index.ts';
import type { ResourceIndex } from './resource-index.ts';
import type { ResourceRef } from './resource-ref.ts';
import { isOfKind } from './resource-hierarchy.ts';

/** A resource with everything that contains it, the outermost first; never empty. */
export type ResourcePath = readonly ResourceRef[];

export const leafOf = (path: ResourcePath): ResourceRef => path.at(-1)!;

// Deeper than the hierarchy: the parents in a platform's answers could form a cycle.
const maximumDepth = 8;

/** The path to a resource, as far as its parents are known. */
export function pathTo(
  resource: ResourceRef,
  principal: string,
  index: ResourceIndex,
  depth = maximumDepth,
): ResourcePath {
  const { parent } = resource;
  if (parent === undefined || depth === 0) return [resource];
  return [...pathTo(index.get(principal, parent.kind, parent.id) ?? parent, principal, index, depth - 1), resource];
}

/** The names from the project down, joined; undefined if one of them isn't known. */
function pathText(path: ResourcePath): string | undefined {
  const isRooted = path[0]?.kind === 'organization' || path[0]?.kind === 'project';
  const names = path.filter(({ kind }) => kind !== 'organization').map(({ name }) => name);
  return isRooted && names.length > 0 && names.every((name) => name !== undefined) ? joinPath(names) : undefined;
}

/** The last resource of a path, as name resolution returns it. */
export function resolvedResourceOf(path: ResourcePath): ResolvedResource {
  const { kind, id, name, scope } = leafOf(path);
  const text = pathText(path);
  const environment = path.find((one) => one.kind === 'environment');
  const project = path.find((one) => one.kind === 'project');
  const service = kind === 'environment_variable' ? path.find((one) => isOfKind(one.kind, 'service')) : undefined;
  return {
    kind,
    id,
    ...(name !== undefined && { name }),
    ...(scope !== undefined && { scope }),
    ...(text !== undefined && { path: text }),
    ...(environment && { environment: { id: environment.id, name: environment.name, mode: environment.mode } }),
    ...(project && { project: { id: project.id, name: project.name } }),
    ...(service && { service: { kind: service.kind, id: service.id } }),
  };
}

/** References that each match one resource: services that share a path get their kind as a prefix. */
export function unambiguousPaths(resources: readonly ResolvedResource[]): readonly string[] {
  const byPath = Map.groupBy(resources, ({ path }) => path);
  return resources.map(({ kind, id, path }) => {
    if (path === undefined) return id;
    if (byPath.get(path)!.length === 1 || !isOfKind(kind, 'service')) return path;
    const nameStart = path.lastIndexOf('/') + 1;
    return `${path.slice(0, nameStart)}${kind}:${path.slice(nameStart)}`;
  });
}
