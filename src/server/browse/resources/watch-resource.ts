import { createHash, randomUUID } from 'node:crypto';
import type { Client, Credential } from '../../../client/index.ts';
import { maximumCallTime, type CallContext, type Clock, type ServerLogger } from '../../context/index.ts';
import { policyNumber, type Approvals } from '../../guard/index.ts';
import { exceptionsOnly } from '../../audit/index.ts';
import { runCall, type CallDependencies, type Reply } from '../../call/index.ts';
import type { Tool } from '../../tool/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import { isAllowed, resourceAt } from './catalog.ts';
import {
  isOwnResource,
  isWatchedResource,
  type OwnReading,
  type OwnResource,
  type WatchedResource,
} from './resource.ts';
import { isNotFound } from './resource-reader.ts';
import { budgetKeyOf, type Unsubscribe, type Watches, type WatchTarget } from './watches.ts';

/** Dependencies of watching. */
export interface WatchDependencies extends CallDependencies {
  readonly watches: Watches;
  readonly log: ServerLogger;
  readonly clock: Clock;
  /** The calls that wait for an operator. Default: none can. */
  readonly approvals?: Pick<Approvals, 'stateOf'> | undefined;
}

/** The caller that watches a resource. */
export interface Watcher {
  readonly principal: string;
  /** The identity by which watches are counted. Default: the principal. */
  readonly identity?: string;
  readonly connection?: string;
  readonly credential?: Credential;
}

/** How a caller reads what only it may read. */
export const readingFor = (
  { principal, credential }: Watcher,
  { approvals, clock, redaction }: Pick<WatchDependencies, 'approvals' | 'clock' | 'redaction'>,
): OwnReading => ({
  principal,
  redactor: redaction.forCall({ principal, ...(credential && { credential: credential.value }) }),
  approvals,
  now: clock.now(),
});

/** The budget of polls that make no request to the platform. */
const noRequests = { budgetKey: 'nothing of the platform', requests: 0, budget: () => undefined };

const whyOf = (reply: Reply): string | undefined => (reply.kind === 'failure' ? reply.why : undefined);

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/**
 * Watches resources for one caller, with its credential and policy: it sees the same as a read of the resource. Callers
 * that differ in any of these don't share polls.
 * @param current returns the current dependencies: the policy may change during a watch.
 * @returns a function that takes a URI and a listener for changes. It resolves to undefined if the resource can't be
 *   watched, doesn't exist, or the caller watches too many.
 */
export function watchFor(current: () => WatchDependencies, caller: Watcher) {
  const { principal, identity = principal, connection, credential } = caller;
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

  const ownTarget = (resource: OwnResource, uri: string): WatchTarget => {
    const look = async () => {
      const content = await resource.readOwn(uri, readingFor(caller, current()));
      return { state: digestOf(content?.state ?? null), moving: content?.isMoving === true, missing: !content };
    };
    return {
      key: JSON.stringify([principal, uri]),
      identity,
      ...noRequests,
      poll: () =>
        look().then(
          (found) => ({ ...found, failed: false }),
          () => ({ state: 'unreadable', moving: true, failed: true }),
        ),
    };
  };

  const platformTarget = (
    { tool, watched: { requests, isMoving } }: WatchedResource,
    args: JsonRecord,
    uri: string,
  ): WatchTarget => ({
    key: JSON.stringify([principal, credential?.key, policyNumber(current().policy), uri]),
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
  });

  const targetAt = (uri: string): WatchTarget | undefined => {
    const { resource, args } = resourceAt(uri) ?? {};
    if (!resource || !args) return undefined;
    if (isOwnResource(resource)) return ownTarget(resource, uri);
    return isWatchedResource(resource) && isAllowed(resource, current().policy)
      ? platformTarget(resource, args, uri)
      : undefined;
  };

  const watch = async (uri: string, changed: (uri: string) => void): Promise<Unsubscribe | undefined> => {
    const { watches } = current();
    const target = targetAt(uri);
    const stop = target && watches.watch(target, () => changed(uri));
    if (!stop || !(await watches.isMissing(target.key))) return stop;
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
