import { serviceKinds } from '../../contract/resources/service.ts';
import { naming, visibleText, type TextPart } from '../tool/tool-text.ts';
import { fence, type Redactor } from '../redaction/index.ts';
import { howToName } from '../tool/references.ts';
import type { ResolvedResource, ResourceKind } from '../tool/name-resolver.ts';
import { isId } from './names.ts';
import { unambiguousPaths } from './resource-path.ts';
import type { ResolutionProblem } from '../failure/failure.ts';

const kindText = (kind: ResourceKind): string => kind.replaceAll('_', ' ');

/** One a line: how to write it, what it is, its id. */
function candidateLines(addresses: readonly ResolvedResource[]): string {
  const texts = unambiguousPaths(addresses);
  return addresses
    .map(({ kind, id, name, scope }, index) => {
      const text = texts[index] === id ? name : texts[index];
      return [text, scope ? `${kindText(kind)} set on ${scope}` : kindText(kind), `id ${id}`].filter(Boolean).join(' · ');
    })
    .join('\n');
}

const findResourceHint = naming`${'find_resource'} finds things by name, kind or state.`;

export const whereToLook: readonly TextPart[] = ['Give the names on the way to it instead (project/environment/name).', findResourceHint];

/** What it may mean that an id isn't found, for platforms answer the same to each, and what to do next. */
export const noSuchId: readonly TextPart[] = ['It may have been deleted, belong to another organization, or be hidden from this token.', ...whereToLook];

const giveItsId = (kind: ResourceKind): string => `Give its id${kind === 'service' ? ' and kind: infra://service/<kind>/<id>' : ''}.`;

const headlines: { readonly [Why in ResolutionProblem['why']]: (problem: ResolutionProblem, quoted: (text: string) => string) => string } = {
  unknown: ({ kind, reference: given, missing }, quoted) =>
    missing && missing.name !== given ? `There is no ${kindText(missing.kind)} ${quoted(missing.name)} on the way to ${quoted(given)}.` : `There is no ${kindText(kind)} ${quoted(given)}.`,
  ambiguous: ({ kind, reference: given, candidates }, quoted) =>
    `${quoted(given)} can be ${candidates.length === 1 ? 'more than this' : 'each of these'}. Give the path or the id of the ${kindText(kind)} that is meant; ask the user where that isn't plain.`,
  not_listable: ({ kind, reference: given }, quoted) =>
    `No ${kindText(kind)} ${quoted(given)} was seen earlier, and this platform doesn't list what there is. ${isId(given) ? `Say of which kind it is: infra://service/<kind>/${given} (kinds: ${serviceKinds.join(', ')}).` : giveItsId(kind)}`,
  wrong_kind: ({ kind, reference: given }, quoted) => `${quoted(given)} doesn't point at any ${kindText(kind)}.`,
  bad_uri: ({ reference: given }, quoted) => `${quoted(given)} is no URI of this server: they are infra://<kind>/<id>, and infra://service/<kind>/<id> for services (${serviceKinds.join(', ')}).`,
};

/** Kinds of things that find_resource finds. */
const searchable: readonly ResourceKind[] = ['project', 'environment', 'service', 'cluster', ...serviceKinds];

/** What to do next where nothing is shown to choose from. */
function nextStep({ kind, reference: given, why, missing }: ResolutionProblem): readonly TextPart[] {
  if (why === 'not_listable') return [isId(given) ? 'Where that is not known, ask the user.' : "Ask the user for the id: the platform's own console shows it, and so did the answer that created it."];
  if (why === 'unknown' && isId(missing?.name ?? given)) return noSuchId;
  return [`How to give it: ${howToName(kind)}`, ...(searchable.includes(kind) ? [findResourceHint] : [])];
}

/** Longest part of what was given that is told back, in characters. */
const longestQuoted = 200;

const truncated = (text: string): string => (text.length > longestQuoted ? `${text.slice(0, longestQuoted).toWellFormed()}…` : text);

/** How many of those that could be meant are told. */
const mostCandidates = 20;

/** How a text may be put. */
interface TextOptions {
  readonly redactor: Pick<Redactor, 'text' | 'echo'>;
  /** Names of tools that aren't shown. */
  readonly hidden: readonly string[];
}

/** What is wrong with an address and what could be meant instead, for the model. */
export function resolutionProblemText(problem: ResolutionProblem, { redactor, hidden }: TextOptions): string {
  const quoted = (text: string): string => `"${truncated(redactor.echo(text))}"`;
  const { candidates, suggestions: near, notes } = problem;
  const told = (candidates.length > 0 ? candidates : near).slice(0, mostCandidates);
  const more = candidates.length > told.length ? [`And ${candidates.length - told.length} more.`] : [];
  return [
    headlines[problem.why](problem, quoted),
    ...(told.length === 0 ? [] : [...(candidates.length > 0 ? [] : ['There is:']), fence(redactor.text(candidateLines(told)))]),
    ...more,
    ...(told.length === 0 || (problem.why === 'unknown' && isId(problem.missing?.name ?? problem.reference)) ? [visibleText(nextStep(problem), hidden)] : []),
    ...notes,
  ].join('\n');
}
