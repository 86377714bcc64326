import { lineBoundsOf, longestStep, type Form, type Recognizer, type Span } from './spans.ts';
import type { Steps } from '../../../contract/index.ts';
import { isSecretName } from './secret-names.ts';
import { bareReader, quotedAt, type Scalar } from './scalar-values.ts';
import { canBeSecret, isMixed, isOrdinaryWord, isPlaceholder } from './secret-values.ts';
import { traits } from './traits.ts';

/** Recognises secrets in commands, statements and sentences: values after a flag or a word and a space. */

/** Characters of a value that are inspected. */
const longestWord = 1000;

const wordEnds = /[\s"'`]/;

/** A recognizer of the value after each match of a pattern, if `isSecret` accepts it. */
function valueAfter(
  pattern: RegExp,
  isSecret: (word: string, match: RegExpExecArray, value: Scalar) => boolean,
  valueEnds = /[\s"'`,]/,
): Recognizer {
  const valuesFrom = function* (text: string, first: number): Steps<readonly Span[]> {
    const lines = lineBoundsOf(text);
    const readBare = bareReader(text);
    const spans: Span[] = [];
    const matches = new RegExp(pattern.source, pattern.flags);
    matches.lastIndex = first;
    let pause = longestStep;
    for (let match = matches.exec(text); match; match = matches.exec(text)) {
      if (match.index >= pause) {
        pause = match.index + longestStep;
        yield;
      }
      const at = match.index + match[0].length;
      const limit = lines.endOf(at);
      const value = quotedAt(text, at, limit) ?? readBare(at, limit, valueEnds);
      if (
        value.end > value.start &&
        isSecret(text.slice(value.start, Math.min(value.end, value.start + longestWord)), match, value)
      ) {
        spans.push({ start: value.start, end: value.end });
        matches.lastIndex = Math.max(matches.lastIndex, value.end);
      }
    }
    return spans;
  };
  return (text) => {
    const first = text.search(pattern);
    return first === -1 ? [] : valuesFrom(text, first);
  };
}

const isValue = (word: string): boolean => canBeSecret(word) && !isPlaceholder(word) && !word.startsWith('-');

// --password x, ["--password", "x"].
const flags = valueAfter(
  /(?<![\w-])--?([A-Za-z][\w.-]{0,60})(?: {1,3}|\\{0,7}["']\s{0,3},\s{0,3}(?=\\{0,7}["']))(?![-|\]/])/g,
  (word, [, name = ''], { quoted }) =>
    isSecretName(name, word) &&
    isValue(word) &&
    (quoted || (!isOrdinaryWord(word) && word.length >= 4 && !/^[A-Z_]+\]?$/.test(word))),
);

/** Lists of two words, as in `set` of Helm: ["auth.password", "x"]. */
const wordPairs = valueAfter(
  /\[\s{0,10}(?:\\{0,7}["'])([\w.-]{1,64})(?:\\{0,7}["']),\s{0,10}(?=\\{0,7}["'])/g,
  (word, [, name = '']) => isSecretName(name, word) && isValue(word),
);

/** Whether the word after `-u` is a name and a password, not two numbers or a URL. */
const isLogin = (word: string, isWeb: boolean): boolean => {
  const colon = word.indexOf(':');
  const password = word.slice(colon + 1);
  return (
    colon > 0 &&
    isValue(password) &&
    !password.startsWith('//') &&
    !/^\d+$/.test(word.replace(':', '')) &&
    (isWeb || isMixed(password))
  );
};

const programs =
  /\b(?:curl|wget|http|https|xh|skopeo|podman|buildah|crane|mysql\w{0,20}|mariadb\w{0,20}|sshpass|docker|helm|redis-cli|valkey-cli|mongo\w{0,10}|az|oc|ldap\w{0,10}|htpasswd)(?=[ "'])/g;
const credentialFlags =
  /(?<=[\s"'[,])(-u|--user|--proxy-user|--creds|--auth|--src-creds|--dest-creds|-p|-a|-w)(?:["'],\s{0,3}|[= ]\s{0,2})?/g;

/** Creates a function that tells the last program that a line names before a flag. Positions may only increase. */
function programReader(text: string): (from: number, to: number) => string | undefined {
  const search = new RegExp(programs.source, programs.flags);
  let next: RegExpExecArray | null | undefined;
  return (from, to) => {
    let last: string | undefined;
    if (next === undefined || (next !== null && next.index < from)) {
      search.lastIndex = from;
      next = search.exec(text);
    }
    while (next !== null && next.index < to) {
      last = next[0];
      next = search.exec(text);
    }
    return last;
  };
}

function* credentialsOfFlags(text: string): Steps<readonly Span[]> {
  const lines = lineBoundsOf(text);
  const readBare = bareReader(text);
  const programBefore = programReader(text);
  const spans: Span[] = [];
  const matches = new RegExp(credentialFlags.source, credentialFlags.flags);
  let command = '';
  let done = 0;
  let pause = longestStep;
  for (let match = matches.exec(text); match; match = matches.exec(text)) {
    if (match.index >= pause) {
      pause = match.index + longestStep;
      yield;
    }
    const [whole, flag = ''] = match;
    const lineStart = lines.startOf(match.index);
    if (lineStart > done) command = '';
    command = programBefore(Math.max(done, lineStart), match.index) ?? command;
    const at = match.index + whole.length;
    const value = quotedAt(text, at, lines.endOf(at)) ?? readBare(at, lines.endOf(at), wordEnds);
    const word = text.slice(value.start, Math.min(value.end, value.start + longestWord));
    const secret = secretIn(command, flag, whole, word, value);
    if (secret) {
      spans.push(secret);
      matches.lastIndex = Math.max(matches.lastIndex, secret.end);
    }
    done = matches.lastIndex;
  }
  return spans;
}

/**
 * Flags that have a password only in some commands: `curl -u name:password`, `mysql -ppassword`, `redis-cli -a
 * password`.
 */
const commandFlags: Recognizer = (text) => (text.search(credentialFlags) === -1 ? [] : credentialsOfFlags(text));

function secretIn(command: string, flag: string, whole: string, word: string, value: Scalar): Span | undefined {
  const isJoined = whole === flag;
  if (flag === '-p') {
    const wanted = isJoined ? /^(?:mysql|mariadb|sshpass)/ : /^(?:sshpass|docker|helm|mongo|az|oc|podman)/;
    return wanted.test(command) && isValue(word) && !/^\d+(?::\d+)?$/.test(word) ? value : undefined;
  }
  if (flag === '-a' && /^(?:redis|valkey)-cli/.test(command)) return isValue(word) && !isJoined ? value : undefined;
  if (flag === '-w') return command.startsWith('ldap') && isValue(word) && !isJoined ? value : undefined;
  if (isJoined && !flag.startsWith('-u')) return undefined;
  if (isJoined && !/^(?:curl|wget)/.test(command)) return undefined;
  const isWeb =
    command !== '' &&
    !/^(?:docker|helm|az|oc|mongo)/.test(command) &&
    (flag !== '-u' || /^(?:curl|wget|http)/.test(command));
  return isLogin(word, isWeb) ? { start: value.start + word.indexOf(':') + 1, end: value.end } : undefined;
}

// PASSWORD 'x' and IDENTIFIED BY 'x' of SQL, with a quoted value.
const statements = valueAfter(
  /\b(?:identified\s{1,3}(?:with\s{1,3}[\w']{1,40}\s{1,3})?by(?:\s{1,3}password)?|(?:encrypted\s{1,3})?password)\s{1,3}(?=\\{0,3}["'])/gi,
  (word) => isValue(word) && !isOrdinaryWord(word) && !/\s/.test(word),
);

// machine h login u password x; requirepass x; ENV DB_PASSWORD x.
const settings = valueAfter(
  /(?:\blogin\s{1,3}\S{1,100}\s{1,3}password|(?<=^\s{0,8})(?:requirepass|masterauth|sasl_passwd))[ \t]{1,5}/gm,
  isValue,
  /\s/,
);
const variables = valueAfter(
  /(?<=^[ \t]{0,20})(?:ENV|ARG|setenv|setx)[ \t]{1,5}([\w.-]{1,64})[ \t]{1,5}(?!=)/gm,
  (word, [, name = '']) => isSecretName(name, word) && isValue(word),
  /\s/,
);

// A row of a table, with or without borders between its columns.
const rows = valueAfter(
  /^[ \t]{0,20}(?:\|[ \t]{0,5}`?([\w.-]{1,64})`?[ \t]{0,60}\|[ \t]{0,5}|([A-Z][A-Z\d_]{2,63})[ \t]{2,60})(?=\S)/gm,
  (word, [, name, other]) => isMixed(word) && isSecretName(name ?? other ?? '', word) && isValue(word),
  /[\s|`]/,
);

// Protocol conversations in logs: "AUTH" "x", AUTH PLAIN AGFk…, -passin pass:x.
const conversations = valueAfter(
  /(?:"auth",?\s{1,3}(?:"default",?\s{1,3})?(?=")|\bAUTH (?:PLAIN|LOGIN) (?=[\w+/=]{8})|(?<=-pass(?:in|out)?[= ])pass:)/gi,
  isValue,
);

// "Bearer x" without a header's name, and sentences that contain a password.
const bearers = valueAfter(
  /\bbearer[ \t]{1,3}(?=[\w.~+/=-]{16})/gi,
  (word) => /\d/.test(word) || /[a-z][A-Z]/.test(word),
  /[^\w.~+/=-]/,
);
const sentences = valueAfter(
  /\b(?:password|passphrase|passwd|token|secret|(?:api|access|secret|private|account)[ -]key)(?:\s{1,2}(?:is|was)|\s{0,2}[:=])\s{1,2}(?=["'`]?\S)/gi,
  (word) => isMixed(word) && /[a-z]/i.test(word) && !/[/:]/.test(word) && isValue(word),
  /[\s"'`,;)]/,
);

const { longWord, hyphen, bracket, quote, hint } = traits;

/** Secrets after flags, in statements and in sentences. */
export const commandForms: readonly Form[] = [
  { needs: hyphen | hint, find: flags },
  { needs: bracket | hint, find: wordPairs },
  { needs: hyphen, find: commandFlags },
  { needs: quote, find: statements },
  { needs: hint, find: settings },
  { needs: hint, find: variables },
  { needs: hint, find: rows },
  { needs: hint, find: conversations },
  { needs: longWord, find: bearers },
  { needs: hint, find: sentences },
];
