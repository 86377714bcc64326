import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { defaultRateWindowSeconds, rateHeaders } from '../../../../contract/index.ts';
import { internalError, rateLimitExceeded, type PlatformClock } from '../../../common/index.ts';
import type { FaultRegistry, RequestFault } from './registry.ts';

export interface RequestFaultDependencies {
  readonly registry: Pick<FaultRegistry, 'forRequest'>;
  /** The callers' clock, for the rate limit headers. */
  readonly clock: PlatformClock;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether to close the connection instead of sending the response. */
    isDropped: boolean;
  }
}

const rejectAsRateLimited = (
  { retry_after_seconds: after = defaultRateWindowSeconds }: RequestFault,
  reply: FastifyReply,
  clock: PlatformClock,
): never => {
  const resetAt = Math.ceil(clock.now() / 1000) + after;
  void reply.headers({ [rateHeaders.remaining]: 0, [rateHeaders.reset]: resetAt });
  throw rateLimitExceeded(Number(reply.getHeader(rateHeaders.limit)), resetAt);
};

const injectFault = (fault: RequestFault, request: FastifyRequest, reply: FastifyReply, clock: PlatformClock): void => {
  switch (fault.effect) {
    case 'latency':
      return;
    case 'status_429':
      return rejectAsRateLimited(fault, reply, clock);
    case 'status_500':
      throw internalError();
    case 'dropped_before':
      reply.hijack();
      request.raw.socket.destroy();
      return;
    case 'dropped_after':
      request.isDropped = true;
  }
};

/**
 * Injects faults into the requests of a server, after authorization and before the body is read. Callers can't
 * distinguish them from real failures. Closing the server ends pending delays.
 */
export function addRequestFaults(app: FastifyInstance, { registry, clock }: RequestFaultDependencies): void {
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  app.decorateRequest('isDropped', false);
  app.addHook('preParsing', async (request, reply) => {
    const operation = request.routeOptions.config.operation;
    const fault = operation && (await registry.forRequest(operation));
    if (!fault) return;
    await pause(fault.latency_ms ?? 0, undefined, { signal: closing.signal }).catch(() => undefined);
    injectFault(fault, request, reply, clock);
  });
  app.addHook('onSend', async (request) => {
    if (request.isDropped) request.raw.socket.destroy();
  });
}
