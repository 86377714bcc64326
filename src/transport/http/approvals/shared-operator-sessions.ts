import { createHash } from 'node:crypto';
import { openSealed, sealBytes, type Clock, type KeyRing } from '../../../server/context/index.ts';
import { operatorKeyFrom, type OperatorSessionRecords } from '../../../server/guard/index.ts';
import { formTokenOf, newSessionId, type OperatorSession, type OperatorSessions } from './operator-sessions.ts';

/** Seals a secret of a session with the newest key. It opens for that session only. */
const seal = (secret: Buffer, id: string, keyRing: KeyRing): string => sealBytes(secret, keyRing()[0]!('operator session'), id);

/** Opens what one of the keys sealed; undefined if none of them did. */
function open(sealed: string, id: string, keyRing: KeyRing): Buffer | undefined {
  for (const keys of keyRing()) {
    const opened = openSealed(sealed, keys('operator session'), id);
    if (opened) return opened;
  }
  return undefined;
}

const digestOf = (id: string): string => createHash('sha256').update(id).digest('base64url');

/** What sessions at any server need. */
export interface SharedOperators {
  readonly records: OperatorSessionRecords;
  readonly keyRing: KeyRing;
}

/**
 * Sessions that hold at every server of a store. The cookie has the session's id, and what signs, sealed with the ring of keys;
 * the store has a digest of the id only. So neither the store, nor a cookie without the keys, nor the keys without a cookie can sign.
 */
export function sharedOperatorSessions({ records, keyRing }: SharedOperators, clock: Clock): OperatorSessions {
  const opened = async (cookie: string, isOpen: (digest: string) => Promise<boolean>): Promise<OperatorSession | undefined> => {
    const [id = '', sealed = ''] = cookie.split('.');
    const seed = open(sealed, id, keyRing);
    return seed && (await isOpen(digestOf(id))) ? { cookie, formToken: formTokenOf(id), sign: operatorKeyFrom(seed).sign } : undefined;
  };
  return {
    async start({ seed, sign }) {
      const id = newSessionId();
      await records.start(digestOf(id), clock.now());
      return { cookie: `${id}.${seal(seed, id, keyRing)}`, formToken: formTokenOf(id), sign };
    },
    find: (cookie) => opened(cookie, (digest) => records.use(digest, clock.now())),
    peek: (cookie) => opened(cookie, (digest) => records.has(digest, clock.now())),
    end: (cookie) => records.end(digestOf(cookie.split('.')[0]!)),
  };
}
