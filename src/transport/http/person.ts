import { createHmac } from 'node:crypto';
import { clockTolerance, isEqual, isTimely, type Clock, type ServerLogger } from '../../server/context/index.ts';
import { errorResponse } from './error-response.ts';

/**
 * The header in which a bot says for whom it makes a request: `ann;t=1763632800;v1=…`, with the time in seconds since
 * 1970 and a signature of both.
 */
export const personHeader = 'X-Infra-Person';

/** The signature of a person and a time, as text. */
const signatureOf = (person: string, time: string, key: Uint8Array): string =>
  createHmac('sha256', key).update(`${time}.${person}`).digest('base64url');

const form = /^([\w.@-]{1,64});t=(\d{1,12});v1=([\w-]{43})$/;

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

/** Returns the principal of whoever makes a request, or the response that rejects it. */
export type FindPerson = (request: Request, bot: Bot) => string | Response;

/**
 * Where a key is one of a bot that speaks for people, the caller is the person whom each request names. Other callers
 * can't name anybody: their header is ignored, and the log says so once for each.
 */
export function createFindPerson(clock: Clock, log: ServerLogger): FindPerson {
  // A request is identified again while its stream is open. Its time counts when it arrives.
  const arrived = new WeakSet<Request>();
  const ignored = new Set<string>();
  return (request, { principal, personKey }) => {
    const header = request.headers.get(personHeader);
    if (personKey === undefined) {
      if (header !== null && !ignored.has(principal)) {
        ignored.add(principal);
        log.warn({ principal }, `${personHeader} is ignored: only a key with person_secret_file speaks for people`);
      }
      return principal;
    }
    if (header === null)
      return refused(
        'this key speaks for people. Say in each request for whom it is made, signed with the secret of the key.',
      );
    const [, person, time, signature] = form.exec(header) ?? [];
    if (person === undefined || time === undefined || signature === undefined)
      return refused(
        'give it like ann;t=<seconds since 1970>;v1=<signature>, with 1 to 64 letters, digits, ".", "_", "@" or "-" as the name.',
      );
    if (!isEqual(signatureOf(person, time, personKey), signature))
      return refused('the signature is not one of this name and time with the secret of the key.');
    if (!arrived.has(request) && !isTimely(time, clock.now()))
      return refused(
        `the time is more than ${clockTolerance / 60_000} minutes from that of this server. Sign each request anew.`,
      );
    arrived.add(request);
    return `${principal}/${person}`;
  };
}
