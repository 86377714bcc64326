import type { Html } from './html.ts';
import type { HttpRequest } from '../http-request.ts';

/**
 * The Content-Security-Policy: a page loads only its own stylesheet, can't be framed, and submits forms only to its own
 * server.
 * @param nonce of the scripts that may run and send requests to this server. Without it, no script may.
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

/** The headers of every response of the pages for operators. */
export const pageHeaders = {
  'Content-Security-Policy': securityPolicy(),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** A page. @param nonce of its scripts, if it has any. */
export const htmlResponse = ({ markup }: Html, status = 200, nonce?: string): Response =>
  new Response(markup, {
    status,
    headers: {
      ...pageHeaders,
      'Content-Security-Policy': securityPolicy(nonce),
      'Content-Type': 'text/html; charset=utf-8',
    },
  });

/** A stylesheet or a script. */
export const fileResponse = (text: string, type: string): Response =>
  new Response(text, { headers: { ...pageHeaders, 'Content-Type': `${type}; charset=utf-8` } });

/** Sends the browser to a page, with GET. @param cookie to set. */
export const redirectTo = (page: string, query: Readonly<Record<string, string>>, cookie?: string): Response => {
  const text = new URLSearchParams(query).toString();
  return new Response(null, {
    status: 303,
    headers: {
      ...pageHeaders,
      Location: text === '' ? page : `${page}?${text}`,
      ...(cookie !== undefined && { 'Set-Cookie': cookie }),
    },
  });
};

/** By the header in which browsers say it, whether a page of this server sent a request. Not every browser says it. */
export const isFromHere = ({ headers }: HttpRequest): boolean =>
  [null, 'same-origin'].includes(headers.get('sec-fetch-site'));

/** Whether an Origin header is that of this server's pages. */
const isOwnOrigin = (origin: string, { headers }: HttpRequest, publicUrl: URL | undefined): boolean => {
  const url = URL.parse(origin);
  return url !== null && [headers.get('host'), publicUrl?.host].includes(url.host);
};

/**
 * Whether a page of another origin sent a request, by its Origin header. Browsers send none when somebody opens an
 * address or follows a link.
 */
export function isOfAnotherOrigin(request: HttpRequest, publicUrl: URL | undefined): boolean {
  const origin = request.headers.get('origin');
  return origin !== null && !isOwnOrigin(origin, request, publicUrl);
}

/** Browsers send an Origin header with every form. A form without one, or from another origin, is rejected. */
export const isFormOfThisServer = (request: HttpRequest, publicUrl: URL | undefined): boolean => {
  const origin = request.headers.get('origin');
  return origin !== null && isOwnOrigin(origin, request, publicUrl) && isFromHere(request);
};

/** Whether a script of this server may have sent a request: no other page can set such a header. */
export const isScriptOfThisServer = (request: HttpRequest, header: string): boolean =>
  request.headers.has(header) && isFromHere(request);
