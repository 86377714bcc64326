import { StoreUnavailable } from '../../../failure/index.ts';
import { clockTolerance, type Clock, type ServerLogger } from '../../../context/index.ts';
import { matchesTyped } from '../../confirmation/question.ts';
import type { ApprovalQueue, Decided, Decider, WaitingCall } from '../approval-queue.ts';
import { chatSigner } from '../operator-decisions.ts';
import type { ApprovalsConfig } from '../approvals.ts';
import { readOperators } from '../operators.ts';
import {
  type ChatAnswer,
  type ChatChannel,
  type ChatDecision,
  type ChatReply,
  type ChatRequest,
  plainAnswer,
  type ReadRequest,
} from './channel.ts';

/** Takes decisions from a chat. */
export interface ApprovalChat {
  /** Handles a request that claims to come from the chat. `result` is what came of it. */
  readonly receive: (
    request: Omit<ChatRequest, 'now'>,
  ) => Promise<ChatAnswer & { readonly result: ChatReply['result'] }>;
}

export interface ApprovalChatConfig {
  readonly channel: ChatChannel;
  /** Records and makes the decisions. */
  readonly queue: ApprovalQueue;
  readonly approvals: Pick<ApprovalsConfig, 'store' | 'keys'>;
  /** Path of the operators file, which has their ids in the chat. */
  readonly operators: string;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

/** How long the id of a request is remembered: as long as its time may be accepted, and a minute more. */
const remembered = 2 * clockTolerance + 60_000;

const gone: ChatReply = {
  status: 409,
  result: 'gone',
  text: 'Nothing was decided: it expired, was decided already, or never was.',
};

const nothing: ChatReply = { status: 200, result: 'nothing', text: '' };

const replyTo = (decided: Decided, verdict: ChatDecision['verdict'], name: string): ChatReply => {
  switch (decided.kind) {
    case 'decided':
      return {
        status: 200,
        result: 'decided',
        text:
          verdict === 'approve'
            ? `Approved by ${name}, for one call. The assistant can repeat it now.`
            : `Refused by ${name}.`,
      };
    case 'counted':
      return {
        status: 200,
        result: 'counted',
        text: `${name} agreed. It waits for ${decided.left} more of the operators.`,
      };
    case 'decided_before':
      return {
        status: 409,
        result: 'decided_before',
        text: 'Nothing was decided: you agreed to it before. Another operator has to agree too.',
      };
    case 'not_theirs':
      return { status: 403, result: 'not_theirs', text: `Nothing was decided. ${decided.why}` };
    default:
      return gone;
  }
};

/** Takes decisions from a channel: each request counts once, and decides as the operator with the person's id. */
export function createApprovalChat({
  channel,
  queue,
  approvals: { store, keys },
  operators,
  clock,
  log,
}: ApprovalChatConfig): ApprovalChat {
  const decide = async ({ id, decision, openForm }: ReadRequest): Promise<ChatReply> => {
    if (!decision) return nothing;
    const { code, plan, user, verdict, typed, reason, channel: place, message } = decision;
    if (id !== undefined && !(await store.singleUses.claim(`chat ${id}`, clock.now(), remembered)))
      return { status: 409, result: 'repeated', text: 'Nothing was done: this request came before.' };
    const operator = (await readOperators(operators)).find(({ chat }) => chat.includes(user));
    if (!operator) {
      log.warn({ code, user }, 'decision from a person of the chat who is no operator');
      return {
        status: 403,
        result: 'unknown_user',
        text: 'Nothing was decided: you are no operator. Whoever maintains the operators file can add your id in the chat.',
      };
    }
    const pending: WaitingCall | undefined = await queue.find(code, clock.now());
    if (!pending) return gone;
    if (pending.plan.digest !== plan)
      return {
        status: 409,
        result: 'other_plan',
        text: 'Nothing was decided: the message shows another plan than the one that waits under this code.',
      };
    // Whoever may not decide is told so, instead of being asked for more.
    if (pending.deciders?.operators.includes(operator.name)) {
      if (openForm && (verdict === 'refuse' || pending.typed !== undefined)) return opened(openForm, pending);
      if (verdict === 'approve' && pending.typed !== undefined && !matchesTyped(pending.typed, typed))
        return {
          status: 422,
          result: 'not_typed',
          text: `Not approved: to approve it, type ${pending.typed}. It waits until it expires.`,
        };
    }
    const by: Decider = {
      sign: chatSigner(keys),
      operator: operator.name,
      reason: verdict === 'refuse' ? reason : undefined,
      channel: place,
      message,
    };
    const decided = await queue.decide(code, verdict === 'approve' ? 'approved' : 'refused', by, clock.now());
    log.info({ code, verdict, operator: operator.name, result: decided.kind }, 'operator decided in the chat');
    return replyTo(decided, verdict, operator.name);
  };

  const opened = async (openForm: NonNullable<ReadRequest['openForm']>, pending: WaitingCall): Promise<ChatReply> => {
    try {
      await openForm(pending);
      return { status: 200, result: 'form_open', text: '' };
    } catch (error) {
      log.error({ code: pending.code, why: (error as Error).message }, 'the chat could not open a form');
      return {
        status: 503,
        result: 'no_form',
        text: 'Nothing was decided: the chat could not open a form. Try again, or decide on the approvals page.',
      };
    }
  };

  const settle = (read: ReadRequest): Promise<ChatReply> =>
    decide(read).catch((error: unknown): ChatReply => {
      log.error({ err: error, code: read.decision?.code }, 'operator could not decide in the chat');
      return {
        status: 503,
        result: 'not_recorded',
        text:
          error instanceof StoreUnavailable
            ? 'The database that the servers share could not be used. Whether the decision holds is not known: look on the approvals page in a minute.'
            : 'Nothing was decided: it could not be recorded. The log of this server tells why.',
      };
    });

  return {
    receive: async (request) => {
      const read = channel.read({ ...request, now: clock.now() });
      if ('unread' in read) {
        log.warn({ why: read.unread }, 'request to the approvals chat not accepted');
        const { unread: result } = read;
        const text = `Nothing was done. ${read.why}`;
        return { ...plainAnswer({ status: result === 'unproven' ? 401 : 400, result, text }), result };
      }
      const reply = await settle(read);
      return { ...read.answer(reply), result: reply.result };
    },
  };
}
