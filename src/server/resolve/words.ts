import { serviceKinds } from '../../contract/resources/service.ts';
import { naming, visibleText, type TextPart } from '../tool/mentions.ts';
import { fence, type Redactor } from '../redaction/index.ts';
import { howToName } from '../tool/references.ts';
import type { Address, AddressKind } from '../tool/address.ts';
import { isId } from './names.ts';
import { written } from './trail.ts';
import type { AddressProblem } from '../failure/failure.ts';

const spelled = (kind: AddressKind): string => kind.replaceAll('_', ' ');

/** One a line: how to write it, what it is, its id. */
function rows(addresses: readonly Address[]): string {
  const texts = written(addresses);
  return addresses
    .map(({ kind, id, name, scope }, index) => {
      const text = texts[index] === id ? name : texts[index];
      return [text, scope ? `${spelled(kind)} set on ${scope}` : spelled(kind), `id ${id}`].filter(Boolean).join(' · ');
    })
    .join('\n');
}

const whatFinds = naming`${'find_resource'} finds things by name, kind or state.`;

export const whereToLook: readonly TextPart[] = ['Give the names on the way to it instead (project/environment/name).', whatFinds];

/** What it may mean that an id isn't found, for platforms answer the same to each, and what to do next. */
export const noSuchId: readonly TextPart[] = ['It may have been deleted, belong to another organization, or be hidden from this token.', ...whereToLook];

const byItsId = (kind: AddressKind): string => `Give its id${kind === 'service' ? ' and kind: infra://service/<kind>/<id>' : ''}.`;

const heads: { readonly [Why in AddressProblem['why']]: (problem: AddressProblem, quoted: (text: string) => string) => string } = {
  unknown: ({ kind, given, missing }, quoted) =>
    missing && missing.name !== given ? `There is no ${spelled(missing.kind)} ${quoted(missing.name)} on the way to ${quoted(given)}.` : `There is no ${spelled(kind)} ${quoted(given)}.`,
  ambiguous: ({ kind, given, candidates }, quoted) =>
    `${quoted(given)} can be ${candidates.length === 1 ? 'more than this' : 'each of these'}. Give the path or the id of the ${spelled(kind)} that is meant; ask the user where that isn't plain.`,
  not_listable: ({ kind, given }, quoted) =>
    `No ${spelled(kind)} ${quoted(given)} was seen earlier, and this platform doesn't list what there is. ${isId(given) ? `Say of which kind it is: infra://service/<kind>/${given} (kinds: ${serviceKinds.join(', ')}).` : byItsId(kind)}`,
  wrong_kind: ({ kind, given }, quoted) => `${quoted(given)} doesn't point at any ${spelled(kind)}.`,
  bad_uri: ({ given }, quoted) => `${quoted(given)} is no URI of this server: they are infra://<kind>/<id>, and infra://service/<kind>/<id> for services (${serviceKinds.join(', ')}).`,
};

/** Kinds of things that find_resource finds. */
const searchable: readonly AddressKind[] = ['project', 'environment', 'service', 'cluster', ...serviceKinds];

/** What to do next where nothing is shown to choose from. */
function nextStep({ kind, given, why, missing }: AddressProblem): readonly TextPart[] {
  if (why === 'not_listable') return [isId(given) ? 'Where that is not known, ask the user.' : "Ask the user for the id: the platform's own console shows it, and so did the answer that created it."];
  if (why === 'unknown' && isId(missing?.name ?? given)) return noSuchId;
  return [`How to give it: ${howToName(kind)}`, ...(searchable.includes(kind) ? [whatFinds] : [])];
}

/** Longest part of what was given that is told back, in characters. */
const longestQuoted = 200;

const shortened = (text: string): string => (text.length > longestQuoted ? `${text.slice(0, longestQuoted).toWellFormed()}…` : text);

/** How many of those that could be meant are told. */
const mostTold = 20;

/** How a text may be put. */
interface Wording {
  readonly redactor: Pick<Redactor, 'text' | 'echo'>;
  /** Names of tools that aren't shown. */
  readonly hidden: readonly string[];
}

/** What is wrong with an address and what could be meant instead, for the model. */
export function addressText(problem: AddressProblem, { redactor, hidden }: Wording): string {
  const quoted = (text: string): string => `"${shortened(redactor.echo(text))}"`;
  const { candidates, near, notes } = problem;
  const told = (candidates.length > 0 ? candidates : near).slice(0, mostTold);
  const more = candidates.length > told.length ? [`And ${candidates.length - told.length} more.`] : [];
  return [
    heads[problem.why](problem, quoted),
    ...(told.length === 0 ? [] : [...(candidates.length > 0 ? [] : ['There is:']), fence(redactor.text(rows(told)))]),
    ...more,
    ...(told.length === 0 || (problem.why === 'unknown' && isId(problem.missing?.name ?? problem.given)) ? [visibleText(nextStep(problem), hidden)] : []),
    ...notes,
  ].join('\n');
}
