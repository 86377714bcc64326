import { exactTime } from '../../../server/guard/index.ts';
import { basePathOf } from '../mount.ts';
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

/** Safe markup: every interpolated value is escaped. */
export interface Html {
  readonly markup: string;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

type HtmlValue = string | number | Html | readonly Html[];

const markupOf = (value: HtmlValue): string => {
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
};

/** Template tag that escapes its values, except those that are `Html` already. */
export const html = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html => ({
  markup: strings.map((text, index) => text + (index < values.length ? markupOf(values[index]!) : '')).join(''),
});

/** Empty markup, for parts of a page that are left out. */
export const emptyHtml: Html = { markup: '' };

/** Path of the page within the server. */
export const approvalsPath = '/approvals';

/** Paths of the page, its stylesheet and its script. */
export interface ApprovalsPaths {
  readonly page: string;
  readonly style: string;
  readonly script: string;
}

/**
 * The paths under a base path, which has no slash at its end: those of browsers, or with '' those within the server.
 */
export function approvalsPathsAt(base: string): ApprovalsPaths {
  const page = `${base}${approvalsPath}`;
  return { page, style: `${page}/style.css`, script: `${page}/live.js` };
}

/** The URL of the page of a server. @param endpoint the URL of its MCP endpoint as clients see it. */
export const approvalsUrlOf = (endpoint: URL): URL => new URL(approvalsPathsAt(basePathOf(endpoint)).page, endpoint);

/** The parts of a page around its content. */
interface Frame {
  /** Number of waiting calls, for the title. */
  readonly total?: number;
  /** Shown next to the heading. */
  readonly aside?: Html;
  /** Allows the page's script to run. Without it, the page has none. */
  readonly nonce?: string;
}

/** A whole page. */
export const framed = (
  body: Html,
  paths: ApprovalsPaths,
  { total = 0, aside = emptyHtml, nonce }: Frame = {},
): Html => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${total > 0 ? `(${total}) ` : ''}Approvals - infra-mcp</title><link rel="stylesheet" href="${paths.style}">${nonce === undefined ? emptyHtml : html`<script src="${paths.script}" nonce="${nonce}" defer></script>`}</head>
<body><header><h1>Approvals</h1>${aside}</header>
<main>${body}</main></body>
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
export const loginPage = (paths: ApprovalsPaths, words: string | undefined, code = '', hasNames = false): Html =>
  framed(
    html`${words === undefined ? emptyHtml : html`<p class="said" role="alert" id="why">${words}</p>`}<form class="sign-in" method="post" action="${paths.page}"><input type="hidden" name="code" value="${code}">
${hasNames ? nameInput : emptyHtml}<label>Operator secret <input type="password" name="secret" autocomplete="current-password" required${hasNames ? emptyHtml : html` autofocus`}${words === undefined ? emptyHtml : html` aria-describedby="why"`}></label>
<button name="do" value="enter">Enter</button></form>`,
    paths,
  );

/**
 * Shown while no operator secret is set: login isn't possible.
 * @param approveCommand the shell command with which the operator approves calls
 */
export const closedPage = (paths: ApprovalsPaths, approveCommand: string): Html =>
  framed(
    html`<p>No operator secret is set. Set one on the server: <code>${approveCommand} --set-secret</code></p>`,
    paths,
  );

/** The CSRF token that every form of a session carries. */
export const formTokenInput = ({ formToken }: OperatorSession): Html =>
  html`<input type="hidden" name="form_token" value="${formToken}">`;
