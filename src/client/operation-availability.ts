import { parameterKind, snakeCase, toWire, type AnyOperation } from '../contract/index.ts';
import type { ApiFailure } from './errors.ts';
import { missingOperationTtl } from './limits.ts';
import { messageInBody, type RefusedCall } from './error-response.ts';

/** Tracks which of the operations outside the API document the platform has, as calls have shown. */
export interface OperationAvailability {
  /**
   * The failure of an operation that is known to be missing; undefined if it may be tried. `now` is in milliseconds
   * since the epoch.
   */
  unavailability(operation: AnyOperation, now: number): ApiFailure | undefined;
  /** Records that an operation succeeded. */
  recordSuccess(operation: AnyOperation): void;
  /** Records a failure. If it shows that the operation is missing, returns the failure to report instead. */
  recordFailure(refused: RefusedCall): ApiFailure | undefined;
}

const notOffered = ({ path, method }: AnyOperation, origin: string, status?: number): ApiFailure => ({
  kind: 'not_offered',
  reason: `${origin} does not offer ${method} ${path}, which lies outside the documented interface`,
  next: 'Do without it here: use the documented operations.',
  status,
});

/**
 * Whether a message is about the requested resource rather than the route: it contains one of the ids or the kind of
 * resource. Routers repeat the path, so ids inside it prove nothing; a message that repeats the path is from a router.
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
 * Whether a response means that the platform lacks the route: 405, or a 404 that isn't about the requested resource. In
 * doubt the id counts as unknown: a wrong id must not make an operation unavailable to all other callers.
 */
export function lacksRoute(refused: RefusedCall): boolean {
  const { status, text } = refused.response;
  if (status === 405) return true;
  const message = messageInBody(text);
  return status === 404 && (message === undefined || !namesTheResource(message, refused));
}

/**
 * Remembers which operations outside the API document a platform lacks, so that each is tried only once; after
 * `missingOperationTtl` it is tried again, because platforms get upgraded. An operation that has ever succeeded counts
 * as present, whatever a later 404 says.
 */
export function createOperationAvailability(origin: string): OperationAvailability {
  const present = new Set<string>();
  const missing = new Map<string, number>();
  return {
    unavailability: (operation, now) =>
      (missing.get(operation.name) ?? 0) > now ? notOffered(operation, origin) : undefined,
    recordSuccess: ({ name }) => void present.add(name),
    recordFailure: (refused) => {
      const { operation, response, now } = refused;
      if (operation.documented || present.has(operation.name) || !lacksRoute(refused)) return undefined;
      missing.set(operation.name, now + missingOperationTtl);
      return notOffered(operation, origin, response.status);
    },
  };
}
