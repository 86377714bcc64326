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
  Plan,
  Registry,
} from '../guard/index.ts';
import type { JsonRecord } from '../json/index.ts';
import type { Redaction, Redactor } from '../redaction/index.ts';
import type { Issue, NameResolver, PlannedOperation, ResourceKind } from '../tool/index.ts';

/** When each caller last sent something that changes the platform. */
interface RecentChanges {
  note(principal: string, at: number): void;
  /** Undefined if this process sent nothing for the caller, or too many others came after it. */
  last(principal: string): number | undefined;
}

/** Most callers that are remembered. */
const most = 10_000;

/** Creates an empty memory of changes. The callers that changed something longest ago are forgotten first. */
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

/** How an observed call ended. */
export type CallEnd = Pick<CallOutcome, 'outcome' | 'why' | 'tier' | 'confirmed'>;

/** A call that is being carried out. */
interface ObservedCall {
  /** The trace that its requests are part of. Default: the one that it came with. */
  readonly trace?: Trace;
  /** A stage begins. */
  readonly stage?: (name: string) => void;
  readonly end: (end: CallEnd) => void;
}

/** Observes calls of tools. It never learns arguments, answers or who called. Its functions don't throw. */
export interface CallObserver {
  /** A call begins. @param tool its name; undefined if there is no such tool, or it isn't offered. */
  readonly begin: (tool: string | undefined, trace?: Trace) => ObservedCall;
}

/** What calls work with. One set serves all calls of a server. */
export interface CallDependencies extends GuardedCallDependencies {
  /** The platform's client, connected when first needed. */
  readonly connect: () => Promise<{ readonly client: Client }>;
  /** How the operator starts this program in a shell. Default: by its name. */
  readonly program?: string | undefined;
  readonly confirmer: Confirmer;
  readonly recorder: Recorder;
  /** Counts and traces calls. Default: nobody does. */
  readonly observer?: CallObserver;
  readonly redaction: Redaction;
  /** What plans are sealed with. */
  readonly keys: KeyProvider;
  /** Where values come from that are set unseen. */
  readonly environment: EnvironmentVariables;
  /** Finds what names stand for. */
  readonly resolver: NameResolver;
  /** When callers last changed something. */
  readonly recentChanges: RecentChanges;
  /** Reports that something was changed on the budget of a credential. */
  readonly changed?: (context: CallContext) => void;
  /** The tools that clients are shown; without it, any may be proposed and named. */
  readonly registry?: Pick<Registry, 'find' | 'offers' | 'hidden'>;
}

/** One call of a tool, as the first stage gets it. Each stage adds what it found out. */
export interface Call extends GuardedCall {
  readonly deps: CallDependencies;
  readonly controls: Controls;
  /** The kinds that the caller's names say of arguments that take any service. */
  readonly kinds: Readonly<Record<string, ResourceKind>>;
  /**
   * Whether names are looked up in lists that are read anew, because those that were remembered turned out to be out of
   * date.
   */
  readonly withNewLists: boolean;
  /** What is wrong with the size of the arguments, with their names or with the controls among them. */
  readonly issues: readonly Issue[];
  /** Makes fit to be shown to this caller whatever is reported. */
  readonly redactor: Redactor;
  /** Reads the platform, whatever the policy says: nothing of it may be shown as it is. */
  readonly reader: Reader;
  /** Notes what is wrong with an answer that is used all the same. */
  readonly onResponseIssue: (operation: AnyOperation, responseIssue: ApiError) => void;
  /** What was noted so, one line each. */
  readonly responseIssues: ReadonlySet<string>;
  /** Called when a stage begins. */
  readonly onStage?: (name: string) => void;
  /** Keeps facts for the audit record. */
  readonly note: (facts: Partial<CallFacts>) => void;
}

/** A call that came to the requests it would make. */
export interface ExpandedCall extends Call {
  readonly planned: readonly PlannedOperation[];
}

/** A call whose risk is known. */
export interface AssessedCall extends ExpandedCall, AssessedRisk {
  /** What the checks before the plan could not find out, one line each, for the plan. */
  readonly notKnown?: readonly string[];
}

/** A call with its plan; undefined where it changes nothing. */
export interface PlannedCall extends AssessedCall {
  readonly plan?: Plan;
}

/** A call that was agreed to, where somebody has to agree. */
export interface ConfirmedCall extends PlannedCall {
  readonly confirmed?: ConfirmedBy;
}

/** A call whose requests were sent, with the platform's answers in their order. */
export interface SentCall extends ConfirmedCall {
  readonly answers: readonly JsonRecord[];
}

/** What sending takes of a call. */
export type Sender = Pick<Call, 'tool' | 'context' | 'deps'>;

/**
 * The platform's client.
 * @throws CallFailure `not_connected` when there is none.
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
 * @param onFlaw accepts an answer that can be read in parts only, and receives what is wrong with it.
 * @throws ApiError as the platform fails, CallFailure `not_connected` when there is none.
 */
export async function send(
  { operation, input, carried }: Request,
  call: Sender,
  onResponseIssue?: (responseIssue: ApiError) => void,
): Promise<unknown> {
  const client = await connected(call);
  const { principal, credential, credentialRefused, signal, deadline, requestId, trace, log, clock } = call.context;
  try {
    const answer = await client.call(operation, input, {
      credential,
      signal,
      deadline,
      requestId,
      trace,
      carried,
      log,
      onResponseIssue,
    });
    call.deps.resolver.learn(operation, input, answer, principal);
    return answer;
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'unauthorized') credentialRefused?.();
    throw error;
  } finally {
    // A request that failed may have had its effect.
    if (operation.effect !== 'read') call.deps.recentChanges.note(principal, clock.now());
  }
}
