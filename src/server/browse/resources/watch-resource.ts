import { createHash, randomUUID } from 'node:crypto';
import type { Client, Credential } from '../../../client/index.ts';
import { maximumCallTime, type CallContext, type Clock, type ServerLogger } from '../../context/index.ts';
import { policyNumber } from '../../guard/index.ts';
import { exceptionsOnly } from '../../audit/index.ts';
import { runCall, type CallDependencies, type Reply } from '../../call/index.ts';
import type { Tool } from '../../tool/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import { isAllowed, resourceAt } from './catalog.ts';
import { isPlatformResource } from './resource.ts';
import { isNotFound } from './resource-reader.ts';
import { budgetKeyOf, type Unsubscribe, type Watches } from './watches.ts';

/** Dependencies of watching. */
export interface WatchDependencies extends CallDependencies {
  readonly watches: Watches;
  readonly log: ServerLogger;
  readonly clock: Clock;
}

/** The caller that watches a resource. */
export interface Watcher {
  readonly principal: string;
  /** The identity by which watches are counted. Default: the principal. */
  readonly identity?: string;
  readonly connection?: string;
  readonly credential?: Credential;
}

const whyOf = (reply: Reply): string | undefined => (reply.kind === 'failure' ? reply.why : undefined);

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/**
 * Watches resources for one caller, with its credential and policy: it sees the same as a read of the resource. Callers
 * that differ in any of these don't share polls.
 * @param current returns the current dependencies: the policy may change during a watch.
 * @returns a function that takes a URI and a listener for changes. It resolves to undefined if the resource can't be
 *   watched, doesn't exist, or the caller watches too many.
 */
export function watchFor(
  current: () => WatchDependencies,
  { principal, identity = principal, connection, credential }: Watcher,
) {
  let client: Client | undefined;
  const budget = () => client?.budget(credential);
  const lacks: CallContext['lacks'] = (operation) => client?.lacks(operation) ?? false;

  const contextOf = ({ log, clock }: WatchDependencies, signal: AbortSignal): CallContext => ({
    principal,
    identity,
    connection,
    credential,
    signal,
    budget,
    lacks,
    log,
    clock,
    deadline: clock.now() + maximumCallTime,
    requestId: randomUUID(),
    dialogue: { canAsk: false },
  });

  const read = async (tool: Tool, args: JsonRecord, signal: AbortSignal): Promise<Reply> => {
    const dependencies = current();
    const connect = async () => {
      const connected = await dependencies.connect();
      client = connected.client;
      return connected;
    };
    // Only failures are recorded: repeated polls would bury the calls of users.
    return runCall(tool, args, contextOf(dependencies, signal), {
      ...dependencies,
      connect,
      recorder: exceptionsOnly(dependencies.recorder),
    });
  };

  const watch = async (uri: string, changed: (uri: string) => void): Promise<Unsubscribe | undefined> => {
    const { watches, policy } = current();
    const { resource, args } = resourceAt(uri) ?? {};
    if (!resource || !args || !isPlatformResource(resource) || !resource.watched || !isAllowed(resource, policy))
      return undefined;
    const {
      tool,
      watched: { requests, isMoving },
    } = resource;
    const key = JSON.stringify([principal, credential?.key, policyNumber(policy), uri]);
    const stop = watches.watch(
      {
        key,
        identity,
        budgetKey: budgetKeyOf(credential),
        requests,
        budget,
        poll: async (signal) => {
          const reply = await read(tool, args, signal);
          return reply.kind === 'answer'
            ? { state: digestOf(reply.data), moving: isMoving(reply.data), failed: false }
            : {
                state: `${reply.kind} ${whyOf(reply)}`,
                moving: false,
                failed: true,
                missing: isNotFound(whyOf(reply)) || (reply.kind === 'failure' && reply.failure.kind === 'denied'),
              };
        },
      },
      () => changed(uri),
    );
    if (!stop || !(await watches.isMissing(key))) return stop;
    stop();
    return undefined;
  };

  // The client only learns that the resource isn't watched; the log says why.
  return (uri: string, changed: (uri: string) => void): Promise<Unsubscribe | undefined> =>
    watch(uri, changed).catch((error: unknown) => {
      current().log.error({ err: error, principal }, 'not watched');
      return undefined;
    });
}
