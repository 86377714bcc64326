import { afterSpaces, quotedAt, type ReadBare } from './scalar-values.ts';
import { markEnd, type Span } from './spans.ts';
import { canBeSecret, isOrdinaryWord, isPlaceholder, isProse } from './secret-values.ts';

/** Headers whose values have a form of their own. */
const authorization = /^(?:proxy-|x-)?(?:http_)?(?:proxy_)?authorization$/i;
const cookie = /^(?:http_)?(set-)?cookie2?$/i;

/** Whether a name is that of a header that carries a credential. */
export const isCredentialHeader = (name: string): boolean => authorization.test(name) || cookie.test(name);

/** Where a header's value is. */
interface HeaderValue {
  /** Where it begins, behind the colon. */
  readonly at: number;
  /** Where it ends at most: the end of the line, or the quote around the whole header. */
  readonly limit: number;
  /** Whether what is before it can only be a header's name: at the start of a line or a quote. */
  readonly certain: boolean;
}

// A list of values, as programs print what they hold: ["Bearer x"], map[Authorization:[Bearer x]].
const listStart = /\[[ \t]{0,5}/y;

const skipList = (text: string, at: number): number => {
  if (markEnd(text, at) !== undefined) return at;
  listStart.lastIndex = at;
  return listStart.test(text) ? listStart.lastIndex : at;
};

const simpleScheme = /(?:bearer|basic|token|api-?key|negotiate|ntlm|genie-?key|splunk|bot|dpop|jwt|key|sharedkey|ssws|klaviyo-api-key)[ \t]{1,5}(?!=)/iy;
// Credentials of several members, of which none is shown.
const longScheme = /(?:digest|aws4-[\w-]{1,30}|signature|oauth|hawk|hmac[\w-]{0,20})[ \t]{1,5}/iy;
const credentialEnds = /[\s"'`,;)\]}<>\\]/;

const longestCredentials = 4096;

function authorizationSpans(text: string, { at, limit, certain }: HeaderValue, readBare: ReadBare): Span[] {
  const from = skipList(text, afterSpaces(text, at));
  const quoted = quotedAt(text, from, limit);
  const start = quoted?.start ?? from;
  const end = Math.min(quoted?.end ?? limit, start + longestCredentials);
  longScheme.lastIndex = start;
  if (longScheme.test(text)) return /=|\[hidden/.test(text.slice(longScheme.lastIndex, end)) ? [{ start: longScheme.lastIndex, end }] : [];
  simpleScheme.lastIndex = start;
  const hasScheme = simpleScheme.test(text);
  const value = readBare(hasScheme ? simpleScheme.lastIndex : start, quoted?.end ?? limit, credentialEnds);
  const word = text.slice(value.start, Math.min(value.end, value.start + longestCredentials));
  if (!canBeSecret(word) || isPlaceholder(word) || /^realm=/i.test(word)) return [];
  if (hasScheme) return isOrdinaryWord(word) ? [] : [value];
  const sure = word.length >= 16 || (word.length >= 6 && /\d/.test(word)) || ((certain || quoted !== undefined) && !isOrdinaryWord(word) && !isProse(text.slice(start, Math.min(end, start + 200))));
  return sure ? [value] : [];
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

/** The secret parts of the value of `Authorization`, `Cookie` and their like: the credential without its scheme, the values of cookies. */
export const headerSpans = (name: string, text: string, place: HeaderValue, readBare: ReadBare): Span[] =>
  cookie.test(name) ? cookieSpans(text, place, readBare) : authorizationSpans(text, place, readBare);
