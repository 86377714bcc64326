import { randomBytes } from 'node:crypto';
import type { Clock, ServerLogger } from '../../../server/context/index.ts';
import { StoreUnavailable } from '../../../server/failure/index.ts';
import { normalCode, wrongSecretText, type ApprovalQueue, type UnlockedQueue } from '../../../server/guard/index.ts';
import { own } from '../../../server/json/index.ts';
import type { HttpExchange, HttpHandler } from '../exchange.ts';
import { readText } from '../request-body.ts';
import { emptyHtml, html, type Html } from './html.ts';
import { liveHeader, liveScript } from './live-script.ts';
import type { LiveEvents } from './live-events.ts';
import { createOperatorSignIn } from './operator-sign-in.ts';
import { hasValidFormToken, type OperatorSession, type SharedOperators } from './operator-sessions.ts';
import {
  closedPage,
  formTokenInput,
  framed,
  loginPage,
  messageBanner,
  type Frame,
  type PagePaths,
} from './page-frame.ts';
import {
  fileResponse,
  htmlResponse,
  isFormOfThisServer,
  isOfAnotherOrigin,
  isScriptOfThisServer,
  pageHeaders,
  redirectTo,
} from './security.ts';
import { style } from './style.ts';
import type { Shown, Tab, Visit } from './tab.ts';
import type { HttpRequest } from '../http-request.ts';

export interface OperatorPagesDependencies {
  readonly queue: ApprovalQueue;
  /** The shell command with which the operator approves calls, such as `infra-mcp approve`. */
  readonly approveCommand: string;
  /** Set if a sign-in is valid at every server. Default: only at this one. */
  readonly operators?: SharedOperators | undefined;
  /** In the order of their links. One of them is a page without tabs. */
  readonly tabs: readonly [Tab, ...Tab[]];
  /** The paths of a tab. @param base the path before those of the server. */
  readonly pathsAt: (base: string, tab: Tab) => PagePaths;
  /** The path below which all of these are. */
  readonly root: string;
  /** The path before those of the server, as browsers see it. */
  readonly base: string;
  readonly live: LiveEvents;
  /** More routes, by paths within the server, for whoever is signed in. */
  readonly more?: Readonly<
    Record<string, (exchange: HttpExchange, visit: () => Promise<Visit | undefined>) => Promise<Response>>
  >;
  /** The response to a request whose Host header names another host; undefined if the name is accepted. */
  readonly rejectUnknownHost: (request: HttpRequest) => Response | undefined;
  /** The URL under which browsers reach this server, if it differs from the bound address. */
  readonly publicUrl?: URL | undefined;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

/** Maximum form size in bytes. */
const maxFormBytes = 8 * 1024;

/** Maximum length of a requested code that is shown again although no call waits under it. */
const maxCodeLength = 20;

/** The code of a waiting call in a query or form, in its stored form; empty if there is none. */
export const codeIn = (fields: URLSearchParams): string => normalCode(fields.get('code') ?? '').slice(0, maxCodeLength);

const lockedMessage = (
  { until, everywhere }: Extract<UnlockedQueue, { kind: 'locked' }>,
  approveCommand: string,
): string =>
  `Too many wrong secrets were given ${everywhere ? 'on this page' : 'from your address'}. The next try counts from ${new Date(until).toISOString()}. ` +
  `In a terminal on the server you need not wait: ${approveCommand}`;

const elsewhere = 'That did not come from this page. Nothing was done.';

const whoText = ({ operator }: OperatorSession, rights: Visit['rights']): Html =>
  operator === undefined
    ? emptyHtml
    : html`<p class="muted" id="who">Signed in as ${operator}. You may decide ${rights?.text ?? 'nothing any more'}.${rights?.places === undefined ? '' : ' What is in other places is kept from you.'}</p>`;

const signOutForm = (operator: OperatorSession, { page }: PagePaths): Html =>
  html`<form method="post" action="${page}">${formTokenInput(operator)}<button name="do" value="leave">Sign out</button></form>`;

/** The content of a tab around its parts, which the live script replaces when they change. */
const contentOf = (
  { parts, total = 1, pages = 1, changesWith }: Shown,
  { operator, rights, paths }: Visit,
  message: string | undefined,
): Html => html`<section aria-label="This page">${messageBanner(message)}${whoText(operator, rights)}<p class="news" id="live" role="status"></p><p class="news" id="news" role="status"></p>
<p class="muted" id="static">This page does not update itself without scripts: reload it to see what is new.</p></section>
<div id="parts" data-parts data-pages="${pages}" data-total="${total}" data-events="${paths.events}?of=${changesWith.join('+')}">
${parts}</div>`;

/** The pages for operators: signing in and out, and the tabs. They work without scripts; with them, they stay up to date. */
export function operatorPages({
  queue,
  approveCommand,
  operators,
  tabs,
  pathsAt,
  root,
  base,
  live,
  more = {},
  rejectUnknownHost,
  publicUrl,
  clock,
  log,
}: OperatorPagesDependencies): Readonly<Record<string, HttpHandler>> {
  const sessions = createOperatorSignIn({ queue, operators, cookiePath: base + root, publicUrl, clock });
  const links = tabs.length === 1 ? [] : tabs.map((tab) => ({ title: tab.title, page: pathsAt(base, tab).page }));
  const frameOf = (tab: Tab, isSignedIn: boolean): Frame => ({
    // Before signing in, it is not the tab that somebody comes to.
    title: isSignedIn || links.length === 0 ? tab.title : 'Console',
    paths: pathsAt(base, tab),
    tabs: isSignedIn ? links : [],
  });
  const signIn = (tab: Tab, words: string | undefined, code?: string): Html =>
    loginPage(frameOf(tab, false), words, code, queue.hasNames);

  const visitOf = async (exchange: HttpExchange, operator: OperatorSession, tab: Tab): Promise<Visit> => ({
    exchange,
    operator,
    rights: operator.operator === undefined ? undefined : await queue.rightsOf(operator.operator),
    paths: pathsAt(base, tab),
    now: clock.now(),
  });

  const view = async (exchange: HttpExchange, operator: OperatorSession | undefined, tab: Tab): Promise<Response> => {
    const { searchParams: query } = exchange.url;
    const isThere = tab.isThere?.(query) ?? true;
    const status = isThere ? 200 : 404;
    if (!operator)
      return htmlResponse(
        (await queue.isSetUp())
          ? signIn(tab, undefined, isThere ? codeIn(query) : '')
          : closedPage(frameOf(tab, false), approveCommand),
        status,
      );
    const visit = await visitOf(exchange, operator, tab);
    const shown = await tab.show(visit);
    const nonce = randomBytes(16).toString('base64url');
    const body = contentOf(shown, visit, own(tab.messages, query.get('said') ?? ''));
    const { total, view: files } = shown;
    const aside = signOutForm(operator, visit.paths);
    return htmlResponse(framed(body, frameOf(tab, true), { aside, nonce, total, view: files }), status, nonce);
  };

  const enter = async (tab: Tab, form: URLSearchParams, { request, address }: HttpExchange): Promise<Response> => {
    const code = codeIn(form);
    const entered = await sessions.signIn(request, form, address);
    if (entered.kind === 'unlocked')
      return redirectTo(pathsAt(base, tab).page, code === '' ? {} : { code }, entered.cookie);
    log.warn({ why: entered.kind, address }, 'operator login refused');
    if (entered.kind === 'locked') return htmlResponse(signIn(tab, lockedMessage(entered, approveCommand), code), 429);
    return htmlResponse(signIn(tab, wrongSecretText(entered.left, 'from your address', queue.hasNames), code), 403);
  };

  const submit = async (exchange: HttpExchange, operator: OperatorSession | undefined, tab: Tab): Promise<Response> => {
    const { request, incoming } = exchange;
    if (!isFormOfThisServer(request, publicUrl)) return htmlResponse(signIn(tab, elsewhere), 403);
    const text = await readText(incoming, maxFormBytes);
    if (text instanceof Response) return text;
    const form = new URLSearchParams(text);
    const action = form.get('do') ?? '';
    if (action === 'enter') return enter(tab, form, exchange);
    if (!operator) return htmlResponse(signIn(tab, 'You were away for too long. Give the secret again.'), 403);
    if (!hasValidFormToken(operator, form.get('form_token') ?? '')) return htmlResponse(signIn(tab, elsewhere), 403);
    const { page } = pathsAt(base, tab);
    if (action === 'leave') return redirectTo(page, {}, await sessions.signOut(request, operator));
    const acted = await tab.act?.(action, form, await visitOf(exchange, operator, tab));
    if (!acted) return htmlResponse(signIn(tab, 'That form is not known here. Nothing was done.'), 400);
    return 'said' in acted
      ? redirectTo(page, { said: acted.said })
      : htmlResponse(framed(acted.body, frameOf(tab, true)));
  };

  const answer = async (exchange: HttpExchange, tab: Tab): Promise<Response> => {
    const { request } = exchange;
    if (request.method === 'GET' && isScriptOfThisServer(request, liveHeader))
      return view(exchange, await sessions.peek(request), tab);
    const operator = await sessions.find(request);
    if (request.method === 'POST') return submit(exchange, operator, tab);
    return ['GET', 'HEAD'].includes(request.method)
      ? view(exchange, operator, tab)
      : new Response(null, { status: 405, headers: { ...pageHeaders, Allow: 'GET, POST' } });
  };

  const guarded =
    (tab: Tab, handle: (exchange: HttpExchange, tab: Tab) => Promise<Response>): HttpHandler =>
    async (exchange) =>
      rejectUnknownHost(exchange.request) ??
      (isOfAnotherOrigin(exchange.request, publicUrl) ? htmlResponse(signIn(tab, elsewhere), 403) : undefined) ??
      handle(exchange, tab).catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error;
        log.error(
          { err: error, requestId: exchange.requestId },
          'a page for operators could not use the shared database',
        );
        return htmlResponse(
          signIn(
            tab,
            'The database that the servers share could not be used. Whether a decision that you just made holds is not known: look again in a minute.',
          ),
          503,
        );
      });

  const [first] = tabs;
  const served = pathsAt('', first);
  return {
    ...Object.fromEntries(tabs.map((tab) => [pathsAt('', tab).page, guarded(tab, answer)])),
    [served.style]: guarded(first, async () => fileResponse(style, 'text/css')),
    [served.script]: guarded(first, async () => fileResponse(liveScript, 'text/javascript')),
    ...Object.fromEntries(
      Object.entries(more).map(([path, answerMore]) => [
        path,
        guarded(first, (exchange) =>
          answerMore(exchange, async () => {
            const operator = await sessions.peek(exchange.request);
            return operator && visitOf(exchange, operator, first);
          }),
        ),
      ]),
    ),
    [served.events]: guarded(first, (exchange) => live.answer(exchange, () => sessions.peek(exchange.request))),
  };
}
