import { longestStep, matchesOf, type Form, type Recognizer, type Span } from './spans.ts';
import type { Steps } from '../../../contract/index.ts';
import { looksRandom } from './secret-values.ts';
import { traits } from './traits.ts';

/** Recognises user names and passwords in URLs and in the data source names of databases. */

const scheme = /[A-Za-z][A-Za-z0-9+.-]{0,20}$/;
const longestScheme = 21;

const regionEnd = /[\s"<>`]/g;
const authorityEnd = /[/?#]/;

/** What can follow the @ after the userinfo: a host, a port, and the end of both. */
const host =
  /(?:\[[\da-f:.]+\]|\$\{[\w.:-]{1,100}\}|\$?[\w.-]+|%[\da-f]{2}[\w.%-]*|\(|$)(?::\d{1,5})?(?=[/?#,;)\]}'"\s\\.:]|$)/iy;
const sureHost = /(?:\[[\da-f:.]+\]|[\w-]+\.[\w.-]+|localhost|[\w.-]+:\d{1,5})(?=[/?#,;)\]}'"\s\\]|$)/iy;
const plainAuthority = /^(?:\[[\da-f:.]*\]?|[\w.-]*)(?::\d{0,5})?[,;:)\]}']*$/i;

const fits = (form: RegExp, text: string, at: number): boolean => {
  form.lastIndex = at;
  return form.test(text);
};

/** The last @ in a region that is followed by a host of the given form; -1 if there is none. */
function lastAt(region: string, form: RegExp, from = 0): number {
  for (
    let at = region.lastIndexOf('@');
    at >= from && at !== -1;
    at = at === 0 ? -1 : region.lastIndexOf('@', at - 1)
  ) {
    if (fits(form, region, at + 1)) return at;
  }
  return -1;
}

/**
 * The end of the userinfo in the text after `://`; -1 if there is none. Passwords may contain unescaped @, / and #, so
 * the userinfo ends at the last @ before a host. The path is only searched if the authority before it is not complete.
 */
function userinfoEnd(region: string): number {
  const slash = region.search(authorityEnd);
  const authority = slash === -1 ? region : region.slice(0, slash);
  const usual = lastAt(authority, host);
  if (usual === -1) return plainAuthority.test(authority) ? -1 : lastAt(region, host);
  if (slash === -1 || fits(sureHost, region, usual + 1)) return usual;
  return Math.max(usual, lastAt(region, sureHost, usual));
}

const shortestTokenAsUser = 20;
const longestTokenAsUser = 200;
const tokenAsUser = /^[\w.~-]+$/;

/** The secrets in `user:password`: the password, and a user name that is a token. */
function secretsOf(userinfo: string, start: number): Span[] {
  const colon = userinfo.indexOf(':');
  const user = colon === -1 ? userinfo : userinfo.slice(0, colon);
  const isToken =
    colon === -1
      ? user.length >= shortestTokenAsUser && user.length <= longestTokenAsUser && tokenAsUser.test(user)
      : looksRandom(user);
  return [
    ...(isToken ? [{ start, end: start + user.length }] : []),
    ...(colon === -1 ? [] : [{ start: start + colon + 1, end: start + userinfo.length }]),
  ];
}

/** Passwords and tokens before the host of a URL. */
function* spansInAddresses(text: string, first: number): Steps<readonly Span[]> {
  const spans: Span[] = [];
  let stop = -1;
  let pause = longestStep;
  for (let at = first; at !== -1;) {
    if (at >= pause) {
      pause = at + longestStep;
      yield;
    }
    const next = text.indexOf('://', at + 3);
    const start = at + 3;
    const named = scheme.exec(text.slice(Math.max(0, at - longestScheme), at));
    if (named) {
      if (stop < start) {
        regionEnd.lastIndex = start;
        stop = regionEnd.exec(text)?.index ?? text.length;
      }
      // A URL within a URL is searched separately, so that each character is read once.
      const end = Math.min(stop, next === -1 ? text.length : next);
      const quoted = text[at - named[0].length - 1] === "'";
      const whole = text.slice(start, end);
      const region = quoted && whole.includes("'") ? whole.slice(0, whole.indexOf("'")) : whole;
      const userinfo = userinfoEnd(region);
      if (userinfo > 0) for (const span of secretsOf(region.slice(0, userinfo), start)) spans.push(span);
    }
    at = next;
  }
  return spans;
}

const inAddresses: Recognizer = (text) => {
  const first = text.indexOf('://');
  return first === -1 ? [] : spansInAddresses(text, first);
};

// Go's MySQL driver: user:password@tcp(host:3306)/database.
const network = /@(?:tcp[46]?|unix|udp)\(/g;
const beforeDsn = /[\s"'`=,]/;

/** Passwords in data source names such as user:password@tcp(host)/database. */
const inDataSources: Recognizer = (text) => {
  const spans: Span[] = [];
  let from = 0;
  for (const { index, 0: found } of matchesOf(text, network)) {
    let start = index;
    while (start > from && !beforeDsn.test(text[start - 1]!)) start -= 1;
    const colon = text.slice(start, index).indexOf(':');
    if (colon !== -1) spans.push({ start: start + colon + 1, end: index });
    from = index + found.length;
  }
  return spans;
};

// Oracle's JDBC URLs: jdbc:oracle:thin:user/password@host.
const oracle = /\bjdbc:oracle:\w{1,10}:[^\s/@:]{1,60}\/(?=([^\s/@"']{1,200})@)/g;

const inOracle: Recognizer = (text) =>
  matchesOf(text, oracle).map(({ index, 0: found, 1: password = '' }) => ({
    start: index + found.length,
    end: index + found.length + password.length,
  }));

/** User names and passwords in URLs and data source names. */
export const userinfoForms: readonly Form[] = [inAddresses, inDataSources, inOracle].map((find) => ({
  needs: traits.at,
  find,
}));

/** Whether a URL contains a user name or password, by the URL standard. */
export function hasUserinfo(address: string | undefined): boolean {
  const url = address?.includes('@') ? URL.parse(address) : null;
  return url !== null && (url.username !== '' || url.password !== '');
}
