import type { LogVerification, RecordedCall } from '../../../../server/audit/index.ts';
import { visibleTo } from '../recorded-calls.ts';
import type { Tab } from '../tab.ts';
import { auditParts, type Found, type Verified } from './audit-page.ts';
import { faultyTimes, filterIn, matches } from './filter.ts';

/** The audit log that is shown. */
export interface AuditSource {
  /**
   * The newest records that are wanted, oldest first; undefined where they go to a command.
   * @throws Error if the log can't be read.
   */
  readonly read: (
    limit: number,
    wanted: (call: RecordedCall) => boolean,
  ) => Promise<readonly RecordedCall[] | undefined>;
  /** Verifies the log; undefined where it goes to a command. @throws Error if log or keys can't be read */
  readonly verify: () => Promise<LogVerification | undefined>;
  /** Whether other servers have logs of their own, which aren't shown. */
  readonly isOneOfSeveral: boolean;
}

/** Maximum number of records on the page. */
const mostShown = 100;

const causeOf = (error: unknown): string => (error as Error).message;

/** The audit log: who called what, where, when, and what came of it. */
export const auditTab = ({ read, verify, isOneOfSeveral }: AuditSource): Tab => ({
  name: 'audit',
  title: 'Audit log',
  messages: {},
  show: async (visit) => {
    const { exchange, rights, paths, now } = visit;
    const { searchParams: query } = exchange.url;
    const filter = filterIn(query);
    const faulty = faultyTimes(filter);
    const sees = visibleTo(visit);
    const wanted = (call: RecordedCall): boolean => sees(call) && matches(filter, call);
    const find = async (): Promise<Found> => {
      if (faulty.length > 0) return { kind: 'bad_time', fields: faulty };
      // One more than is shown tells whether there are older ones.
      const calls = await read(mostShown + 1, wanted);
      if (!calls) return { kind: 'to_command' };
      return { kind: 'found', calls: calls.slice(-mostShown), hasOlder: calls.length > mostShown };
    };
    const check = async (): Promise<Verified> => {
      if (query.get('verify') !== 'yes') return { kind: 'not_verified' };
      const verification = await verify();
      return verification ? { kind: 'verified', verification } : { kind: 'to_command' };
    };
    const [found, verified] = await Promise.all([
      find().catch((error: unknown): Found => ({ kind: 'unreadable', why: causeOf(error) })),
      check().catch((error: unknown): Verified => ({ kind: 'unverifiable', why: causeOf(error) })),
    ]);
    return {
      parts: auditParts({ paths, filter, found, verified, places: rights?.places, isOneOfSeveral, now }),
      changesWith: verified.kind === 'not_verified' ? ['records', 'minute'] : ['minute'],
    };
  },
});
