import { joinPath, namesIn, repeated, serviceKinds } from '../../contract/index.ts';
import {
  howToName,
  naming,
  replaceSecret,
  storedSecret,
  visibleText,
  type ResolvedResource,
  type ResourceKind,
  type TextPart,
} from '../tool/index.ts';
import { delimited, type Redactor } from '../redaction/index.ts';
import { namedAlike, searchable } from './find.ts';
import { isId } from './names.ts';
import { unambiguousPaths } from './resource-path.ts';
import type { ResolutionProblem } from '../failure/index.ts';

const kindText = (kind: ResourceKind): string => kind.replaceAll('_', ' ');

/** Where a variable is set, as far as that is known: its scope, with the name of what has that scope. */
function placeText({ scope, project, environment, path }: ResolvedResource): string {
  const ofScope: Readonly<Record<string, readonly (string | undefined)[]>> = {
    PROJECT: [project?.name],
    ENVIRONMENT: [project?.name, environment?.name],
    BUILT_IN: [],
  };
  // Every other scope is that of the service on the way to it.
  const names = ofScope[String(scope)] ?? (path === undefined ? [] : namesIn(path).slice(0, -1));
  return [scope, joinPath(names)].filter(Boolean).join(' ');
}

/** One candidate per line: its reference, kind and id. A variable has the place where it is set. */
function candidateLines(resources: readonly ResolvedResource[]): string {
  const references = unambiguousPaths(resources);
  return resources
    .map((resource, index) => {
      const { kind, id, name, scope } = resource;
      const reference = references[index]!;
      // One path leads to all variables of a key that somebody sees, wherever these are set.
      const isShared = references.indexOf(reference) !== references.lastIndexOf(reference);
      const text = isShared || reference === id ? name : reference;
      return [text, scope ? `${kindText(kind)} set on ${placeText(resource)}` : kindText(kind), `id ${id}`]
        .filter(Boolean)
        .join(' · ');
    })
    .join('\n');
}

const findResourceHint = naming`${'find_resource'} finds things by name, kind or state.`;

export const whereToLook: readonly TextPart[] = [
  'Give the names on the way to it instead (project/environment/name).',
  findResourceHint,
];

/** Why an id may not be found, and what to do next. Platforms return the same response for every reason. */
export const noSuchId: readonly TextPart[] = [
  'It may have been deleted, belong to another organization, or be hidden from this token.',
  ...whereToLook,
];

const giveItsId = (kind: ResourceKind): string =>
  `Give its id${kind === 'service' ? ' and kind: infra://service/<kind>/<id>' : ''}.`;

/** Why the whole address of a webhook doesn't identify it: the part after the host may be a secret, and is not kept. */
function addressText(address: string, quoted: (text: string) => string): string | undefined {
  const host = /^https?:/i.test(address) ? URL.parse(address)?.host : undefined;
  return host
    ? `A webhook is given by the host of its address, here ${quoted(host)}, or by its id, and not by the whole address.`
    : undefined;
}

/** The possible meanings of an ambiguous reference, with the number of candidates that may be shown. */
const whichCandidates = (kind: ResourceKind, count: number): string =>
  count === 0 ? `more than one ${kindText(kind)}` : count === 1 ? 'more than this' : 'each of these';

const headlines: {
  readonly [Why in ResolutionProblem['why']]: (problem: ResolutionProblem, quoted: (text: string) => string) => string;
} = {
  unknown: ({ kind, reference, missing }, quoted) =>
    missing && missing.name !== reference
      ? `There is no ${kindText(missing.kind)} ${quoted(missing.name)} on the way to ${quoted(reference)}.`
      : `There is no ${kindText(kind)} ${quoted(reference)}.`,
  ambiguous: ({ kind, reference, candidates }, quoted) =>
    `${quoted(reference)} can be ${whichCandidates(kind, candidates.length)}. Give the ${namedAlike.includes(kind) ? 'id' : 'path or the id'} of the ${kindText(kind)} that is meant; ask the user where that isn't plain.`,
  not_listable: ({ kind, reference }, quoted) =>
    `No ${kindText(kind)} ${quoted(reference)} was seen earlier, and this platform doesn't list what there is. ${isId(reference) ? `Say of which kind it is: infra://service/<kind>/${reference} (kinds: ${serviceKinds.join(', ')}).` : giveItsId(kind)}`,
  not_readable: ({ kind, reference }, quoted) =>
    `The ${kindText(kind)} ${quoted(reference)} could not be looked for everywhere, so it is not known whether there is one.`,
  is_secret: ({ reference }, quoted) => `${quoted(reference)} is ${storedSecret}.`,
  wrong_kind: ({ kind, reference }, quoted) => `${quoted(reference)} doesn't point at any ${kindText(kind)}.`,
  bad_uri: ({ kind, reference }, quoted) =>
    (kind === 'webhook' ? addressText(reference, quoted) : undefined) ??
    `${quoted(reference)} is no URI of this server: they are infra://<kind>/<id>, and infra://service/<kind>/<id> for services (${serviceKinds.join(', ')}).`,
};

/** The next step if there are no candidates. */
function nextStep({ kind, reference, why, missing, isSearchDenied = false }: ResolutionProblem): readonly TextPart[] {
  if (why === 'is_secret') return replaceSecret;
  if (why === 'not_listable')
    return [
      isId(reference)
        ? 'Where that is not known, ask the user.'
        : "Ask the user for the id: the platform's own console shows it, and so did the answer that created it.",
    ];
  if (why === 'not_readable') return [`${giveItsId(kind)} Calling again may help; where it does not, ask the user.`];
  if (why === 'unknown' && isId(missing?.name ?? reference))
    return isSearchDenied ? noSuchId.filter((part) => part !== findResourceHint) : noSuchId;
  return [
    `How to give it: ${howToName(kind)}`,
    ...(searchable.includes(kind) && !isSearchDenied ? [findResourceHint] : []),
  ];
}

/** Maximum number of candidates shown. */
const mostCandidates = 20;

interface TextOptions {
  readonly redactor: Pick<Redactor, 'text' | 'echo'>;
  /** Names of hidden tools. */
  readonly hidden: readonly string[];
}

/** The text for the model: the problem with a reference, and what it could mean instead. */
export function resolutionProblemText(problem: ResolutionProblem, { redactor, hidden }: TextOptions): string {
  const quoted = (text: string): string => `"${repeated(redactor.echo(text))}"`;
  const { candidates, suggestions, notes } = problem;
  const shown = (candidates.length > 0 ? candidates : suggestions).slice(0, mostCandidates);
  const more = candidates.length > shown.length ? [`And ${candidates.length - shown.length} more.`] : [];
  return [
    headlines[problem.why](problem, quoted),
    ...(problem.unusable === undefined ? [] : [problem.unusable]),
    ...(shown.length === 0
      ? []
      : [...(candidates.length > 0 ? [] : ['There is:']), delimited(redactor.text(candidateLines(shown)))]),
    ...more,
    ...(shown.length === 0 || (problem.why === 'unknown' && isId(problem.missing?.name ?? problem.reference))
      ? [visibleText(nextStep(problem), hidden)]
      : []),
    ...notes,
  ].join('\n');
}
