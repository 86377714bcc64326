import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { defaultRateWindowSeconds, rateHeaders } from '../../../../contract/limits.ts';
import type { Clock } from '../../../clock.ts';
import { answerFailed, callsUsedUp } from '../../../api/problem.ts';
import type { FaultBook, RequestFault } from './book.ts';

/** What breaks requests, and what it counts time with. */
export interface RequestFaultParts {
  readonly book: Pick<FaultBook, 'ofRequest'>;
  /** Of the callers: what the rate headers are written in. */
  readonly clock: Clock;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the connection is to break when the answer is ready. */
    isDropped: boolean;
  }
}

const refuseAsUsedUp = ({ retry_after_seconds: after = defaultRateWindowSeconds }: RequestFault, reply: FastifyReply, clock: Clock): never => {
  const resetAt = Math.ceil(clock.now() / 1000) + after;
  void reply.headers({ [rateHeaders.remaining]: 0, [rateHeaders.reset]: resetAt });
  throw callsUsedUp(Number(reply.getHeader(rateHeaders.limit)), resetAt);
};

const strike = (fault: RequestFault, request: FastifyRequest, reply: FastifyReply, clock: Clock): void => {
  switch (fault.effect) {
    case 'latency': return;
    case 'status_429': return refuseAsUsedUp(fault, reply, clock);
    case 'status_500': throw answerFailed();
    case 'dropped_before':
      reply.hijack();
      request.raw.socket.destroy();
      return;
    case 'dropped_after': request.isDropped = true;
  }
};

/**
 * Has faults strike the requests of a server: after it is known who calls and that they may, before the body is read.
 * A caller can't tell them from the real thing. A server that closes cuts delays short.
 */
export function addRequestFaults(app: FastifyInstance, { book, clock }: RequestFaultParts): void {
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  app.decorateRequest('isDropped', false);
  app.addHook('preParsing', async (request, reply) => {
    const operation = request.routeOptions.config.operation;
    const fault = operation && book.ofRequest(operation);
    if (!fault) return;
    await pause(fault.latency_ms ?? 0, undefined, { signal: closing.signal }).catch(() => undefined);
    strike(fault, request, reply, clock);
  });
  app.addHook('onSend', async (request) => {
    if (request.isDropped) request.raw.socket.destroy();
  });
}
