import { parameterKind, snakeCase, toWire, type AnyOperation } from '../contract/operation.ts';
import type { ApiFailure } from './errors.ts';
import { missingOperationTtl } from './limits.ts';
import { messageInBody, type RefusedCall } from './error-response.ts';

/** What is known of the operations outside the document: whether this platform has them. */
export interface OperationAvailability {
  /** Why the operation need not be tried; undefined when it may be. `now` in milliseconds since the epoch. */
  unavailability(operation: AnyOperation, now: number): ApiFailure | undefined;
  /** Takes note of a success. */
  recordSuccess(operation: AnyOperation): void;
  /** Takes note of a failure, and gives the better one where the operation turns out to be missing. */
  recordFailure(refused: RefusedCall): ApiFailure | undefined;
}

const notOffered = ({ path, method }: AnyOperation, origin: string, status?: number): ApiFailure => ({
  kind: 'not_offered',
  reason: `${origin} does not offer ${method} ${path}, which lies outside the documented interface`,
  next: 'Do without it here: use the documented operations.',
  status,
});

/**
 * Whether a message speaks of the thing asked for rather than of the route: it names one of the ids or the kind of
 * thing. Routers repeat the path, so ids inside it prove nothing; a message that repeats the path is a router's.
 */
function namesTheResource(message: string, { operation, input }: RefusedCall): boolean {
  const lower = message.toLowerCase();
  const path = (toWire(operation, input).target.split('?')[0] ?? '').slice(1).toLowerCase();
  const rest = lower.replaceAll(path, ' ');
  const params: readonly string[] = operation.params;
  if (params.some((param) => rest.includes(String(input[snakeCase(param)]).toLowerCase()))) return true;
  if (rest !== lower) return false;
  const kinds = params.map((param) => parameterKind(param).replace('_', '[ _-]?'));
  return new RegExp(String.raw`\b(?:${[...kinds, 'resource', 'entity', 'service', 'id'].join('|')})\b`).test(rest);
}

/**
 * Whether an answer means that the platform lacks the route: 405, or a 404 that doesn't speak of the thing asked for.
 * In doubt it is the id that is unknown: a wrong id must not make an operation disappear for all others.
 */
export function lacksRoute(refused: RefusedCall): boolean {
  const { status, text } = refused.response;
  if (status === 405) return true;
  const message = messageInBody(text);
  return status === 404 && (message === undefined || !namesTheResource(message, refused));
}

/**
 * Remembers for one base address which operations outside the document it lacks, so that each is tried once; after
 * an hour again, for platforms are upgraded. One that has ever succeeded is there, whatever a 404 says later.
 */
export function createOperationAvailability(origin: string): OperationAvailability {
  const present = new Set<string>();
  const missing = new Map<string, number>();
  return {
    unavailability: (operation, now) => ((missing.get(operation.name) ?? 0) > now ? notOffered(operation, origin) : undefined),
    recordSuccess: ({ name }) => void present.add(name),
    recordFailure: (refused) => {
      const { operation, response: exchange, now } = refused;
      if (operation.documented || present.has(operation.name) || !lacksRoute(refused)) return undefined;
      missing.set(operation.name, now + missingOperationTtl);
      return notOffered(operation, origin, exchange.status);
    },
  };
}
