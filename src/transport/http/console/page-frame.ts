import { exactTime } from '../../../server/guard/index.ts';
import { basePathOf } from '../mount.ts';
import { emptyHtml, html, type Html } from './html.ts';
import type { OperatorSession } from './operator-sessions.ts';

const units = [
  { name: 'day', milliseconds: 86_400_000 },
  { name: 'hour', milliseconds: 3_600_000 },
  { name: 'minute', milliseconds: 60_000 },
] as const;

/** A time relative to now, in its largest unit: `2 minutes ago`, `in less than a minute`. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(at - now);
  const unit = units.find(({ milliseconds }) => distance >= milliseconds);
  const count = unit ? Math.floor(distance / unit.milliseconds) : 0;
  const amount = unit ? `${count} ${unit.name}${count === 1 ? '' : 's'}` : 'less than a minute';
  return at > now ? `in ${amount}` : `${amount} ago`;
}

/** A time relative to now, followed by the exact time. */
export const timeMarkup = (at: number, now: number): Html =>
  html`<time datetime="${new Date(at).toISOString()}" title="${exactTime(at)}">${relativeTime(at, now)}</time> <span class="exact">${exactTime(at)}</span>`;

/** Paths of a page for operators, and of what it loads. */
export interface PagePaths {
  readonly page: string;
  readonly style: string;
  readonly script: string;
  /** The stream of events that says when to look again. */
  readonly events: string;
}

/** Path of the approvals page within the server, where it is a page of its own. */
export const approvalsPath = '/approvals';

/** Path of the console within the server. */
export const consolePath = '/console';

const pathsBelow = (root: string, page: string): PagePaths => ({
  page,
  style: `${root}/style.css`,
  script: `${root}/live.js`,
  events: `${root}/events`,
});

/**
 * The paths under a base path, which has no slash at its end: those of browsers, or with '' those within the server.
 */
export const approvalsPathsAt = (base: string): PagePaths =>
  pathsBelow(`${base}${approvalsPath}`, `${base}${approvalsPath}`);

/** The same for a tab of the console. @param tab its name in addresses. */
export const consolePathsAt = (base: string, tab: string): PagePaths =>
  pathsBelow(`${base}${consolePath}`, `${base}${consolePath}/${tab}`);

/** The name of the tab with the approvals in addresses. */
export const approvalsTabName = 'approvals';

/**
 * The URL of the approvals page of a server.
 * @param endpoint the URL of its MCP endpoint as clients see it.
 * @param hasConsole whether the page is a tab of a console.
 */
export const approvalsUrlOf = (endpoint: URL, hasConsole = false): URL => {
  const base = basePathOf(endpoint);
  return new URL((hasConsole ? consolePathsAt(base, approvalsTabName) : approvalsPathsAt(base)).page, endpoint);
};

/** A link to a tab of the console. */
export interface TabLink {
  readonly title: string;
  readonly page: string;
}

/** The parts of a page that are the same whatever it shows. */
export interface Frame {
  readonly title: string;
  readonly paths: PagePaths;
  /** The tabs of the console; empty for a page of its own, and before signing in. */
  readonly tabs: readonly TabLink[];
}

/** The parts of a page around its content. */
interface Around {
  /** Number of waiting calls, for the title. */
  readonly total?: number;
  /** Shown next to the heading. */
  readonly aside?: Html;
  /** Allows the page's scripts to run. Without it, the page has none. */
  readonly nonce?: string | undefined;
  /** What it loads besides: a page with a view has a heading and a main part of its own. */
  readonly view?: ViewFiles | undefined;
}

/** The paths of what a page with a view loads. */
export interface ViewFiles {
  readonly script: string;
  readonly style: string;
}

const tabLinks = ({ title: current, tabs }: Frame): Html =>
  tabs.length === 0
    ? emptyHtml
    : html`<nav aria-label="Console"><ul class="tabs">${tabs.map(({ title, page }) => html`<li><a href="${page}"${title === current ? html` aria-current="page"` : emptyHtml}>${title}</a></li>`)}</ul></nav>
`;

/** A whole page. */
export const framed = (
  body: Html,
  frame: Frame,
  { total = 0, aside = emptyHtml, nonce, view }: Around = {},
): Html => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${total > 0 ? `(${total}) ` : ''}${frame.title} - infra-mcp</title>${view ? html`<link rel="stylesheet" href="${view.style}">` : emptyHtml}<link rel="stylesheet" href="${frame.paths.style}">${nonce === undefined ? emptyHtml : [frame.paths.script, ...(view ? [view.script] : [])].map((path) => html`<script src="${path}" nonce="${nonce}" defer></script>`)}</head>
<body><header>${view ? html`<p class="name">${frame.title}</p>` : html`<h1>${frame.title}</h1>`}${aside}</header>
${tabLinks(frame)}${view ? body : html`<main>${body}</main>`}</body>
</html>
`;

/** A message about what just happened. It has the focus, so that screen readers read it first. */
export const messageBanner = (words: string | undefined): Html =>
  words === undefined ? emptyHtml : html`<p class="said" role="status" tabindex="-1" autofocus>${words}</p>`;

const nameInput = html`<label>Operator name <input name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus></label>
`;

/**
 * Asks for the operator's secret.
 * @param code the call to show after the login, if one was requested.
 * @param hasNames whether operators have names, and give them too.
 */
export const loginPage = (frame: Frame, words: string | undefined, code = '', hasNames = false): Html =>
  framed(
    html`${words === undefined ? emptyHtml : html`<p class="said" role="alert" id="why">${words}</p>`}<form class="sign-in" method="post" action="${frame.paths.page}"><input type="hidden" name="code" value="${code}">
${hasNames ? nameInput : emptyHtml}<label>Operator secret <input type="password" name="secret" autocomplete="current-password" required${hasNames ? emptyHtml : html` autofocus`}${words === undefined ? emptyHtml : html` aria-describedby="why"`}></label>
<button name="do" value="enter">Sign in</button></form>`,
    frame,
  );

/**
 * Shown while no operator secret is set: login isn't possible.
 * @param approveCommand the shell command with which the operator approves calls
 */
export const closedPage = (frame: Frame, approveCommand: string): Html =>
  framed(
    html`<p>No operator secret is set. Set one on the server: <code>${approveCommand} --set-secret</code></p>`,
    frame,
  );

/** The CSRF token that every form of a session carries. */
export const formTokenInput = ({ formToken }: OperatorSession): Html =>
  html`<input type="hidden" name="form_token" value="${formToken}">`;
