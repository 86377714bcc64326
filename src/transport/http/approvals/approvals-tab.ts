import type { RecordedCall } from '../../../server/audit/index.ts';
import type { Clock, ServerLogger } from '../../../server/context/index.ts';
import {
  isCode,
  matchesTyped,
  reasonIn,
  type ApprovalQueue,
  type OperatorRights,
  type Verdict,
  type WaitingCall,
  type WaitingSecrets,
} from '../../../server/guard/index.ts';
import { codeIn } from '../console/operator-pages.ts';
import type { OperatorSession, SharedOperators } from '../console/operator-sessions.ts';
import { approvalsTabName } from '../console/page-frame.ts';
import { visibleTo } from '../console/recorded-calls.ts';
import type { Acted, Tab, Visit } from '../console/tab.ts';
import { secretPage } from './handed-secrets.ts';
import { callsOnPage, pageCount, queueParts, type PendingCallsPage, type SinglePendingCall } from './pages.ts';

/** The data behind the approvals page. */
export interface ApprovalsSource {
  readonly queue: ApprovalQueue;
  /** The shell command with which the operator approves calls, such as `infra-mcp approve`. */
  readonly approveCommand: string;
  /** Set if a sign-in is valid at every server. Default: only at this one. */
  readonly operators?: SharedOperators;
  /** The secrets that wait for the operator. Default: none ever do. */
  readonly secrets?: WaitingSecrets | undefined;
  /** The newest calls that are wanted, oldest first; undefined if they can't be read. */
  readonly latestCalls: (wanted: (call: RecordedCall) => boolean) => Promise<readonly RecordedCall[] | undefined>;
  /** A text that changes with the records. Default: they are looked at again when something else changes. */
  readonly recordsMark?: (() => Promise<string>) | undefined;
}

interface ApprovalsTabDependencies extends ApprovalsSource {
  readonly clock: Clock;
  readonly log: ServerLogger;
}

/** The result of a form, shown on the page after the redirect. The keys are values of the `said` query parameter. */
const messages: Readonly<Record<string, string>> = {
  approved: 'Approved, for one call. The assistant can repeat it now.',
  refused: 'Refused.',
  not_recorded: 'Nothing was decided: it could not be recorded. The log of this server tells why.',
  gone: 'Nothing was decided: it expired, was decided already, or never was.',
  not_there: 'There is no such secret: it was shown already, or expired. Revoke it, and create another.',
  counted: 'Agreed. It waits for more of the operators.',
  decided_before: 'Nothing was decided: you agreed to it before. Another operator has to agree too.',
  not_theirs: 'Nothing was decided: you may not decide on that call.',
  not_typed: 'Not approved: what was typed is not the name. It waits until it expires.',
};

/** The requested page number, from 1; 1 if it is missing or invalid. */
const pageIn = (query: URLSearchParams): number =>
  /^[1-9]\d{0,5}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1;

/** Whether an operator may decide on every call: only then they see new secrets, which may open everything. */
const mayAll = ({ operator }: OperatorSession, rights: OperatorRights | undefined): boolean =>
  operator === undefined || rights?.isLimited === false;

/** Whether an operator sees a waiting call: one that they may decide on, or in their places. */
const seesWaiting = ({ operator, rights }: Visit, { plan, deciders, identity, principal }: WaitingCall): boolean =>
  operator.operator === undefined ||
  deciders?.operators.includes(operator.operator) === true ||
  rights?.sees(plan.target, identity ?? principal) === true;

const seesAll = ({ operator, rights }: Visit): boolean =>
  operator.operator === undefined || (rights !== undefined && rights.places === undefined);

const changesWith = ['waiting', 'records', 'minute'] as const;

/** The calls that wait, and what is decided on them. */
export function approvalsTab({ queue, secrets, latestCalls, clock, log }: ApprovalsTabDependencies): Tab {
  /** The calls that an operator sees; all are read only where some are kept from them. */
  const pageOf = async (
    visit: Visit,
    { newestFirst, wanted }: { readonly newestFirst: boolean; readonly wanted: number },
  ): Promise<PendingCallsPage> => {
    const { now } = visit;
    const all = seesAll(visit)
      ? undefined
      : (await queue.waiting(now, { newestFirst })).filter((one) => seesWaiting(visit, one));
    const total = all ? all.length : await queue.count(now);
    const pageNumber = Math.min(wanted, Math.max(1, Math.ceil(total / callsOnPage)));
    const skip = (pageNumber - 1) * callsOnPage;
    const waiting =
      all?.slice(skip, skip + callsOnPage) ?? (await queue.waiting(now, { newestFirst, skip, most: callsOnPage }));
    return { waiting, total, pageNumber, newestFirst };
  };

  const single = async (code: string, visit: Visit): Promise<SinglePendingCall> => {
    const pending = await queue.find(code, visit.now);
    return { code, pending: pending && seesWaiting(visit, pending) ? pending : undefined };
  };

  const decide = async (form: URLSearchParams, { operator, now }: Visit, verdict: Verdict): Promise<Acted> => {
    const code = form.get('code') ?? '';
    const pending = await queue.find(code, now);
    if (!pending) return { said: 'gone' };
    if (verdict !== 'refused' && pending.typed !== undefined && !matchesTyped(pending.typed, form.get('typed')))
      return { said: 'not_typed' };
    const reason = verdict === 'refused' ? reasonIn(form.get('reason')) : undefined;
    const decided = await queue.decide(code, verdict, { ...operator, reason }, clock.now()).catch((error: unknown) => {
      log.error({ err: error, code }, 'operator could not decide');
      return undefined;
    });
    if (decided === undefined) return { said: 'not_recorded' };
    if (decided.kind !== 'decided' && decided.kind !== 'counted') return { said: decided.kind };
    log.info(
      { code, verdict, operator: operator.operator, tool: pending.plan.tool, principal: pending.principal },
      'operator decided',
    );
    if (decided.kind === 'counted') return { said: 'counted' };
    return { said: verdict === 'refused' ? 'refused' : 'approved' };
  };

  const showSecret = (form: URLSearchParams, { operator, rights, paths, now }: Visit): Acted => {
    const code = form.get('code') ?? '';
    const taken = mayAll(operator, rights) ? secrets?.take(code, now) : undefined;
    if (!taken) return { said: 'not_there' };
    log.info({ code, about: taken.about, operator: operator.operator }, 'operator was shown a new secret');
    return { body: secretPage(paths, taken) };
  };

  return {
    name: approvalsTabName,
    title: 'Approvals',
    messages,
    isThere: (query) => {
      const code = codeIn(query);
      return code === '' || isCode(code);
    },
    show: async (visit) => {
      const { operator, rights, paths, now, exchange } = visit;
      const { searchParams: query } = exchange.url;
      const code = codeIn(query);
      const newestFirst = query.get('order') === 'newest';
      const [shown, calls] = await Promise.all([
        code === '' ? pageOf(visit, { newestFirst, wanted: pageIn(query) }) : single(code, visit),
        latestCalls(visibleTo(visit)),
      ]);
      const isList = 'total' in shown;
      return {
        parts: queueParts({
          operator,
          paths,
          shown,
          secrets: mayAll(operator, rights) ? (secrets?.waiting(now) ?? []) : [],
          calls,
          places: rights?.places,
          now,
        }),
        ...(isList && { total: shown.total, pages: pageCount(shown) }),
        changesWith,
      };
    },
    act: async (action, form, visit) => {
      if (action === 'approve' || action === 'refuse')
        return decide(form, visit, action === 'approve' ? 'approved_on_page' : 'refused');
      return action === 'show' ? showSecret(form, visit) : undefined;
    },
  };
}
