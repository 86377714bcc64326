import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
} from 'fastify';
import * as z from 'zod';
import {
  allOperations,
  type AnyOperation,
  ErrorBody,
  errorBody,
  maximumBodyBytes,
  openApiDocument,
  type OperationName,
  parameterKind,
  rateHeaders,
  reference,
  repeated,
  snakeCase,
} from '../../contract/index.ts';
import { answerCompiler, wholeAnswer } from './answers.ts';
import { type TokenAuthenticator, permits, type Principal } from './auth.ts';
import { normalizeBody, addJsonBodyParser, wrongContentType, validatorCompiler } from './request-parsing.ts';
import { eventTypeOf, withEvent } from './events/record-event.ts';
import type { OperationHandlers, NonTransactionalContext, HandlerDependencies, RequestContext } from './handler.ts';
import { internalError, ApiProblem, rateLimitExceeded, invalid } from '../common/index.ts';
import type { RateLimiter } from './gate.ts';
import { addMetricsPage } from './metrics-page.ts';
import { lockForRequest } from './request-locks.ts';
import { type Db, type DataStore, RecordsUnavailable } from '../store/index.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route accepts calls without a token. */
    isOpen?: boolean;
    /** Whether the route only reports that the process serves. It needs no records, and its calls don't count. */
    isHealth?: boolean;
    /** The name of the operation that the route serves, if any. */
    operation?: OperationName;
  }
  interface FastifyRequest {
    /** The caller; null without a valid token, which only open routes accept. */
    principal: Principal | null;
  }
}

/** The dependencies of the server. */
export interface ApiDependencies extends HandlerDependencies {
  readonly db: DataStore;
  readonly handlers: OperationHandlers<OperationName>;
  readonly authenticate: TokenAuthenticator;
  readonly countCall: RateLimiter;
  /** Whether a Prometheus may fetch metrics. */
  readonly servesMetrics?: boolean;
  /** Adds hooks that run before the server's own. */
  readonly extend?: (app: FastifyInstance) => void;
  /** Sees every request first. Returns true if it handles the request. */
  readonly divert?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

type Input = Record<string, unknown>;
type AnyHandler =
  | ((input: Input, context: RequestContext) => Promise<unknown>)
  | { readonly withoutTransaction: (input: Input, context: NonTransactionalContext) => Promise<unknown> }
  | {
      readonly prepare: (input: Input, context: NonTransactionalContext) => Promise<unknown>;
      readonly handle: (input: Input, context: RequestContext, prepared: unknown) => Promise<unknown>;
    };

/** The path of the readiness check for proxies. */
const healthPath = '/readyz';

/**
 * Long path parameters must reach their route, whose validation names the parameter. Node limits the whole request head
 * to 16 KB.
 */
const maxParamLength = 16_384;

const unauthorized =
  'Send a valid API token as "Authorization: Token <value>" (or Bearer). The one sent is missing, unknown, expired or revoked.';

const routeNotFound = ({ method, url }: FastifyRequest) =>
  new ApiProblem(
    404,
    `There is no ${method} ${repeated(url.split('?', 1)[0]!)}. GET /openapi.json lists every operation.`,
  );

/**
 * Converts Fastify's own errors to those of the contract: every client error is a 400. Undefined for internal errors.
 */
const toProblem = (error: unknown): ApiProblem | undefined => {
  if (error instanceof ApiProblem) return error;
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return invalid('body', `is larger than ${maximumBodyBytes} bytes`);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrongContentType();
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return undefined;
  return new ApiProblem(400, (error as Error).message);
};

/** 503 while the records can't be used. The error's message is already meant for callers. */
const unavailable = ({ message }: RecordsUnavailable): ApiProblem => new ApiProblem(503, message);

/**
 * Responds with a problem. Any other error is logged; it becomes a 503 if the records can't be used, else a 500 without
 * details.
 */
export const answerProblem = (
  { log }: Pick<HandlerDependencies, 'log'>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
  const problem = toProblem(error);
  const of = { method: request.method, route: request.routeOptions?.url };
  // While the database is unavailable, every request fails like this. One line each is enough.
  if (error instanceof RecordsUnavailable)
    log.warn({ ...of, reason: error.message, cause: String(error.cause) }, 'the records could not be used');
  else if (!problem) log.error({ err: error, ...of }, 'a request failed');
  const { status, message } = problem ?? (error instanceof RecordsUnavailable ? unavailable(error) : internalError());
  return reply.code(status).type('application/json').serializer(JSON.stringify).send(errorBody(status, message));
};

/**
 * Authenticates the caller and counts the call, by token or by IP address. Adds the rate limit headers to the response.
 */
const authenticateAndLimit = async (
  { authenticate, countCall }: ApiDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  request.principal = (await authenticate(request.headers.authorization)) ?? null;
  const budget = await countCall(request.principal ? `token ${request.principal.id}` : `address ${request.ip}`);
  void reply.headers({
    [rateHeaders.limit]: budget.limit,
    [rateHeaders.remaining]: budget.remaining,
    [rateHeaders.reset]: budget.resetAt,
  });
  if (!request.principal && !request.routeOptions?.config?.isOpen) throw new ApiProblem(401, unauthorized);
  if (budget.exceeded) throw rateLimitExceeded(budget.limit, budget.resetAt);
};

const routePath = (op: AnyOperation) => op.path.replace(/\{(\w+)\}/g, ':$1');

const routeSchema = (op: AnyOperation) => ({
  params: z.object(
    Object.fromEntries(
      op.params.map((name: string) => [name, reference(parameterKind(name)).overwrite((id) => id.toLowerCase())]),
    ),
  ),
  querystring: z.object(op.query as z.ZodRawShape),
  ...(op.body && { body: op.body as z.ZodObject }),
  response: { ...(op.response && { [op.status]: op.response as z.ZodType }), '4xx': ErrorBody, '5xx': ErrorBody },
});

// Derived once for all servers of a process.
const routeSchemas = new Map<AnyOperation, ReturnType<typeof routeSchema>>();
const routeSchemaOf = (op: AnyOperation) => {
  const schema = routeSchemas.get(op) ?? routeSchema(op);
  routeSchemas.set(op, schema);
  return schema;
};

/** The OpenAPI document, once a client has requested it. Deriving it takes most of the time of a start. */
let document: ReturnType<typeof openApiDocument> | undefined;

const checkPermission =
  (op: AnyOperation) =>
  async ({ principal }: FastifyRequest) => {
    const has = principal!.permission;
    if (permits(has, op.permission)) return;
    throw new ApiProblem(403, `${op.name} needs a token of level ${op.permission}; this one is of level ${has}.`);
  };

/** Merges path, query and body into the contract's flat input, in snake_case. */
const inputOf = ({ params, query, body }: FastifyRequest): Input => {
  const parameters = Object.entries({ ...(params as object), ...(query as object) });
  return {
    ...Object.fromEntries(parameters.map(([name, value]) => [snakeCase(name), value])),
    ...(body as object | undefined),
  };
};

/** The origin of requests in events. */
const requestOrigin = 'API';

/**
 * Runs a handler in one transaction, which an error rolls back, with the event of a change, unless the handler starts
 * its own transactions.
 */
const runHandler = async (
  dependencies: ApiDependencies,
  op: AnyOperation,
  handler: AnyHandler,
  request: FastifyRequest,
): Promise<unknown> => {
  const { db } = dependencies;
  const input = inputOf(request);
  const principal = request.principal!;
  if ('withoutTransaction' in handler) return handler.withoutTransaction(input, { ...dependencies, principal });
  const prepared = 'prepare' in handler ? await handler.prepare(input, { ...dependencies, principal }) : undefined;
  const within = (trx: Db) => {
    const context = { ...dependencies, db: trx, principal };
    return 'prepare' in handler ? handler.handle(input, context, prepared) : handler(input, context);
  };
  if (op.effect === 'read') return db.read(within);
  const actor = { name: principal.name, origin: requestOrigin, userAgent: request.headers['user-agent'] };
  return db.write(async (trx) => {
    // In a data directory writes run one at a time anyway.
    if (db.isShared) await lockForRequest(op, input, trx);
    return withEvent(op, input, { db: trx, clock: dependencies.clock }, actor, () => within(trx));
  });
};

/** Adds the route of one operation. */
const addRoute = (app: FastifyInstance, dependencies: ApiDependencies, op: AnyOperation, handler: AnyHandler): void => {
  app.route({
    method: op.method,
    url: routePath(op),
    config: { operation: op.name as OperationName },
    schema: routeSchemaOf(op),
    onRequest: checkPermission(op),
    preValidation: async (request) => {
      request.body = normalizeBody(op, request.body);
    },
    handler: async (request, reply) => {
      const response = await runHandler(dependencies, op, handler, request);
      if (op.effect !== 'read') dependencies.engine.wake();
      return reply.code(op.status).send(response);
    },
  });
};

/**
 * Responds to requests that the router can't parse. No hook sees these, so this authenticates first, like any route.
 */
const answerFrameworkError = async (
  dependencies: ApiDependencies,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  try {
    await authenticateAndLimit(dependencies, request, reply);
    answerProblem(dependencies, error, request, reply);
  } catch (refusal) {
    answerProblem(dependencies, refusal, request, reply);
  }
};

/** Ends keep-alive connections with their current response once the server is closing. */
const closeConnectionsOnShutdown = (app: FastifyInstance): void => {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) void reply.header('connection', 'close');
  });
};

/** Creates Fastify's HTTP server, with `divert` in front of every request. */
const interceptingServer =
  (divert: NonNullable<ApiDependencies['divert']>): FastifyServerFactory =>
  (handle, { keepAliveTimeout, requestTimeout }) =>
    Object.assign(
      createHttpServer((request, response) => void (divert(request, response) || handle(request, response))),
      { keepAliveTimeout, requestTimeout },
    );

/** Creates the HTTP server with every operation of the contract. It doesn't listen yet. */
export function createServer(dependencies: ApiDependencies): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: maximumBodyBytes,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength },
    ...(dependencies.divert && { serverFactory: interceptingServer(dependencies.divert) }),
    frameworkErrors: (error, request, reply) => void answerFrameworkError(dependencies, error, request, reply),
  });
  addJsonBodyParser(app);
  app.setValidatorCompiler(validatorCompiler as Parameters<typeof app.setValidatorCompiler>[0]);
  app.setSerializerCompiler(answerCompiler);
  app.decorateRequest('principal', null);
  closeConnectionsOnShutdown(app);
  dependencies.extend?.(app);
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.config.isHealth) await authenticateAndLimit(dependencies, request, reply);
  });
  app.addHook('preSerialization', async (_request, _reply, answer) => wholeAnswer(answer));
  app.setErrorHandler((error, request, reply) => answerProblem(dependencies, error, request, reply));
  app.setNotFoundHandler((request) => {
    throw routeNotFound(request);
  });
  for (const op of allOperations) if (op.effect !== 'read') eventTypeOf(op);
  // For proxies. While the database is unavailable, the API's error responses tell callers more than a proxy without
  // servers.
  app.get(healthPath, { config: { isHealth: true } }, async (_request, reply) => reply.send({ status: 'serving' }));
  app.get('/openapi.json', { config: { isOpen: true } }, async () => (document ??= openApiDocument()));
  if (dependencies.servesMetrics) addMetricsPage(app, dependencies);
  for (const op of allOperations)
    addRoute(app, dependencies, op, dependencies.handlers[op.name as OperationName] as unknown as AnyHandler);
  return app;
}
