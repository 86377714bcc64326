import type { ReferenceKind } from '../../../contract/primitives.ts';
import { matchingName, isId, segmentsOf } from '../../resolve/names.ts';
import { isForeignUri, isInfraUri, parseUri } from '../../resolve/uri.ts';
import type { TargetLocation, Target } from '../../context/target.ts';
import type { RuleMatch } from '../../tool/tool.ts';

/** What rules name places of. */
export type LocationKind = Extract<ReferenceKind, 'project' | 'environment'>;

/** A place as a rule names it: its own name or id, and for an environment that of its project where the rule says it. */
export interface NamedLocation {
  readonly own: string;
  readonly project?: string;
}

const mostNames: Readonly<Record<LocationKind, number>> = { project: 1, environment: 2 };

const howToWrite: Readonly<Record<LocationKind, string>> = {
  project: 'write the name of a project, or its id',
  environment: 'write the name of an environment, project/environment, or its id',
};

/** What is wrong with how a place is written, so that it could name none; undefined where nothing is. */
export function locationIssue(kind: LocationKind, text: string): string | undefined {
  const wrong = (what: string): string => `"${text}" ${what}; ${howToWrite[kind]}`;
  if (text.trim() === '') return wrong('is empty');
  if (text !== text.trim()) return wrong('begins or ends with a space, and no name does');
  if (isForeignUri(text)) return wrong('is an address of something else');
  const pointed = isInfraUri(text) ? parseUri(text) : undefined;
  if (isInfraUri(text) && (pointed?.kind !== kind || pointed.part !== undefined)) return wrong(`is not the address of ${kind === 'environment' ? 'an' : 'a'} ${kind}`);
  const names = segmentsOf(pointed?.given ?? text);
  if (names.some((name) => name.trim() === '')) return wrong('has an empty name in it');
  if (names.some((name) => name !== name.trim())) return wrong('has a space beside a "/", and no name begins or ends with one');
  return names.length > mostNames[kind] ? wrong(`is a path of ${names.length} names (a "/" in a name is written %2F)`) : undefined;
}

/** A place as it is written: a name, a path, an id or an address. Expects what has no fault. */
export function parseLocation(text: string): NamedLocation {
  const names = segmentsOf(parseUri(text)?.given ?? text);
  const [own = '', project] = names.toReversed();
  return { own, ...(project !== undefined && { project }) };
}

/** Whether a place is called so, by the rules that hold for names everywhere. @param isNew whether it has no id yet. */
function isCalled(kind: LocationKind, place: TargetLocation | undefined, name: string, isNew: boolean): RuleMatch {
  if (!place) return 'no';
  const thing = { kind, id: place.id?.toLowerCase() ?? '', name: place.name };
  if (matchingName([thing], name, (one) => one).length > 0) return 'yes';
  const isUndecided = isId(name) ? place.id === undefined && !isNew : place.name === undefined;
  return isUndecided ? 'unknown' : 'no';
}

/** Whether a target lies in a place that a rule names. @param isNew whether that place is about to be created: then no id is its own. */
export function isAtLocation(kind: LocationKind, text: string, target: Pick<Target, LocationKind>, isNew: boolean): RuleMatch {
  const { own, project } = parseLocation(text);
  const parts = [isCalled(kind, target[kind], own, isNew), ...(project === undefined ? [] : [isCalled('project', target.project, project, false)])];
  return parts.includes('no') ? 'no' : parts.includes('unknown') ? 'unknown' : 'yes';
}

/** Whether it takes the name of its project to know whether something lies in one of these places. */
export const takesProjectName = (projects: readonly string[] = [], environments: readonly string[] = []): boolean =>
  [...projects.map((text) => parseLocation(text).own), ...environments.flatMap((text) => parseLocation(text).project ?? [])].some((name) => !isId(name));
