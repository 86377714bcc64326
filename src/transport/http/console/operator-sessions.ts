import { createHmac, randomBytes, createHash } from 'node:crypto';
import {
  type Clock,
  isEqual,
  openSealed,
  sealBytes,
  type KeyProvider,
  type KeyRing,
} from '../../../server/context/index.ts';
import {
  maximumOperatorSessions,
  operatorIdleTime,
  type OperatorKey,
  operatorKeyFrom,
  type OperatorSessionRecords,
} from '../../../server/guard/index.ts';

/** Seals a secret of a session with the newest key. It can be opened for that session only. */
const seal = (secret: Buffer, id: string, keyRing: KeyRing): string =>
  sealBytes(secret, keyRing()[0]!('operator session'), id);

/** Opens a secret that one of the keys sealed; undefined if none of them did. */
function open(sealed: string, id: string, keyRing: KeyRing): Buffer | undefined {
  for (const keys of keyRing()) {
    const opened = openSealed(sealed, keys('operator session'), id);
    if (opened) return opened;
  }
  return undefined;
}

/** Length of a key's seed, which a sealed secret begins with. The operator's name follows, if there is one. */
const seedBytes = 32;

const digestOf = (id: string): string => createHash('sha256').update(id).digest('base64url');

/** Dependencies of sessions that are valid at every server. */
export interface SharedOperators {
  readonly records: OperatorSessionRecords;
  readonly keyRing: KeyRing;
  /** The same at all of these servers, and at no others. */
  readonly keys: KeyProvider;
}

/**
 * Sessions that are valid at every server of a store. The cookie contains the session's id, its signing secret and name,
 * sealed with the key ring; the store contains only a digest of the id. So neither the store, nor a cookie without the
 * keys, nor the keys without a cookie can sign.
 */
export function sharedOperatorSessions({ records, keyRing }: SharedOperators, clock: Clock): OperatorSessions {
  const opened = async (
    cookie: string,
    isOpen: (digest: string) => Promise<boolean>,
  ): Promise<OperatorSession | undefined> => {
    const [id = '', sealed = ''] = cookie.split('.');
    const seed = open(sealed, id, keyRing);
    return seed && (await isOpen(digestOf(id)))
      ? {
          cookie,
          formToken: formTokenOf(id),
          sign: operatorKeyFrom(seed.subarray(0, seedBytes)).sign,
          operator: seed.length > seedBytes ? seed.subarray(seedBytes).toString() : undefined,
        }
      : undefined;
  };
  return {
    async start({ seed, sign, operator }) {
      const id = newSessionId();
      await records.start(digestOf(id), clock.now());
      const secret = Buffer.concat([seed, Buffer.from(operator ?? '')]);
      return { cookie: `${id}.${seal(secret, id, keyRing)}`, formToken: formTokenOf(id), sign, operator };
    },
    find: (cookie) => opened(cookie, (digest) => records.use(digest, clock.now())),
    peek: (cookie) => opened(cookie, (digest) => records.has(digest, clock.now())),
    end: (cookie) => records.end(digestOf(cookie.split('.')[0]!)),
  };
}

/** The session of an operator who entered the secret. */
export interface OperatorSession {
  /** The value of the browser's cookie. */
  readonly cookie: string;
  /** CSRF token: every form of the session must carry it. */
  readonly formToken: string;
  /** Signs decisions. */
  readonly sign: (text: string) => string;
  /** The operator's name, where operators have names. */
  readonly operator?: string | undefined;
}

/** The key of an operator who signs in, and the operator's name if they have one. */
type SigningIn = OperatorKey & Pick<OperatorSession, 'operator'>;

/** The open operator sessions. */
interface OperatorSessions {
  start(key: SigningIn): Promise<OperatorSession>;
  /** Finds a session and marks it as used. @returns undefined if there is none, or it was idle for too long. */
  find(cookie: string): Promise<OperatorSession | undefined>;
  /** Finds a session without marking it as used. */
  peek(cookie: string): Promise<OperatorSession | undefined>;
  end(cookie: string): Promise<void>;
}

/** A random id of a session. */
const newSessionId = (): string => randomBytes(32).toString('base64url');

/** The CSRF token of a session. It can't be computed without the id, which only the cookie contains. */
const formTokenOf = (id: string): string => createHmac('sha256', id).update('form token').digest('base64url');

/**
 * Sessions of this process; their signing secrets are in its memory only.
 * @param clock must be monotonic, or a clock change could revive expired sessions.
 */
export function createOperatorSessions(clock: Clock): OperatorSessions {
  // Ordered by last use, oldest first.
  const sessions = new Map<string, { readonly operator: OperatorSession; readonly lastUsed: number }>();
  const markUsed = (operator: OperatorSession): OperatorSession => {
    sessions.delete(operator.cookie);
    sessions.set(operator.cookie, { operator, lastUsed: clock.now() });
    return operator;
  };
  const removeExpired = (): void => {
    const oldest = clock.now() - operatorIdleTime;
    for (const [id, { lastUsed }] of sessions)
      if (lastUsed < oldest || sessions.size > maximumOperatorSessions) sessions.delete(id);
  };
  return {
    async start({ sign, operator }) {
      const id = newSessionId();
      const session = markUsed({ cookie: id, formToken: formTokenOf(id), sign, operator });
      removeExpired();
      return session;
    },
    async find(id) {
      removeExpired();
      const found = sessions.get(id);
      return found && markUsed(found.operator);
    },
    async peek(id) {
      removeExpired();
      return sessions.get(id)?.operator;
    },
    end: async (id) => void sessions.delete(id),
  };
}

/** Whether a form carries the session's CSRF token. Compares in constant time. */
export const hasValidFormToken = ({ formToken }: OperatorSession, submitted: string): boolean =>
  isEqual(formToken, submitted);
