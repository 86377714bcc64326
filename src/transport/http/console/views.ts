import { operatorPrincipal } from '../../../server/audit/index.ts';
import { isRecord, type JsonRecord } from '../../../server/json/index.ts';
import type { Rules } from '../../../server/guard/index.ts';
import type { ConcurrencyLimiter } from '../concurrency-limiter.ts';
import type { HttpExchange } from '../exchange.ts';
import { retryLater } from '../error-response.ts';
import { html } from './html.ts';
import { liveHeader } from './live-script.ts';
import { consolePath } from './page-frame.ts';
import { fileResponse, isScriptOfThisServer, pageHeaders } from './security.ts';
import type { Tab, Visit } from './tab.ts';

/** The result of a tool, as the protocol has it. */
interface ToolResult {
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: JsonRecord | undefined;
}

/** Somebody who reads in the console. */
export interface ConsoleReader {
  readonly principal: string;
  readonly requestId: string;
  /** The rules under which they read, besides the server's own; undefined for the operator without a name. */
  readonly rules: Rules | undefined;
  /** Aborted when they leave. */
  readonly signal: AbortSignal;
}

/** What the views read, and what they load in a browser. */
export interface ViewsSource {
  /** Runs a tool that reads, through the stages of every call. */
  readonly read: (
    call: { readonly tool: string; readonly arguments: JsonRecord },
    by: ConsoleReader,
  ) => Promise<ToolResult>;
  readonly files: () => Promise<{ readonly script: string; readonly style: string }>;
}

/** A view of the console: the tool whose result it shows first. */
interface ConsoleView {
  readonly name: string;
  readonly title: string;
  readonly tool: string;
}

const views: readonly ConsoleView[] = [
  { name: 'organization', title: 'Organization', tool: 'get_organization_overview' },
];

/** The tools that views read with. */
const readable: readonly string[] = ['get_organization_overview', 'get_environment_overview'];

const routeAt = (base: string, name: string): string => `${base}${consolePath}/${name}`;
const filesAt = (base: string) => ({ script: routeAt(base, 'views.js'), style: routeAt(base, 'views.css') });

/** The tabs with views. @param base the path before those of the server, as browsers see it. */
export const viewTabs = (base: string): readonly Tab[] =>
  views.map(({ name, title, tool }) => ({
    name,
    title,
    messages: {},
    show: async () => ({
      parts: html`<div id="view" data-own data-view="${name}" data-tool="${tool}" data-read="${routeAt(base, 'read')}" data-header="${liveHeader}"><noscript><main><h1>${title}</h1><p>This view needs scripts.</p></main></noscript></div>`,
      changesWith: ['minute'],
      view: filesAt(base),
    }),
  }));

/** Sentences for a person, in place of those for an assistant. */
function readableFailure(result: ToolResult): ToolResult {
  if (result.isError !== true) return result;
  const { failure } = Object.fromEntries(
    Object.entries(result._meta ?? {}).map(([key, value]) => [key.split('/').at(-1), value]),
  );
  const kind = isRecord(failure) ? failure['kind'] : undefined;
  const [first] = result.content;
  const text = isRecord(first) && typeof first['text'] === 'string' ? first['text'] : '';
  const words = kind === 'denied' || kind === 'not_offered_here' ? `Kept from you: ${text}` : `Couldn't look: ${text}`;
  return { isError: true, content: [{ type: 'text', text: words }] };
}

const argumentsIn = (text: string | null): JsonRecord | undefined => {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

const refused = (status: number): Response => new Response(null, { status, headers: pageHeaders });

/** Answers a script of a view that reads. Reading changes nothing, and doesn't keep anybody signed in. */
const answerRead =
  ({ read }: ViewsSource, calls: ConcurrencyLimiter) =>
  async (exchange: HttpExchange, visitOf: () => Promise<Visit | undefined>): Promise<Response> => {
    const { request, url, requestId, address } = exchange;
    if (request.method !== 'GET') return new Response(null, { status: 405, headers: { ...pageHeaders, Allow: 'GET' } });
    const visit = isScriptOfThisServer(request, liveHeader) ? await visitOf() : undefined;
    // Who left the operators file reads nothing more.
    if (!visit || (visit.operator.operator !== undefined && !visit.rights)) return refused(403);
    const tool = url.searchParams.get('tool') ?? '';
    const args = argumentsIn(url.searchParams.get('arguments'));
    if (!readable.includes(tool) || !args) return refused(400);
    const principal = operatorPrincipal(visit.operator.operator);
    const release = await calls.acquire({ principal, identity: principal, address }, 1, request.signal);
    if (!release) return retryLater(2, 'Too many calls are running or waiting. Try again in a moment.');
    try {
      const by = { principal, requestId, rules: visit.rights?.reads, signal: request.signal };
      const result = readableFailure(await read({ tool, arguments: args }, by));
      return Response.json(result, { headers: pageHeaders });
    } finally {
      release();
    }
  };

type MoreRoutes = Readonly<
  Record<string, (exchange: HttpExchange, visit: () => Promise<Visit | undefined>) => Promise<Response>>
>;

/** What the views load and read, by paths within the server. */
export function viewRoutes(source: ViewsSource, calls: ConcurrencyLimiter): MoreRoutes {
  const { script, style } = filesAt('');
  return {
    [routeAt('', 'read')]: answerRead(source, calls),
    [script]: async () => fileResponse((await source.files()).script, 'text/javascript'),
    [style]: async () => fileResponse((await source.files()).style, 'text/css'),
  };
}
