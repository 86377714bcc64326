import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type FastifyServerFactory } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { ErrorBody, errorBody } from '../../contract/errors.ts';
import { maximumBodyBytes, rateHeaders } from '../../contract/limits.ts';
import { openApiDocument } from '../../contract/openapi.ts';
import { type AnyOperation, parameterKind, snakeCase } from '../../contract/operation.ts';
import { allOperations, type OperationName } from '../../contract/operations.ts';
import { reference } from '../../contract/primitives.ts';
import { type TokenAuthenticator, permits, type Principal } from './auth.ts';
import { normalizeBody, addJsonBodyParser, wrongContentType, validatorCompiler } from './request-parsing.ts';
import type { OperationHandlers, NonTransactionalContext, HandlerDependencies, RequestContext } from './handler.ts';
import { internalError, ApiProblem, rateLimitExceeded, invalid } from '../problem.ts';
import type { RateLimitBudget } from './rate-limit.ts';
import type { Db, DataStore } from '../store/database.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for routes that take calls without a token. */
    isOpen?: boolean;
    /** Name of the operation that the route serves; absent for those that serve none. */
    operation?: OperationName;
  }
  interface FastifyRequest {
    /** Who calls; null where that isn't known, which only open routes go on with. */
    principal: Principal | null;
  }
}

/** What the server stands on. */
export interface ServerDependencies extends HandlerDependencies {
  readonly db: DataStore;
  readonly handlers: OperationHandlers<OperationName>;
  readonly authenticate: TokenAuthenticator;
  readonly countCall: (caller: string) => RateLimitBudget;
  /** Adds hooks to those of the server, before any other. */
  readonly extend?: (app: FastifyInstance) => void;
  /** Sees every request first; true where it takes it over. */
  readonly divert?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

type Input = Record<string, unknown>;
type AnyHandler =
  | ((input: Input, context: RequestContext) => Promise<unknown>)
  | { readonly withoutTransaction: (input: Input, context: NonTransactionalContext) => Promise<unknown> };

/** Longest path parameter that still finds its route, to be refused there by name. Node limits the whole head to 16 KB. */
const maxParamLength = 16_384;

const unauthorized = 'Send a valid API token as "Authorization: Token <value>" (or Bearer). The one sent is missing, unknown, expired or revoked.';

const routeNotFound = ({ method, url }: FastifyRequest) =>
  new ApiProblem(404, `There is no ${method} ${url.split('?', 1)[0]}. GET /openapi.json lists every operation.`);

/** Faults of the framework's own, in the document's terms: whatever is wrong with a request is a 400. */
const toProblem = (error: unknown): ApiProblem | undefined => {
  if (error instanceof ApiProblem) return error;
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return invalid('body', `is larger than ${maximumBodyBytes} bytes`);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrongContentType();
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return undefined;
  return new ApiProblem(400, (error as Error).message);
};

/** Answers a refusal, or a fault of ours: that is logged, and the caller learns nothing of it. */
export const answerProblem = ({ log }: Pick<HandlerDependencies, 'log'>, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const problem = toProblem(error);
  if (!problem) log.error({ err: error, method: request.method, route: request.routeOptions?.url }, 'a request failed');
  const { status, message } = problem ?? internalError();
  return reply.code(status).type('application/json').serializer(JSON.stringify).send(errorBody(status, message));
};

/** Finds out who calls and counts the call, by token or else by address. The rate headers are then on every answer. */
const authenticateAndLimit = async ({ authenticate, countCall }: ServerDependencies, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  request.principal = (await authenticate(request.headers.authorization)) ?? null;
  const budget = countCall(request.principal ? `token ${request.principal.id}` : `address ${request.ip}`);
  void reply.headers({ [rateHeaders.limit]: budget.limit, [rateHeaders.remaining]: budget.remaining, [rateHeaders.reset]: budget.resetAt });
  if (!request.principal && !request.routeOptions?.config?.isOpen) throw new ApiProblem(401, unauthorized);
  if (budget.exceeded) throw rateLimitExceeded(budget.limit, budget.resetAt);
};

const routePath = (op: AnyOperation) => op.path.replace(/\{(\w+)\}/g, ':$1');

const routeSchema = (op: AnyOperation) => ({
  params: z.object(Object.fromEntries(op.params.map((name: string) => [name, reference(parameterKind(name)).overwrite((id) => id.toLowerCase())]))),
  querystring: z.object(op.query as z.ZodRawShape),
  ...(op.body && { body: op.body as z.ZodObject }),
  response: { ...(op.response && { [op.status]: op.response as z.ZodType }), '4xx': ErrorBody, '5xx': ErrorBody },
});

const checkPermission = (op: AnyOperation) => async ({ principal }: FastifyRequest) => {
  const has = principal!.permission;
  if (permits(has, op.permission)) return;
  throw new ApiProblem(403, `${op.name} needs a token of level ${op.permission}; this one is of level ${has}.`);
};

/** The parts of a request side by side, in snake_case, as the contract's flat inputs are. */
const inputOf = ({ params, query, body }: FastifyRequest): Input => {
  const given = Object.entries({ ...(params as object), ...(query as object) });
  return { ...Object.fromEntries(given.map(([name, value]) => [snakeCase(name), value])), ...(body as object | undefined) };
};

/** Has a handler answer: in one transaction, which an error undoes, unless it begins its transactions itself. */
const runHandler = (parts: ServerDependencies, op: AnyOperation, handler: AnyHandler, request: FastifyRequest): Promise<unknown> => {
  const { db } = parts;
  const input = inputOf(request);
  const principal = request.principal!;
  if ('withoutTransaction' in handler) return handler.withoutTransaction(input, { ...parts, principal });
  const within = (trx: Db) => handler(input, { ...parts, db: trx, principal });
  return op.effect === 'read' ? db.read(within) : db.write(within);
};

/** Serves one operation. */
const addRoute = (app: FastifyInstance, parts: ServerDependencies, op: AnyOperation, handler: AnyHandler): void => {
  app.route({
    method: op.method,
    url: routePath(op),
    config: { operation: op.name as OperationName },
    schema: routeSchema(op),
    onRequest: checkPermission(op),
    preValidation: async (request) => {
      request.body = normalizeBody(op, request.body);
    },
    handler: async (request, reply) => {
      const answer = await runHandler(parts, op, handler, request);
      if (op.effect !== 'read') parts.engine.wake();
      return reply.code(op.status).send(answer);
    },
  });
};

/** Answers what the router can't read, which no hook sees: who calls comes first here too. */
const answerFrameworkError = async (parts: ServerDependencies, error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  try {
    await authenticateAndLimit(parts, request, reply);
    answerProblem(parts, error, request, reply);
  } catch (refusal) {
    answerProblem(parts, refusal, request, reply);
  }
};

/** Once the server closes, has connections end with the answer that is under way on them: clients would keep them open. */
const closeConnectionsOnShutdown = (app: FastifyInstance): void => {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) void reply.header('connection', 'close');
  });
};

/** A server like the framework's own, which asks before each request whether another takes it over. */
const interceptingServer = (divert: NonNullable<ServerDependencies['divert']>): FastifyServerFactory => (handle, { keepAliveTimeout, requestTimeout }) =>
  Object.assign(createHttpServer((request, response) => void (divert(request, response) || handle(request, response))), { keepAliveTimeout, requestTimeout });

/** Builds the HTTP server of every operation of the contract. It doesn't listen yet. */
export function createServer(parts: ServerDependencies): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: maximumBodyBytes,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength },
    ...(parts.divert && { serverFactory: interceptingServer(parts.divert) }),
    frameworkErrors: (error, request, reply) => void answerFrameworkError(parts, error, request, reply),
  });
  addJsonBodyParser(app);
  app.setValidatorCompiler(validatorCompiler as Parameters<typeof app.setValidatorCompiler>[0]);
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest('principal', null);
  closeConnectionsOnShutdown(app);
  parts.extend?.(app);
  app.addHook('onRequest', (request, reply) => authenticateAndLimit(parts, request, reply));
  app.setErrorHandler((error, request, reply) => answerProblem(parts, error, request, reply));
  app.setNotFoundHandler((request) => {
    throw routeNotFound(request);
  });
  const document = openApiDocument();
  app.get('/openapi.json', { config: { isOpen: true } }, async () => document);
  for (const op of allOperations) addRoute(app, parts, op, parts.handlers[op.name as OperationName] as unknown as AnyHandler);
  return app;
}
