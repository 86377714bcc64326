import { operations } from '../../../contract/operations.ts';
import { serviceKinds } from '../../../contract/resources/service.ts';
import type { ResolvedResource } from '../../tool/name-resolver.ts';
import { segmentOf } from '../../resolve/names.ts';
import { withProjectName } from './find-target.ts';
import type { Target } from '../../context/target.ts';
import type { Reader } from '../../context/reader.ts';

/** A target with what people call it. */
export interface NamedTarget extends Target {
  /** Its path of names, its kind and name where it has no path, its id where no name is known. Never empty, and nothing in it is unseen. */
  readonly path: string;
}

// What hides, reorders or breaks what is read, the quotes around a path, and spaces that nobody sees.
const unsafe = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800"“”„«»]|[^\S ]|^ +| +$/gu;

/** A name as a segment of a path, with everything written out that can't be seen or could pass for something else. */
const safeSegment = (name: string): string => segmentOf(name.toWellFormed()).replace(unsafe, (characters) => encodeURIComponent(characters));

/** The names on the way to a target; undefined where it has no path or one of them isn't known. */
function namesOf({ kind, name, environment, project }: Target): readonly (string | undefined)[] | undefined {
  if (kind === 'project') return [project?.name ?? name];
  if (kind === 'environment') return [project?.name, name];
  return (serviceKinds as readonly string[]).includes(kind) ? [project?.name, environment?.name, name] : undefined;
}

/** What people call a target, by the names that are known of it. */
export function targetPath(target: Target): string {
  const kind = target.kind.replaceAll('_', ' ');
  const names = namesOf(target);
  if (names?.every((name) => name !== undefined && name !== '')) return names.map((name) => safeSegment(name!)).join('/');
  if (target.name !== undefined && target.name !== '') return `${kind} ${safeSegment(target.name)}`;
  return target.id === undefined ? `new ${kind}` : safeSegment(target.id);
}

/** A target in words: its kind, and what it is called in quotes, which no path contains. */
export function targetText({ kind, id, path }: NamedTarget): string {
  const spelled = kind.replaceAll('_', ' ');
  if (path === id) return spelled;
  // Only what has no path of its own begins with its kind: a project's path is its name, and every other path has slashes.
  const isPath = kind === 'project' || path.includes('/') || !path.startsWith(`${spelled} `);
  return `${spelled} "${isPath ? path : path.slice(spelled.length + 1)}"`;
}

/** The same target with the names that its path needs, where the platform tells them. */
async function withNames(target: Target, reader: Reader): Promise<Target> {
  if (target.kind !== 'organization') return target.project?.name === undefined ? withProjectName(target, reader) : target;
  const name = (await reader.attempt(operations.get_organization, {}))?.['name'];
  return typeof name === 'string' ? { ...target, name } : target;
}

/** A target with the names by which the call's own arguments were found: they may be older than those that are read, and are for the record only. */
export function withResolvedNames(target: Target, addresses: Readonly<Record<string, ResolvedResource>>): Target {
  const found = Object.values(addresses).find(({ kind, id }) => kind === target.kind && id === target.id);
  return {
    ...target,
    name: target.name ?? found?.name,
    ...(target.environment && { environment: { ...target.environment, name: target.environment.name ?? found?.environment?.name } }),
    ...(target.project && { project: { ...target.project, name: target.project.name ?? found?.project?.name } }),
  };
}

/**
 * A target with what people call it.
 * @param read reads the names that aren't known yet; absent where nobody has to agree, so that harmless calls stay cheap.
 * @throws ApiError as the platform fails, other than by not offering or forbidding the read.
 */
export async function namedTarget(target: Target, reader?: Reader): Promise<NamedTarget> {
  const named = reader ? await withNames(target, reader) : target;
  return { ...named, path: targetPath(named) };
}
