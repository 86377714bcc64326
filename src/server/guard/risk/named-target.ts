import { isServiceKind, segmentOf } from '../../../contract/index.ts';
import type { ResolvedResource } from '../../tool/index.ts';
import { withProjectName } from './find-target.ts';
import { organizationWith, textIn, type Reader, type Target } from '../../context/index.ts';

/** A target with a path for display. */
export interface NamedTarget extends Target {
  /**
   * Its path of names; its kind and name if it has no path; its id if no name is known. Never empty, and without
   * invisible characters.
   */
  readonly path: string;
}

// Characters that hide, reorder or break text, quotes that could end a path, text that looks like a character spelled
// out, and invisible spaces.
const unsafe =
  /<(?=U\+|\d+ (?:spaces|tabs|line feeds)>)|[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800"“”„«»]|[^\S ]|^ +| +$/gu;

/** A text with invisible characters, and those that could be mistaken for something else, percent-encoded. */
const safeText = (text: string): string => text.replace(unsafe, (characters) => encodeURIComponent(characters));

/** A name as a path segment. */
const safeSegment = (name: string): string => safeText(segmentOf(name.toWellFormed()));

/**
 * The names that make up a target's path, with undefined for those not known; undefined for a kind that has no path.
 */
function namesOf({ kind, name, environment, project }: Target): readonly (string | undefined)[] | undefined {
  if (kind === 'project') return [project?.name ?? name];
  if (kind === 'environment') return [project?.name, name];
  return isServiceKind(kind) ? [project?.name, environment?.name, name] : undefined;
}

/** The path of a target, from the names that are known. */
export function targetPath(target: Target): string {
  const kind = target.kind.replaceAll('_', ' ');
  const names = namesOf(target);
  if (names?.every((name) => name !== undefined && name !== ''))
    return names.map((name) => safeSegment(name!)).join('/');
  if (target.name !== undefined && target.name !== '') return `${kind} ${safeSegment(target.name)}`;
  return target.id === undefined ? `new ${kind}` : safeText(target.id.toWellFormed());
}

/** A target as text: its kind and its path in quotes. No path contains a quote. */
export function targetText({ kind, id, path }: NamedTarget): string {
  const kindText = kind.replaceAll('_', ' ');
  if (path === id) return kindText;
  // Only a target without a path of names starts with its kind: a project's path is its name, and every other path has
  // slashes.
  const isPath = kind === 'project' || path.includes('/') || !path.startsWith(`${kindText} `);
  return `${kindText} "${isPath ? path : path.slice(kindText.length + 1)}"`;
}

/** Adds the names that a target's path needs, if the platform shows them. */
async function withNames(target: Target, reader: Reader): Promise<Target> {
  if (target.kind !== 'organization') return withProjectName(target, reader);
  const name = textIn(await organizationWith(target.id, reader), 'name');
  return name === undefined ? target : { ...target, name };
}

/**
 * Adds names from the call's resolved arguments. They may be older than names read from the platform: use them only for
 * the audit record.
 */
export function withResolvedNames(target: Target, resolved: Readonly<Record<string, ResolvedResource>>): Target {
  const found = Object.values(resolved).find(({ kind, id }) => kind === target.kind && id === target.id);
  return {
    ...target,
    name: target.name ?? found?.name,
    ...(target.environment && {
      environment: { ...target.environment, name: target.environment.name ?? found?.environment?.name },
    }),
    ...(target.project && { project: { ...target.project, name: target.project.name ?? found?.project?.name } }),
  };
}

/**
 * Adds a path for display to a target.
 * @param reader reads names that aren't known yet; absent if no confirmation is needed, so that harmless calls stay
 *   cheap.
 * @throws ApiError if the platform fails, other than by not offering or forbidding a read.
 */
export async function namedTarget(target: Target, reader?: Reader): Promise<NamedTarget> {
  const named = reader ? await withNames(target, reader) : target;
  return { ...named, path: targetPath(named) };
}
