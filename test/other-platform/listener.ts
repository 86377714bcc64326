import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { NOTHING, pageOf, type Platform, type Route } from './platform.ts';
import { Failure, inQuery, read, Refusal, strict } from './schema.ts';

/** One request and what was answered to it. */
export interface Exchange {
  method: string;
  /** As sent, with its query. */
  path: string;
  /** Parsed where it is JSON. */
  body: unknown;
  status: number;
  /** What was answered, as it was sent; undefined until then. */
  answer?: string;
}

/** A request that the document doesn't allow. */
export interface RefusedRequest extends Exchange {
  reason: string;
}

interface Recorded {
  requests: Exchange[];
  refusals: RefusedRequest[];
}

const TEXTS: { [status: number]: string } = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** The members of a path that fits this pattern, or nothing. */
function fit(pattern: string, path: string): { [name: string]: string } | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const members: { [name: string]: string } = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith('{')) members[part.slice(1, -1)] = value;
    else if (part !== value) return undefined;
  }
  return members;
}

/**
 * Of all routes with this path the ones with the fewest open parts: /environment/deploymentStatus is no environment.
 */
function matching(routes: readonly Route[], path: string) {
  const found = routes.flatMap((route) => {
    const members = fit(route.path, path);
    return members === undefined ? [] : [{ route, members, open: Object.keys(members).length }];
  });
  const fewest = Math.min(...found.map(({ open }) => open));
  return found.filter(({ open }) => open === fewest);
}

function queryOf(route: Route, url: URL, platform: Platform) {
  const paged = route.rows && !platform.on('noPages');
  const shape = paged ? { ...route.query, page: inQuery.whole, page_size: inQuery.whole } : route.query;
  return read(strict(shape), Object.fromEntries(url.searchParams), 'query parameter');
}

function checkedBody(
  route: Route,
  request: IncomingMessage,
  sent: string,
  parsed: unknown,
): { [name: string]: unknown } {
  const empty = sent === '';
  if (route.body === undefined) {
    if (!empty && (request.method === 'GET' || request.method === 'DELETE' || JSON.stringify(parsed) !== '{}'))
      throw new Refusal('this operation takes no body');
    return {};
  }
  if (empty && route.bodyOptional) return {};
  if (empty) throw new Refusal('a body is required');
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    throw new Refusal('the content type has to be application/json');
  if (parsed === undefined) throw new Refusal('the body is not JSON');
  return read(route.body, parsed, 'body member');
}

function parse(sent: string): unknown {
  try {
    return sent === '' ? undefined : JSON.parse(sent);
  } catch {
    return undefined;
  }
}

/** Serves the routes: checks who asks and what, runs the operation, answers, and keeps a record of it all. */
export function listener(
  platform: Platform,
  routes: readonly Route[],
  record: Recorded,
  allowed: { token: string; perHour: number },
): Server {
  const window = { since: 0, count: 0 };

  function send(response: ServerResponse, exchange: Exchange, content: unknown): void {
    const { status } = exchange;
    if (!platform.on('otherErrors')) {
      response.setHeader('X-RateLimit-Limit', allowed.perHour);
      response.setHeader('X-RateLimit-Remaining', Math.max(0, allowed.perHour - window.count));
      response.setHeader('X-RateLimit-Reset', Math.ceil((window.since + 3_600_000) / 1000));
    }
    const isText = typeof content === 'string';
    exchange.answer = content === NOTHING || status === 204 ? '' : isText ? content : JSON.stringify(content);
    if (exchange.answer !== '') response.setHeader('content-type', isText ? 'text/plain' : 'application/json');
    response.writeHead(status).end(exchange.answer);
  }

  /** What is said of a refusal: some validators don't name a member that isn't known. */
  const told = (message: string): string =>
    platform.on('strictBodies') && message.startsWith('body member')
      ? message.replaceAll(/[\w.]+: is unknown/g, 'must NOT have additional properties')
      : message;

  function errorBody(status: number, reason: string, path: string): unknown {
    const message = told(reason);
    if (!platform.on('otherErrors')) return { status, error: TEXTS[status] ?? 'Error', message };
    if (status === 401 || message.startsWith('no operation')) return message;
    return { timestamp: platform.date(), path, title: TEXTS[status] ?? 'Error', detail: message };
  }

  function admit(request: IncomingMessage): void {
    const [scheme, secret] = (request.headers.authorization ?? '').split(' ');
    if (!['Token', 'Bearer'].includes(scheme ?? '') || secret !== allowed.token)
      throw new Failure(401, 'The token is missing or not valid');
    if (platform.now() - window.since >= 3_600_000) Object.assign(window, { since: platform.now(), count: 0 });
    window.count += 1;
    if (window.count > allowed.perHour) throw new Failure(429, 'Too many requests in this hour');
  }

  function answer(
    request: IncomingMessage,
    url: URL,
    sent: string,
    parsed: unknown,
  ): { status: number; answer: unknown } {
    admit(request);
    const found = matching(routes, url.pathname);
    if (found.length === 0) throw new Refusal(`no operation has the path ${url.pathname}`, 404);
    const match = found.find(({ route }) => route.method === request.method);
    if (match === undefined)
      throw new Refusal(`no operation ${request.method ?? ''} has the path ${url.pathname}`, 404);
    const { route, members } = match;
    for (const [name, value] of Object.entries(members)) {
      if (name.endsWith('Id') && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value))
        throw new Refusal(`path member ${name}: is no uuid`);
    }
    const query = queryOf(route, url, platform);
    const body = checkedBody(route, request, sent, parsed);
    const result = route.run({ path: members, query, body });
    return { status: route.code, answer: route.rows ? pageOf(result as unknown[], query, platform) : result };
  }

  return createServer((request, response) => {
    void (async () => {
      const sent = await bodyOf(request);
      const path = request.url ?? '/';
      const parsed = parse(sent);
      const exchange: Exchange = {
        method: request.method ?? '',
        path,
        body: parsed ?? (sent === '' ? undefined : sent),
        status: 0,
      };
      record.requests.push(exchange);
      try {
        const done = answer(request, new URL(path, 'http://localhost'), sent, parsed);
        exchange.status = done.status;
        send(response, exchange, done.answer);
      } catch (error) {
        exchange.status = error instanceof Refusal || error instanceof Failure ? error.status : 500;
        const message = error instanceof Error ? error.message : String(error);
        if (error instanceof Refusal) record.refusals.push({ ...exchange, reason: message });
        send(response, exchange, errorBody(exchange.status, message, path));
      }
    })();
  });
}
