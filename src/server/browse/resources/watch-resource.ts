import { createHash, randomUUID } from 'node:crypto';
import type { Client } from '../../../client/client.ts';
import type { Credential } from '../../../client/credential.ts';
import { maximumCallTime, type CallContext, type Clock, type ServerLogger } from '../../context/call-context.ts';
import type { Policy } from '../../guard/policy/policy.ts';
import { exceptionsOnly } from '../../audit/call-records.ts';
import { runCall, type CallDependencies, type Reply } from '../../call/run-call.ts';
import type { Tool } from '../../tool/tool.ts';
import type { JsonRecord } from '../../json/values.ts';
import { isAllowed, resourceAt } from './catalog.ts';
import { isPlatformResource } from './resource.ts';
import { isNotFound } from './resource-reader.ts';
import { budgetKeyOf, type Unsubscribe, type Watches } from './watches.ts';

/** What watching works with. */
export interface WatchDependencies extends CallDependencies {
  readonly watches: Watches;
  readonly log: ServerLogger;
  readonly clock: Clock;
}

/** For whom something is watched. */
export interface Watcher {
  readonly principal: string;
  /** Who that is, by which it is counted. Default: the principal. */
  readonly identity?: string;
  readonly connection?: string;
  readonly credential?: Credential;
}

const policyNumbers = new WeakMap<Policy, number>();
let policyCount = 0;

/** Tells policies apart: what one caller is held to another one need not be. */
function policyNumber(policy: Policy): number {
  const number = policyNumbers.get(policy) ?? (policyCount += 1);
  policyNumbers.set(policy, number);
  return number;
}

const whyOf = (reply: Reply): string | undefined => (reply.kind === 'failure' ? reply.why : undefined);

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/**
 * Watches resources for one caller, with its right and within its policy: what it sees is what reading would show it.
 * Callers that differ in any of these share nothing.
 * @param current what watching works with at the moment: the policy may change while something is watched.
 * @returns a function that takes an address, and what is to be called at every change. It gives undefined where
 * nothing can be watched there, the first look finds nothing, or too much is watched already.
 */
export function watchFor(current: () => WatchDependencies, { principal, identity = principal, connection, credential }: Watcher) {
  let client: Client | undefined;
  const budget = () => client?.budget(credential);
  const lacks: CallContext['lacks'] = (operation) => client?.lacks(operation) ?? false;

  const contextOf = ({ log, clock }: WatchDependencies, signal: AbortSignal): CallContext => ({
    principal, identity, connection, credential, signal, budget, lacks, log, clock,
    deadline: clock.now() + maximumCallTime,
    requestId: randomUUID(),
    dialogue: { canAsk: false },
  });

  const look = async (tool: Tool, args: JsonRecord, signal: AbortSignal): Promise<Reply> => {
    const parts = current();
    const connect = async () => {
      const connected = await parts.connect();
      client = connected.client;
      return connected;
    };
    // The same read again and again would bury what people did; that it stopped working is told.
    return runCall(tool, args, contextOf(parts, signal), { ...parts, connect, recorder: exceptionsOnly(parts.recorder) });
  };

  const watch = async (uri: string, changed: (uri: string) => void): Promise<Unsubscribe | undefined> => {
    const { watches, policy } = current();
    const { resource, args } = resourceAt(uri) ?? {};
    if (!resource || !args || !isPlatformResource(resource) || !resource.watched || !isAllowed(resource, policy)) return undefined;
    const { tool, watched: { requests, isMoving } } = resource;
    const key = JSON.stringify([principal, credential?.key, policyNumber(policy), uri]);
    const stop = watches.watch(
      {
        key,
        identity,
        budgetKey: budgetKeyOf(credential),
        requests,
        budget,
        poll: async (signal) => {
          const reply = await look(tool, args, signal);
          return reply.kind === 'answer'
            ? { state: digestOf(reply.data), moving: isMoving(reply.data), failed: false }
            : { state: `${reply.kind} ${whyOf(reply)}`, moving: false, failed: true, missing: isNotFound(whyOf(reply)) };
        },
      },
      () => changed(uri),
    );
    if (!stop || !(await watches.isMissing(key))) return stop;
    stop();
    return undefined;
  };

  // Whoever listens has no other answer than that it isn't watched: why not, the log says.
  return (uri: string, changed: (uri: string) => void): Promise<Unsubscribe | undefined> =>
    watch(uri, changed).catch((error: unknown) => {
      current().log.error({ err: error, principal }, 'not watched');
      return undefined;
    });
}
