import { randomBytes } from 'node:crypto';
import type { RecordedCall } from '../../../server/audit/index.ts';
import type { Clock, ServerLogger } from '../../../server/context/index.ts';
import { StoreUnavailable } from '../../../server/failure/index.ts';
import {
  isCode,
  matchesTyped,
  monotonicClock,
  normalCode,
  type ApprovalQueue,
  type OperatorRights,
  type UnlockedQueue,
  type Verdict,
  wrongSecretText,
  type WaitingSecrets,
} from '../../../server/guard/index.ts';
import { own } from '../../../server/json/index.ts';
import { readText } from '../request-body.ts';
import type { HttpExchange, HttpHandler } from '../exchange.ts';
import { type ApprovalsPaths, approvalsPathsAt, closedPage, type Html, loginPage } from './page-frame.ts';
import {
  createOperatorSessions,
  hasValidFormToken,
  type OperatorSession,
  sharedOperatorSessions,
  type SharedOperators,
} from './operator-sessions.ts';
import { secretPage } from './handed-secrets.ts';
import { liveHeader, liveScript } from './live-script.ts';
import { callsOnPage, queuePage, type PendingCallsPage, type SinglePendingCall } from './pages.ts';
import { style } from './style.ts';

/** The data behind the approvals page. */
export interface ApprovalsSource {
  readonly queue: ApprovalQueue;
  /** The shell command with which the operator approves calls, such as `infra-mcp approve`. */
  readonly approveCommand: string;
  /** Set if a sign-in is valid at every server. Default: only at this one. */
  readonly operators?: SharedOperators;
  /** The secrets that wait for the operator. Default: none ever do. */
  readonly secrets?: WaitingSecrets | undefined;
  /** The newest calls, oldest first; undefined if they can't be read. */
  readonly latestCalls: () => Promise<readonly RecordedCall[] | undefined>;
}

export interface ApprovalsPageDependencies extends ApprovalsSource {
  /** The response to a request whose Host header names another host; undefined if the name is accepted. */
  readonly rejectUnknownHost: (request: Request) => Response | undefined;
  /** The URL under which browsers reach this server, if it differs from the bound address. */
  readonly publicUrl?: URL;
  /** The paths that browsers use. */
  readonly paths: ApprovalsPaths;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

/** Maximum form size in bytes. */
const maxFormBytes = 8 * 1024;

const cookieName = 'infra_operator';

/**
 * The Content-Security-Policy: the page loads only its own stylesheet, can't be framed, and submits forms only to
 * itself.
 * @param nonce of the one script that may run and send requests to this server. Without it, no script may.
 */
const securityPolicy = (nonce?: string): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    ...(nonce === undefined ? [] : [`script-src 'nonce-${nonce}'`, "connect-src 'self'"]),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

const headers = {
  'Content-Security-Policy': securityPolicy(),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

const htmlResponse = ({ markup }: Html, status = 200, nonce?: string): Response =>
  new Response(markup, {
    status,
    headers: {
      ...headers,
      'Content-Security-Policy': securityPolicy(nonce),
      'Content-Type': 'text/html; charset=utf-8',
    },
  });

const fileResponse = (text: string, type: string): Response =>
  new Response(text, { headers: { ...headers, 'Content-Type': `${type}; charset=utf-8` } });

/** The result of a form, shown on the page after the redirect. The keys are values of the `said` query parameter. */
const messages: Readonly<Record<string, string>> = {
  approved: 'Approved, for one call. The assistant can repeat it now.',
  refused: 'Refused.',
  not_recorded: 'Nothing was decided: it could not be recorded. The log of this server tells why.',
  gone: 'Nothing was decided: it expired, was decided already, or never was.',
  not_there: 'There is no such secret: it was shown already, or expired. Revoke it, and create another.',
  counted: 'Agreed. It waits for more of the operators.',
  decided_before: 'Nothing was decided: you agreed to it before. Another operator has to agree too.',
  not_theirs: 'Nothing was decided: you may not decide on that call.',
  not_typed: 'Not approved: what was typed is not the name. It waits until it expires.',
};

const messageFor = (result: string | null): string | undefined => (result === null ? undefined : own(messages, result));

/** The requested page number, from 1; 1 if it is missing or invalid. */
const pageIn = (query: URLSearchParams): number =>
  /^[1-9]\d{0,5}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1;

/** Maximum length of a requested code that is shown again although no call waits under it. */
const maxCodeLength = 20;

const redirectTo = (page: string, query: Readonly<Record<string, string>>, cookie?: string): Response => {
  const text = new URLSearchParams(query).toString();
  return new Response(null, {
    status: 303,
    headers: {
      ...headers,
      Location: text === '' ? page : `${page}?${text}`,
      ...(cookie !== undefined && { 'Set-Cookie': cookie }),
    },
  });
};

/** The requested code in its stored form; empty if there is none. */
const codeIn = (query: URLSearchParams): string => normalCode(query.get('code') ?? '').slice(0, maxCodeLength);

const operatorCookieIn = ({ headers: requestHeaders }: Request): string =>
  requestHeaders
    .get('cookie')
    ?.split(';')
    .map((pair) => pair.trim().split('='))
    .find(([name]) => name === cookieName)?.[1] ?? '';

const lockedMessage = (
  { until, everywhere }: Extract<UnlockedQueue, { kind: 'locked' }>,
  approveCommand: string,
): string =>
  `Too many wrong secrets were given ${everywhere ? 'on this page' : 'from your address'}. The next try counts from ${new Date(until).toISOString()}. ` +
  `In a terminal on the server you need not wait: ${approveCommand}`;

/** Whether an operator may decide on every call: only then they see new secrets, which may open everything. */
const mayAll = ({ operator }: OperatorSession, rights: OperatorRights | undefined): boolean =>
  operator === undefined || rights?.isLimited === false;

/** Browsers send an Origin header with every form. A form without one, or from another origin, is rejected. */
const isSameOrigin = ({ headers: requestHeaders }: Request, publicUrl: URL | undefined): boolean => {
  const origin = URL.parse(requestHeaders.get('origin') ?? '');
  return origin !== null && [requestHeaders.get('host'), publicUrl?.host].includes(origin.host);
};

/** The page on which the operator approves or refuses calls. Works without scripts; with them, it stays up to date. */
export function approvalsPage({
  queue,
  approveCommand,
  secrets,
  operators: shared,
  latestCalls,
  rejectUnknownHost,
  publicUrl,
  paths,
  clock,
  log,
}: ApprovalsPageDependencies): Readonly<Record<string, HttpHandler>> {
  // An idle session stays expired even if the clock steps back.
  const operators = shared ? sharedOperatorSessions(shared, clock) : createOperatorSessions(monotonicClock(clock));

  const cookieOf = (value: string, seconds?: number): string =>
    [
      `${cookieName}=${value}`,
      `Path=${paths.page}`,
      'HttpOnly',
      'SameSite=Strict',
      ...(publicUrl?.protocol === 'https:' ? ['Secure'] : []),
      ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
    ].join('; ');

  const redirect = (query: Readonly<Record<string, string>> = {}, cookie?: string): Response =>
    redirectTo(paths.page, query, cookie);
  const signIn = (words: string | undefined, code?: string): Html => loginPage(paths, words, code, queue.hasNames);

  const listing = async (query: URLSearchParams): Promise<PendingCallsPage> => {
    const now = clock.now();
    const total = await queue.count(now);
    const newestFirst = query.get('order') === 'newest';
    const pageNumber = Math.min(pageIn(query), Math.max(1, Math.ceil(total / callsOnPage)));
    return {
      waiting: await queue.waiting(now, { newestFirst, skip: (pageNumber - 1) * callsOnPage, most: callsOnPage }),
      total,
      pageNumber,
      newestFirst,
    };
  };

  const rightsOf = async ({ operator }: OperatorSession): Promise<OperatorRights | undefined> =>
    operator === undefined ? undefined : queue.rightsOf(operator);

  const single = async (code: string): Promise<SinglePendingCall> => ({
    code,
    pending: await queue.find(code, clock.now()),
  });

  const view = async (
    { url: { searchParams: query } }: HttpExchange,
    operator: OperatorSession | undefined,
  ): Promise<Response> => {
    const code = codeIn(query);
    const status = code === '' || isCode(code) ? 200 : 404;
    if (!operator)
      return htmlResponse(
        (await queue.isSetUp()) ? signIn(undefined, status === 404 ? '' : code) : closedPage(paths, approveCommand),
        status,
      );
    const [shown, calls, rights] = await Promise.all([
      code === '' ? listing(query) : single(code),
      latestCalls(),
      rightsOf(operator),
    ]);
    const nonce = randomBytes(16).toString('base64url');
    return htmlResponse(
      queuePage({
        operator,
        paths,
        shown,
        may: rights?.text,
        secrets: mayAll(operator, rights) ? (secrets?.waiting(clock.now()) ?? []) : [],
        calls,
        nonce,
        now: clock.now(),
        message: messageFor(query.get('said')),
      }),
      status,
      nonce,
    );
  };

  const logIn = async (form: URLSearchParams, address: string): Promise<Response> => {
    const unlocked = await queue.unlock(form.get('secret') ?? '', address, clock.now(), form.get('name') ?? undefined);
    const code = codeIn(form);
    if (unlocked.kind === 'unlocked')
      return redirect(code === '' ? {} : { code }, cookieOf((await operators.start(unlocked)).cookie));
    log.warn({ why: unlocked.kind, address }, 'operator login refused');
    if (unlocked.kind === 'locked') return htmlResponse(signIn(lockedMessage(unlocked, approveCommand), code), 429);
    return htmlResponse(signIn(wrongSecretText(unlocked.left, 'from your address', queue.hasNames), code), 403);
  };

  const decide = async (operator: OperatorSession, form: URLSearchParams): Promise<Response> => {
    const code = form.get('code') ?? '';
    const approving = form.get('do') === 'approve';
    const pending = await queue.find(code, clock.now());
    if (!pending) return redirect({ said: 'gone' });
    if (approving && pending.typed !== undefined && !matchesTyped(pending.typed, form.get('typed')))
      return redirect({ said: 'not_typed' });
    const verdict: Verdict = approving ? 'approved_on_page' : 'refused';
    const decided = await queue.decide(code, verdict, operator, clock.now()).catch((error: unknown) => {
      log.error({ err: error, code }, 'operator could not decide');
      return undefined;
    });
    if (decided === undefined) return redirect({ said: 'not_recorded' });
    if (decided.kind !== 'decided' && decided.kind !== 'counted') return redirect({ said: decided.kind });
    log.info(
      { code, verdict, operator: operator.operator, tool: pending.plan.tool, principal: pending.principal },
      'operator decided',
    );
    if (decided.kind === 'counted') return redirect({ said: 'counted' });
    return redirect({ said: approving ? 'approved' : 'refused' });
  };

  const show = async (operator: OperatorSession, form: URLSearchParams): Promise<Response> => {
    const code = form.get('code') ?? '';
    const taken = mayAll(operator, await rightsOf(operator)) ? secrets?.take(code, clock.now()) : undefined;
    if (!taken) return redirect({ said: 'not_there' });
    log.info({ code, about: taken.about, operator: operator.operator }, 'operator was shown a new secret');
    return htmlResponse(secretPage(paths, taken));
  };

  const submit = async (
    { request, incoming, address }: HttpExchange,
    operator: OperatorSession | undefined,
  ): Promise<Response> => {
    if (!isSameOrigin(request, publicUrl))
      return htmlResponse(signIn('That form did not come from this page. Nothing was done.'), 403);
    const text = await readText(incoming, maxFormBytes);
    if (text instanceof Response) return text;
    const form = new URLSearchParams(text);
    const action = form.get('do');
    if (action === 'enter') return logIn(form, address);
    if (!operator) return htmlResponse(signIn('You were away for too long. Give the secret again.'), 403);
    if (!hasValidFormToken(operator, form.get('form_token') ?? ''))
      return htmlResponse(signIn('That form did not come from this page. Nothing was done.'), 403);
    if (action === 'approve' || action === 'refuse') return decide(operator, form);
    if (action === 'show') return show(operator, form);
    if (action !== 'leave') return htmlResponse(signIn('That form is not known here. Nothing was done.'), 400);
    await operators.end(operator.cookie);
    return redirect({}, cookieOf('', 0));
  };

  const answer: HttpHandler = async (exchange) => {
    const { request } = exchange;
    const cookie = operatorCookieIn(request);
    if (request.method === 'GET' && request.headers.has(liveHeader))
      return view(exchange, await operators.peek(cookie));
    const operator = await operators.find(cookie);
    if (request.method === 'POST') return submit(exchange, operator);
    return ['GET', 'HEAD'].includes(request.method)
      ? view(exchange, operator)
      : new Response(null, { status: 405, headers: { ...headers, Allow: 'GET, POST' } });
  };

  const page: HttpHandler = async (exchange) =>
    rejectUnknownHost(exchange.request) ??
    answer(exchange).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error;
      log.error({ err: error, requestId: exchange.requestId }, 'the approvals page could not use the shared database');
      return htmlResponse(
        signIn(
          'The database that the servers share could not be used. Whether a decision that you just made holds is not known: look again in a minute.',
        ),
        503,
      );
    });

  const served = approvalsPathsAt('');
  return {
    [served.page]: page,
    [served.style]: async () => fileResponse(style, 'text/css'),
    [served.script]: async () => fileResponse(liveScript, 'text/javascript'),
  };
}
