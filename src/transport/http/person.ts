import { createHmac } from 'node:crypto';
import { clockTolerance, isEqual, isTimely, type Clock, type ServerLogger } from '../../server/context/index.ts';
import { createRedaction } from '../../server/redaction/index.ts';
import { errorResponse } from './error-response.ts';
import type { HttpRequest } from './http-request.ts';

/**
 * The header in which a bot says for whom it makes a request, and in which conversation if it wants to:
 * `ann;c=%23releases;t=1763632800;v1=…`, with the time in seconds since 1970 and a signature of all of it.
 */
export const personHeader = 'X-Infra-Person';

/** The signature of a time and of what stands before it in the header. */
const signatureOf = (about: string, time: string, key: Uint8Array): string =>
  createHmac('sha256', key).update(`${time}.${about}`).digest('base64url');

// A name has no semicolon: nothing that is signed for one can be read as a name with a conversation.
const form = /^(([\w.@-]{1,64})(?:;c=([\x21-\x3a\x3c-\x7e]{1,1200}))?);t=(\d{1,12});v1=([\w-]{43})$/;

/** The longest name or id of a conversation, in characters. */
const longestConversation = 100;

/**
 * A conversation as it is shown: on one line, with secrets masked. It is a text that somebody else chose.
 * @param encoded percent-encoded UTF-8.
 * @returns undefined if it can't be decoded, is blank, or is too long.
 */
function conversationIn(encoded: string): string | undefined {
  let text: string;
  try {
    text = decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  if (text.length > longestConversation) return undefined;
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line === '' ? undefined : createRedaction().text(line);
}

const refused = (why: string): Response =>
  errorResponse({
    status: 401,
    message: `${personHeader}: ${why}`,
    headers: { 'WWW-Authenticate': `${personHeader} realm="person"` },
  });

/** Who may speak for people. */
interface Bot {
  readonly principal: string;
  /** Set if it may: it signs with this key who they are. */
  readonly personKey?: Uint8Array | undefined;
}

/** For whom a request is made. */
interface AskedFor {
  readonly principal: string;
  /** The conversation in which they ask, if the bot names one. */
  readonly conversation?: string;
}

/** Finds for whom a request is made, or returns the response that rejects it. */
export type FindPerson = (request: HttpRequest, bot: Bot) => AskedFor | Response;

/**
 * Where a key is one of a bot that speaks for people, the caller is the person whom each request names. Other callers
 * can't name anybody: their header is ignored, and the log says so once for each.
 */
export function createFindPerson(clock: Clock, log: ServerLogger): FindPerson {
  // A request is identified again while its stream is open. Its time counts when it arrives.
  const arrived = new WeakSet<HttpRequest>();
  const ignored = new Set<string>();
  return (request, { principal, personKey }) => {
    const header = request.headers.get(personHeader);
    if (personKey === undefined) {
      if (header !== null && !ignored.has(principal)) {
        ignored.add(principal);
        log.warn({ principal }, `${personHeader} is ignored: only a key with person_secret_file speaks for people`);
      }
      return { principal };
    }
    if (header === null)
      return refused(
        'this key speaks for people. Say in each request for whom it is made, signed with the secret of the key.',
      );
    const [, about, person, encoded, time, signature] = form.exec(header) ?? [];
    if (about === undefined || person === undefined || time === undefined || signature === undefined)
      return refused(
        'give it like ann;t=<seconds since 1970>;v1=<signature>, with 1 to 64 letters, digits, ".", "_", "@" or "-" as the name. A conversation comes after the name, like ann;c=%23releases;t=….',
      );
    if (!isEqual(signatureOf(about, time, personKey), signature))
      return refused('the signature is not one of this name, conversation and time with the secret of the key.');
    if (!arrived.has(request) && !isTimely(time, clock.now()))
      return refused(
        `the time is more than ${clockTolerance / 60_000} minutes from that of this server. Sign each request anew.`,
      );
    const conversation = encoded === undefined ? undefined : conversationIn(encoded);
    if (encoded !== undefined && conversation === undefined)
      return refused(
        `the conversation must be 1 to ${longestConversation} characters, percent-encoded as UTF-8. Leave it out if it has no name.`,
      );
    arrived.add(request);
    return { principal: `${principal}/${person}`, ...(conversation !== undefined && { conversation }) };
  };
}
