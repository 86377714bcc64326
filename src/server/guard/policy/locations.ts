import { segmentsOf, type ReferenceKind } from '../../../contract/index.ts';
import { matchingName, isId, isForeignUri, isInfraUri, parseUri } from '../../resolve/index.ts';
import type { TargetLocation, Target } from '../../context/index.ts';
import type { RuleMatch } from '../../tool/index.ts';

/** Kinds of locations that rules can name. */
export type LocationKind = Extract<ReferenceKind, 'project' | 'environment'>;

/** A location as a rule names it: its name or id and, for an environment, that of its project if the rule gives it. */
export interface NamedLocation {
  readonly own: string;
  readonly project?: string;
}

const mostNames: Readonly<Record<LocationKind, number>> = { project: 1, environment: 2 };

const howToWrite: Readonly<Record<LocationKind, string>> = {
  project: 'write the name of a project, or its id',
  environment: 'write the name of an environment, project/environment, or its id',
};

/** Why a text can't name a location; undefined if it can. */
export function locationIssue(kind: LocationKind, text: string): string | undefined {
  const wrong = (what: string): string => `"${text}" ${what}; ${howToWrite[kind]}`;
  if (text.trim() === '') return wrong('is empty');
  if (text !== text.trim()) return wrong('begins or ends with a space, and no name does');
  if (isForeignUri(text)) return wrong('is an address of something else');
  const uri = isInfraUri(text) ? parseUri(text) : undefined;
  if (isInfraUri(text) && (uri?.kind !== kind || uri.part !== undefined))
    return wrong(`is not the address of ${kind === 'environment' ? 'an' : 'a'} ${kind}`);
  const names = segmentsOf(uri?.given ?? text);
  if (names.some((name) => name.trim() === '')) return wrong('has an empty name in it');
  if (names.some((name) => name !== name.trim()))
    return wrong('has a space beside a "/", and no name begins or ends with one');
  return names.length > mostNames[kind]
    ? wrong(`is a path of ${names.length} names (a "/" in a name is written %2F)`)
    : undefined;
}

/** Parses a location: a name, a path, an id or a URI. Expects a text that `locationIssue` accepts. */
export function parseLocation(text: string): NamedLocation {
  const names = segmentsOf(parseUri(text)?.given ?? text);
  const [own = '', project] = names.toReversed();
  return { own, ...(project !== undefined && { project }) };
}

/** Whether a location has this name or id, matched as names are everywhere. @param isNew whether it has no id yet. */
function isCalled(kind: LocationKind, location: TargetLocation | undefined, name: string, isNew: boolean): RuleMatch {
  if (!location) return 'no';
  const resource = { kind, id: location.id?.toLowerCase() ?? '', name: location.name };
  if (matchingName([resource], name, (one) => one).length > 0) return 'yes';
  const isUnknown = isId(name) ? location.id === undefined && !isNew : location.name === undefined;
  return isUnknown ? 'unknown' : 'no';
}

/**
 * Whether a target is in a location that a rule names.
 * @param isNew whether that location is about to be created: then it matches no id.
 */
export function isAtLocation(
  kind: LocationKind,
  text: string,
  target: Pick<Target, LocationKind>,
  isNew: boolean,
): RuleMatch {
  const { own, project } = parseLocation(text);
  const matches = [
    isCalled(kind, target[kind], own, isNew),
    ...(project === undefined ? [] : [isCalled('project', target.project, project, false)]),
  ];
  return matches.includes('no') ? 'no' : matches.includes('unknown') ? 'unknown' : 'yes';
}

/** Whether one of these locations refers to its project by name, so that matching needs a target's project name. */
export const takesProjectName = (projects: readonly string[] = [], environments: readonly string[] = []): boolean =>
  [
    ...projects.map((text) => parseLocation(text).own),
    ...environments.flatMap((text) => parseLocation(text).project ?? []),
  ].some((name) => !isId(name));
