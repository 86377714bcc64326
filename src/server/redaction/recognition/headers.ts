import { containsMark } from '../marks.ts';
import { afterSpaces, quotedAt, type ReadBare } from './scalar-values.ts';
import { remembered } from './remembered.ts';
import { markEnd, type Span } from './spans.ts';
import { canBeSecret, isOrdinaryWord, isPlaceholder, isProse } from './secret-values.ts';

/** Headers whose values have their own syntax. */
const authorization = /^(?:proxy-|x-)?(?:http_)?(?:proxy_)?authorization$/i;
const cookie = /^(?:http_)?(set-)?cookie2?$/i;

const isCookie = remembered((name) => cookie.test(name));

/** Whether a header carries a credential. */
export const isCredentialHeader = (name: string): boolean => authorization.test(name) || cookie.test(name);

/** The position of a header's value. */
interface HeaderValue {
  /** Its start, after the colon. */
  readonly at: number;
  /** Its latest possible end: the end of the line, or the quote around the whole header. */
  readonly limit: number;
  /** Whether the name before it is certainly a header's: it is at the start of a line or a quote. */
  readonly certain: boolean;
}

// A list of values as programs print it: ["Bearer x"], map[Authorization:[Bearer x]].
const listStart = /\[[ \t]{0,5}/y;

const skipList = (text: string, at: number): number => {
  if (text[at] !== '[') return at;
  if (markEnd(text, at) !== undefined) return at;
  listStart.lastIndex = at;
  return listStart.test(text) ? listStart.lastIndex : at;
};

const simpleScheme =
  /(?:bearer|basic|token|api-?key|negotiate|ntlm|genie-?key|splunk|bot|dpop|jwt|key|sharedkey|ssws|klaviyo-api-key)[ \t]{1,5}(?!=)/iy;
// Schemes whose credentials have several members, which are all hidden.
const longScheme = /(?:digest|aws4-[\w-]{1,30}|signature|oauth|hawk|hmac[\w-]{0,20})[ \t]{1,5}/iy;
const credentialEnds = /[\s"'`,;)\]}<>\\]/;

const longestCredentials = 4096;

const hasCredential = (text: string): boolean => text.includes('=') || containsMark(text);

function authorizationSpans(text: string, { at, limit, certain }: HeaderValue, readBare: ReadBare): Span[] {
  const from = skipList(text, afterSpaces(text, at));
  const quoted = quotedAt(text, from, limit);
  const start = quoted?.start ?? from;
  const end = Math.min(quoted?.end ?? limit, start + longestCredentials);
  longScheme.lastIndex = start;
  if (longScheme.test(text))
    return hasCredential(text.slice(longScheme.lastIndex, end)) ? [{ start: longScheme.lastIndex, end }] : [];
  simpleScheme.lastIndex = start;
  const hasScheme = simpleScheme.test(text);
  const value = readBare(hasScheme ? simpleScheme.lastIndex : start, quoted?.end ?? limit, credentialEnds);
  const word = text.slice(value.start, Math.min(value.end, value.start + longestCredentials));
  if (!canBeSecret(word) || isPlaceholder(word) || /^realm=/i.test(word)) return [];
  if (hasScheme) return isOrdinaryWord(word) ? [] : [value];
  const isCredential =
    word.length >= 16 ||
    (word.length >= 6 && /\d/.test(word)) ||
    ((certain || quoted !== undefined) &&
      !isOrdinaryWord(word) &&
      !isProse(text.slice(start, Math.min(end, start + 200))));
  return isCredential ? [value] : [];
}

const cookiePair = /[ \t]*([^\s=;,"']{1,200})=/y;
const cookieEnds = /[\s;"'\\]/;
const attribute = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;

function cookieSpans(text: string, { at, limit }: HeaderValue, readBare: ReadBare): Span[] {
  const from = skipList(text, afterSpaces(text, at));
  const quoted = quotedAt(text, from, limit);
  const end = quoted?.end ?? limit;
  const spans: Span[] = [];
  for (let next = quoted?.start ?? from; next < end;) {
    cookiePair.lastIndex = next;
    const pair = cookiePair.exec(text);
    if (!pair || cookiePair.lastIndex > end) break;
    const value = readBare(cookiePair.lastIndex, end, cookieEnds);
    if (value.end > value.start && !attribute.test(pair[1] ?? '')) spans.push(value);
    if (text[value.end] !== ';') break;
    next = value.end + 1;
  }
  return spans;
}

/**
 * The secrets in the value of `Authorization`, `Cookie` and similar headers: the credential without its scheme, the
 * values of cookies.
 */
export const headerSpans = (name: string, text: string, headerValue: HeaderValue, readBare: ReadBare): Span[] =>
  isCookie(name) ? cookieSpans(text, headerValue, readBare) : authorizationSpans(text, headerValue, readBare);
