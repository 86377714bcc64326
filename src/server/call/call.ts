import { ApiError, type Client, type Trace } from '../../client/index.ts';
import type { AnyOperation } from '../../contract/index.ts';
import type { CallFacts, ConfirmedBy, Recorder, CallOutcome } from '../audit/index.ts';
import type { CallContext, KeyProvider, Reader } from '../context/index.ts';
import { fail } from '../failure/index.ts';
import type {
  Confirmer,
  Controls,
  EnvironmentVariables,
  AssessedRisk,
  GuardedCallDependencies,
  GuardedCall,
  Handover,
  Plan,
  Registry,
} from '../guard/index.ts';
import type { JsonRecord } from '../json/index.ts';
import { handOver, reservePlace } from './handover.ts';
import type { Redaction, Redactor } from '../redaction/index.ts';
import type { Issue, NameResolver, NotFound, PlannedOperation, ResourceKind } from '../tool/index.ts';

/** The time of each caller's latest change to the platform. */
interface RecentChanges {
  note(principal: string, at: number): void;
  /** Undefined if this process sent no change for the caller, or too many other callers came after it. */
  last(principal: string): number | undefined;
}

/** Maximum number of remembered callers. */
const most = 10_000;

/** Creates an empty memory of changes. The callers with the oldest changes are forgotten first. */
export function createRecentChanges(): RecentChanges {
  const times = new Map<string, number>();
  return {
    note: (principal, at) => {
      times.delete(principal);
      times.set(principal, at);
      const [oldest] = times.keys();
      if (times.size > most) times.delete(oldest!);
    },
    last: (principal) => times.get(principal),
  };
}

/** The end of an observed call. */
export type CallEnd = Pick<CallOutcome, 'outcome' | 'why' | 'tier' | 'confirmed'>;

/** A call in progress. */
interface ObservedCall {
  /** The trace of its requests. Default: the trace that it came with. */
  readonly trace?: Trace;
  /** Called when a stage starts. */
  readonly stage?: (name: string) => void;
  readonly end: (end: CallEnd) => void;
}

/** Observes tool calls. It never sees arguments, answers or callers. Its functions don't throw. */
export interface CallObserver {
  /** Called when a call starts. @param tool its name; undefined if there is no such tool, or it isn't offered. */
  readonly begin: (tool: string | undefined, trace?: Trace) => ObservedCall;
}

/** Dependencies of calls. All calls of a server share them. */
export interface CallDependencies extends GuardedCallDependencies {
  /** The platform's client, connected on first use. */
  readonly connect: () => Promise<{ readonly client: Client }>;
  /** The command with which the operator approves calls in a shell. Default: `infra-mcp approve`. */
  readonly approveCommand?: string | undefined;
  readonly confirmer: Confirmer;
  readonly recorder: Recorder;
  /** Counts and traces calls. Default: none. */
  readonly observer?: CallObserver;
  readonly redaction: Redaction;
  /** The keys that seal plans. */
  readonly keys: KeyProvider;
  /** Gets secrets that are shown once to a person. */
  readonly handover: Handover;
  /** The source of values that are set unseen. */
  readonly environment: EnvironmentVariables;
  /** Resolves names to resources. */
  readonly resolver: NameResolver;
  /** The times of callers' latest changes. */
  readonly recentChanges: RecentChanges;
  /** Reports a change that used the budget of a credential. */
  readonly changed?: (context: CallContext) => void;
  /** The tools that clients see; without it, any tool may be proposed and named. */
  readonly registry?: Pick<Registry, 'find' | 'offers' | 'hidden'>;
}

/** One call of a tool, as the first stage gets it. Each stage adds its findings. */
export interface Call extends GuardedCall {
  readonly deps: CallDependencies;
  readonly controls: Controls;
  /** The kinds that the caller's argument names specify, for arguments that accept any service. */
  readonly kinds: Readonly<Record<string, ResourceKind>>;
  /** The names that nothing has, by argument, where the tool looks for what had them. */
  readonly notFound?: Readonly<Record<string, NotFound>>;
  /** Whether names are looked up in freshly read lists, because the cached ones turned out to be outdated. */
  readonly withNewLists: boolean;
  /** The problems with the size of the arguments, with their names or with the controls among them. */
  readonly issues: readonly Issue[];
  /** Makes everything that is reported safe to show to this caller. */
  readonly redactor: Redactor;
  /** Reads the platform, regardless of the policy: nothing it returns may be shown as it is. */
  readonly reader: Reader;
  /** Notes a problem with an answer that is used nevertheless. */
  readonly onResponseIssue: (operation: AnyOperation, responseIssue: ApiError) => void;
  /** These notes, one line each. */
  readonly responseIssues: ReadonlySet<string>;
  /** Called when a stage starts. */
  readonly onStage?: (name: string) => void;
  /** Adds facts to the audit record. */
  readonly note: (facts: Partial<CallFacts>) => void;
}

/** A call with the requests it would send. */
export interface ExpandedCall extends Call {
  readonly planned: readonly PlannedOperation[];
}

/** A call with its risk. */
export interface AssessedCall extends ExpandedCall, AssessedRisk {
  /** Facts that the checks before the plan could not determine, or that stand in its way, one line each. */
  readonly notKnown?: readonly string[];
}

/** A call with its plan; undefined if it changes nothing. */
export interface PlannedCall extends AssessedCall {
  readonly plan?: Plan;
}

/** A call that was confirmed, if it needs confirmation. */
export interface ConfirmedCall extends PlannedCall {
  readonly confirmed?: ConfirmedBy;
  /** The operators who agreed, if they have names. */
  readonly agreedBy?: readonly string[] | undefined;
}

/** A call whose requests were sent, with the platform's answers in the same order. */
export interface SentCall extends ConfirmedCall {
  readonly answers: readonly JsonRecord[];
}

/** The part of a call that sending needs. */
export type Sender = Pick<Call, 'tool' | 'context' | 'deps'>;

/**
 * The platform's client.
 * @throws CallFailure `not_connected` if there is none.
 */
export async function connected({ tool, context, deps }: Sender): Promise<Client> {
  try {
    return (await deps.connect()).client;
  } catch (error) {
    context.log.error({ err: error, tool: tool.name, requestId: context.requestId }, 'no platform to call');
    return fail({ kind: 'not_connected', requestId: context.requestId });
  }
}

/** A request to send. */
export type Request = Pick<PlannedOperation, 'operation' | 'input' | 'carried'>;

/**
 * Sends one operation to the platform on behalf of a call.
 * @param onResponseIssue accepts an answer of which only parts can be read, and receives the problem.
 * @throws ApiError if the platform fails, CallFailure `not_connected` if there is none; `not_possible` and
 *   `not_as_asked` for a secret that is shown once and can't be handed over.
 */
export async function send(
  { operation, input, carried }: Request,
  call: Sender,
  onResponseIssue?: (responseIssue: ApiError) => void,
): Promise<unknown> {
  const client = await connected(call);
  const place = operation.shownOnce === undefined ? undefined : await reservePlace(operation, input, call);
  const { principal, credential, credentialRefused, signal, deadline, requestId, trace, log, clock } = call.context;
  call.context.requests?.add();
  try {
    const received = await client.call(operation, input, {
      credential,
      signal,
      deadline,
      requestId,
      trace,
      carried,
      log,
      onResponseIssue,
    });
    const answer = place ? await handOver(place, operation, received, call) : received;
    call.deps.resolver.learn(operation, input, answer, principal);
    return answer;
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'unauthorized') credentialRefused?.();
    throw error;
  } finally {
    await place?.release();
    // A failed request may have taken effect.
    if (operation.effect !== 'read') call.deps.recentChanges.note(principal, clock.now());
  }
}
