import { ApiError } from '../../client/errors.ts';
import type { Client } from '../../client/client.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import type { Address, Addresses, Look } from '../tool/address.ts';
import type { CallContext } from '../context/context.ts';
import type { Confirmer } from '../guard/confirmation.ts';
import type { Controls, Environment } from '../guard/controls.ts';
import type { GraveCalls } from '../guard/grave-calls.ts';
import type { Keys } from '../context/keys.ts';
import type { Policy } from '../guard/policy.ts';
import type { CallFacts, Recorder } from '../audit/record.ts';
import type { Redaction, Redactor } from '../redaction/index.ts';
import type { Registry } from '../tool/registry.ts';
import type { Tool } from '../tool/tool.ts';
import type { JsonRecord } from '../json/values.ts';
import type { Places } from '../guard/pin.ts';
import { fail } from '../failure/failure.ts';
import type { Read } from '../context/reads.ts';

/** What the pipeline works with. One set serves all calls of a server. */
export interface Dependencies {
  /** The platform's client, connected when first needed. */
  readonly connect: () => Promise<{ readonly client: Client }>;
  readonly policy: Policy;
  readonly confirmer: Confirmer;
  readonly recorder: Recorder;
  readonly redaction: Redaction;
  readonly graveCalls: GraveCalls;
  /** What plans are sealed with. */
  readonly keys: Keys;
  /** Where values come from that are set unseen. */
  readonly environment: Environment;
  /** Finds what names stand for. */
  readonly addresses: Addresses;
  /** Finds the place that calls are kept to, where the policy has one. */
  readonly places?: Places;
  /** Told that something was changed on the budget of a credential. */
  readonly changed?: (context: CallContext) => void;
  /** The tools that clients are shown; without it, any may be proposed and named. */
  readonly registry?: Pick<Registry, 'find' | 'offers' | 'hidden'>;
}

/** One call on its way through the stages. */
export interface Call {
  readonly tool: Tool;
  readonly args: JsonRecord;
  readonly controls: Controls;
  readonly context: CallContext;
  readonly deps: Dependencies;
  /** Makes fit to be shown to this caller whatever is told. */
  readonly redactor: Redactor;
  /** What the names and ids among the arguments stand for, by argument. */
  readonly addresses: Readonly<Record<string, Address>>;
  /** Reads the platform as it is while the call is judged: the same thing is asked for once. */
  readonly look: Read;
  /** Told of what is found out, for the record. */
  readonly note: (facts: Partial<CallFacts>) => void;
}

/** How addresses are looked up for a call. */
export const lookFor = ({ context, look }: Pick<Call, 'context' | 'look'>, within?: Look['within']): Look => ({
  principal: context.principal, read: look, now: () => context.clock.now(), within,
});

type Asking = Pick<Call, 'tool' | 'context' | 'deps'>;

async function connected({ tool, context, deps }: Asking): Promise<Client> {
  try {
    return (await deps.connect()).client;
  } catch (error) {
    context.log.error({ err: error, tool: tool.name, requestId: context.requestId }, 'no platform to call');
    return fail({ kind: 'not_connected', requestId: context.requestId });
  }
}

/**
 * Carries out an operation for a call.
 * @throws ApiError as the platform fails, CallFailure when there is none.
 */
export async function ask(operation: AnyOperation, input: JsonRecord, call: Asking): Promise<unknown> {
  const client = await connected(call);
  const { principal, credential, credentialRefused, signal, deadline, requestId, trace, log } = call.context;
  try {
    const answer = await client.call(operation, input, { credential, signal, deadline, requestId, trace, log });
    call.deps.addresses.learn(operation, input, answer, principal);
    return answer;
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'unauthorized') credentialRefused?.();
    throw error;
  }
}
