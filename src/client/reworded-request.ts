import { isRecord, operations, otherEventWord, parseJson, type AnyOperation } from '../contract/index.ts';
import type { ApiFailure } from './errors.ts';
import { longestDetail } from './safe-text.ts';
import type { RawResponse } from './transport.ts';

/** The members of a JSON body. */
type Body = Readonly<Record<string, unknown>>;

/** Statuses of a request that was refused for its content: nothing was created. */
export const contentRefusals: readonly number[] = [400, 422];

/** The index at which a text names a member as a whole word; -1 if it doesn't. */
export const indexOfName = (text: string, name: string): number =>
  text.search(new RegExp(String.raw`(?<!\w)${name}(?!\w)`));

const unknownWord =
  /\b(?:unknown|unrecogni[sz]ed|unexpected|unsupported|undefined|additional|extra|not (?:known|allowed|permitted|supported|expected|recogni[sz]ed|defined|declared))\b/i;
const demandWord = /\b(?:required?|requires|missing|mandatory|must (?:be|have|not be)|needs?)\b/i;
const memberWord = /\b(?:member|field|property|properties|key|keys|parameter|attribute|argument)s?\b/i;

/** Whether a text that names a member is about the member itself, not about its value. */
const isAboutMember = (text: string, name: string): boolean =>
  unknownWord.test(text) &&
  (memberWord.test(text) ||
    new RegExp(
      String.raw`["'\x60]${name}["'\x60]|(?<!\w)${name}(?:\W{1,3})(?:is |are )?${unknownWord.source}`,
      'i',
    ).test(text));

/**
 * A body with one of two names for the same member, where a refusal is about a member that the platform doesn't know
 * and names none: without the documented name first, and then with that alone.
 */
function withOneName({ aliases }: AnyOperation, body: Body, text: string): Body | undefined {
  const [alias, name] = Object.entries(aliases).find(([one]) => body[one] !== undefined) ?? [];
  if (alias === undefined || name === undefined) return undefined;
  const namesNone = Object.keys(body).every((member) => indexOfName(text, member) < 0);
  if (body[name] === undefined) {
    if (!(namesNone || indexOfName(text, name) >= 0) || !(unknownWord.test(text) || demandWord.test(text)))
      return undefined;
    const { [alias]: value, ...others } = body;
    return { ...others, [name]: value };
  }
  if (!namesNone || !unknownWord.test(text) || !memberWord.test(text)) return undefined;
  return Object.fromEntries(Object.entries(body).filter(([member]) => member !== name));
}

/** The owner and the name of a repository, as its address has them. */
function partsOfAddress(url: string): Readonly<Record<'owner' | 'name', string>> | undefined {
  const path = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*\/|^[^/@]*@[^:/]*:/i, '');
  const { owner, name } = /^\/*(?<owner>.+)\/(?<name>[^/]+?)(?:\.git)?\/*$/.exec(path)?.groups ?? {};
  return owner === undefined || name === undefined ? undefined : { owner, name };
}

/** A repository with the parts of its address that a refusal demands. */
function withPartsOf(repository: Body, text: string): Body {
  const { url } = repository;
  const parts = typeof url === 'string' ? partsOfAddress(url) : undefined;
  const demanded = Object.entries(parts ?? {}).filter(
    ([name]) => repository[name] === undefined && indexOfName(text, name) >= 0,
  );
  return { ...Object.fromEntries(demanded), ...repository };
}

/** A body whose repositories have the parts of their addresses that a refusal demands, such as their owner. */
export function withDemandedParts(body: Body, text: string): Body | undefined {
  if (!demandWord.test(text) || ['owner', 'git_repository'].every((name) => indexOfName(text, name) < 0))
    return undefined;
  const completed = (value: unknown, member?: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => completed(one));
    if (!isRecord(value)) return value;
    const inside = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, completed(one, name)]));
    return member === 'git_repository' ? withPartsOf(inside, text) : inside;
  };
  const whole = completed(body) as Body;
  return JSON.stringify(whole) === JSON.stringify(body) ? undefined : whole;
}

/**
 * A body without the member name, of two for the same member, that the platform refuses as unknown; if it names
 * several, the first.
 */
function withoutUnknownName({ aliases }: AnyOperation, body: Body, text: string): Body | undefined {
  for (const [alias, name] of Object.entries(aliases)) {
    const value = body[name];
    // A text that repeats the value is about the value.
    if (
      value === undefined ||
      body[alias] === undefined ||
      (typeof value === 'string' && text.toLowerCase().includes(value.toLowerCase()))
    )
      continue;
    const [first] = [alias, name]
      .map((one) => ({ one, index: indexOfName(text, one) }))
      .filter(({ one, index }) => index >= 0 && isAboutMember(text, one))
      .toSorted((a, b) => a.index - b.index);
    if (first) return Object.fromEntries(Object.entries(body).filter(([member]) => member !== first.one));
  }
  return undefined;
}

const eventsIn = ({ name }: AnyOperation, body: Body): readonly string[] =>
  name === operations.create_webhook.name && Array.isArray(body['events'])
    ? body['events'].filter((event) => typeof event === 'string')
    : [];

const isAboutEvents = (events: readonly string[], text: string): boolean =>
  /event/i.test(text) || events.some((event) => text.includes(event));

/** A webhook's body with the other spelling of its events, unless the refusal names only other members. */
function withOtherEventWords(operation: AnyOperation, body: Body, text: string): Body | undefined {
  const events = eventsIn(operation, body);
  const others = events.map((event) => otherEventWord(event) ?? event);
  if (others.every((other, index) => other === events[index])) return undefined;
  const namesOther = Object.keys(body).some((member) => member !== 'events' && indexOfName(text, member) >= 0);
  return isAboutEvents(events, text) || !namesOther ? { ...body, events: others } : undefined;
}

/** Other words for a body. */
export interface Reworded {
  readonly body: string;
  /** Whether the refusal doesn't say what is wrong: if the other words are refused too, it stays what is reported. */
  readonly isGuess: boolean;
}

/**
 * The body to send again after a refusal that proves that nothing was created: without a second name that the platform
 * doesn't know, with parts of a repository's address that it demands, or with the other spelling of event words.
 * Undefined if there is no other way to express it.
 */
export function rewordedBody(
  operation: AnyOperation,
  sent: string | undefined,
  response: RawResponse | undefined,
): Reworded | undefined {
  const body = sent === undefined ? undefined : parseJson(sent);
  if (!response || !contentRefusals.includes(response.status) || !isRecord(body)) return undefined;
  const { text } = response;
  const told =
    withoutUnknownName(operation, body, text) ??
    withDemandedParts(body, text) ??
    withOtherEventWords(operation, body, text);
  const reworded = told ?? withOneName(operation, body, text);
  return reworded && { body: JSON.stringify(reworded), isGuess: told === undefined };
}

const wordsNamedIn = (text: string, except: readonly string[]): readonly string[] =>
  [...new Set(text.match(/\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\b/g))].filter((word) => !except.includes(word));

/** The body that was sent last. */
export interface SentBody {
  readonly sentBody?: string;
  /** Whether it is a reworded form of a refused body. */
  readonly isReworded?: boolean;
}

/** The failure to report for refused event words; undefined if the refusal isn't about them. */
export function eventWordsFailure(
  operation: AnyOperation,
  { sentBody, isReworded = false }: SentBody,
  { status, text }: RawResponse,
): Pick<ApiFailure, 'reason' | 'next' | 'detail'> | undefined {
  const body = sentBody === undefined ? undefined : parseJson(sentBody);
  const events = isRecord(body) ? eventsIn(operation, body) : [];
  if (events.length === 0 || !contentRefusals.includes(status) || !isAboutEvents(events, text)) return undefined;
  const words = wordsNamedIn(text, events);
  return {
    reason: `the platform refuses these event words${isReworded ? ', also in their other spelling' : ''}`,
    next: 'Use words that it names, or those of webhooks that it has already.',
    ...(words.length > 0 && text.length > longestDetail && { detail: `It names ${words.join(', ')}` }),
  };
}
