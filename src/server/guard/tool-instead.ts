import { serviceKinds } from '../../contract/index.ts';
import { editDistance, nearestName } from '../tool/index.ts';

/** Verbs that mean the same. Verbs of different groups never do, however similar their spelling. */
const verbs: readonly (readonly string[])[] = [
  ['get', 'show', 'read', 'describe', 'list', 'find', 'fetch', 'view', 'search', 'check'],
  ['create', 'add', 'new', 'make'],
  ['update', 'edit', 'change', 'modify', 'patch', 'set', 'scale', 'resize'],
  ['delete', 'remove', 'destroy', 'drop'],
  ['deploy', 'redeploy', 'release'],
  ['stop', 'pause', 'shutdown'],
  ['start', 'resume'],
  ['restart', 'reboot'],
  ['rollback', 'revert'],
];

const wordsOf = (name: string): readonly string[] =>
  name
    .toLowerCase()
    .split(/[_\W]+/)
    .filter(Boolean);

/** Whether two verbs mean the same, or one is a misspelling of the other. Unknown verbs match only themselves. */
function doTheSame(one: string, other: string): boolean {
  const group = verbs.find((words) => words.includes(one));
  if (group) return group.includes(other);
  return one === other || editDistance(one, other) !== undefined;
}

const singular = (word: string): string => word.replace(/s$/, '');

/**
 * The subject of a name, with its words in order: first with its kind of service, then with `service`, for tools that
 * accept all kinds.
 */
const aboutOf = ([, ...rest]: readonly string[]): readonly string[] => {
  const about = rest.map(singular).join('_');
  const kind = serviceKinds.find((one) => rest.map(singular).includes(one));
  return kind === undefined ? [about] : [about, about.replace(kind, 'service')];
};

/** The offered tool that does what another tool's name suggests; undefined if none does. */
function toolInstead(name: string, offered: readonly string[]): string | undefined {
  const words = wordsOf(name);
  const [verb = ''] = words;
  const alike = offered.filter((one) => doTheSame(verb, wordsOf(one)[0] ?? ''));
  const about = aboutOf(words);
  const sameWords = about.flatMap((wanted) => alike.filter((one) => aboutOf(wordsOf(one))[0] === wanted));
  return (
    sameWords.find((one) => one.startsWith(`${verb}_`)) ??
    sameWords.find((one) => one.endsWith(words.slice(1).join('_'))) ??
    sameWords[0] ??
    nearestName(name, alike)
  );
}

/**
 * The hint for a tool that clients don't see: which one to use instead, or that there is none. Never one with a
 * different effect, such as `create_…` for `delete_…`.
 * @param hidden names of tools that exist, but are not offered
 */
export function insteadOf(name: string, offered: readonly string[], hidden: readonly string[]): string {
  if (hidden.includes(name)) return ': it is not offered here';
  const instead = toolInstead(name, offered);
  return instead === undefined ? ', and no other does that: it is not offered here' : `; did you mean "${instead}"?`;
}
