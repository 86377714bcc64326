import { operatorPrincipal } from '../../../server/audit/index.ts';
import { isRecord, omit, type JsonRecord } from '../../../server/json/index.ts';
import { metaKeys } from '../../../server/output/index.ts';
import { readingTools, type ReadingTool } from '../../../views/index.ts';
import type { Rules } from '../../../server/guard/index.ts';
import type { ConcurrencyLimiter } from '../concurrency-limiter.ts';
import type { HttpExchange } from '../exchange.ts';
import { retryLater } from '../error-response.ts';
import { emptyHtml, html, type Html } from './html.ts';
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

/** A field by which somebody chooses what a view shows. */
interface Field {
  /** Name of the tool's argument. */
  readonly name: string;
  readonly label: string;
}

/** A view of the console. */
interface ConsoleView {
  readonly name: string;
  readonly title: string;
  readonly fields: readonly Field[];
  /** What is read first; undefined as long as too little is chosen. */
  readonly first: (chosen: Readonly<Record<string, string>>) => Read | undefined;
  /** What to choose. Empty for a view that always shows something. */
  readonly hint: string;
}

interface Read {
  readonly tool: ReadingTool;
  readonly arguments: JsonRecord;
}

const service: Field = { name: 'service', label: 'Service, such as shop/staging/api' };

const views: readonly ConsoleView[] = [
  {
    name: 'organization',
    title: 'Organization',
    fields: [],
    first: () => ({ tool: 'get_organization_overview', arguments: {} }),
    hint: '',
  },
  {
    name: 'deployment',
    title: 'Deployment',
    fields: [service, { name: 'environment', label: 'or environment, such as shop/staging' }],
    first: (chosen) =>
      Object.keys(chosen).length === 1 ? { tool: 'diagnose_deployment', arguments: chosen } : undefined,
    hint: 'Name a service or an environment: what failed last there is shown.',
  },
  {
    name: 'comparison',
    title: 'Comparison',
    fields: [
      { name: 'first', label: 'Environment, such as shop/staging' },
      { name: 'second', label: 'and another, such as shop/production' },
    ],
    first: (chosen) =>
      Object.keys(chosen).length === 2 ? { tool: 'compare_environments', arguments: chosen } : undefined,
    hint: 'Name two environments: what differs between them is shown.',
  },
  {
    name: 'measurements',
    title: 'Measurements',
    fields: [service, { name: 'project', label: 'or project, such as shop' }],
    first: ({ service: path, project }) =>
      path === undefined
        ? { tool: 'list_services', arguments: project === undefined ? {} : { project } }
        : { tool: 'get_service', arguments: { service: path } },
    hint: '',
  },
];

const routeAt = (base: string, name: string): string => `${base}${consolePath}/${name}`;
const filesAt = (base: string) => ({ script: routeAt(base, 'views.js'), style: routeAt(base, 'views.css') });

/** Maximum length of what is chosen, in characters. */
const longestChoice = 400;

const chosenIn = ({ fields }: ConsoleView, query: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fields.flatMap(({ name }) => {
      const text = (query.get(name) ?? '').trim().slice(0, longestChoice);
      return text === '' ? [] : [[name, text]];
    }),
  );

const choiceForm = ({ fields }: ConsoleView, chosen: Readonly<Record<string, string>>, page: string): Html =>
  fields.length === 0
    ? emptyHtml
    : html`<section id="choose" aria-label="What to show"><form class="find" method="get" action="${page}">${fields.map(
        ({ name, label }) =>
          html`<label>${label} <input name="${name}" value="${chosen[name] ?? ''}" autocomplete="off" autocapitalize="none" spellcheck="false"></label> `,
      )}<button>Show</button></form></section>`;

/** The element that a view fills in, with what it reads first. */
const viewElement = ({ name, title }: ConsoleView, first: Read, base: string): Html =>
  html`<div id="view" data-own data-view="${name}" data-title="${title}" data-tool="${first.tool}" data-arguments="${JSON.stringify(first.arguments)}" data-read="${routeAt(base, 'read')}" data-header="${liveHeader}"><noscript><main><h1>${title}</h1><p>This view needs scripts.</p></main></noscript></div>`;

/** The tabs with views. @param base the path before those of the server, as browsers see it. */
export const viewTabs = (base: string): readonly Tab[] =>
  views.map((view) => ({
    name: view.name,
    title: view.title,
    messages: {},
    show: async ({ exchange, paths }) => {
      const chosen = chosenIn(view, exchange.url.searchParams);
      const first = view.first(chosen);
      const element = first
        ? viewElement(view, first, base)
        : html`<main id="hint"><h1>${view.title}</h1><p>${view.hint}</p></main>`;
      return {
        parts: html`${choiceForm(view, chosen, paths.page)}${element}`,
        changesWith: ['minute'],
        view: filesAt(base),
      };
    },
  }));

/** Sentences for a person, in place of those for an assistant. */
function forPerson({ _meta: meta = {}, ...result }: ToolResult): ToolResult {
  // Nobody makes the calls that it proposes.
  if (result.isError !== true) return { ...result, _meta: omit(meta, [metaKeys.next]) };
  const failure = meta[metaKeys.failure];
  const kind = isRecord(failure) ? failure['kind'] : undefined;
  const [first] = result.content;
  const text = isRecord(first) && typeof first['text'] === 'string' ? first['text'] : '';
  const words = kind === 'denied' || kind === 'not_offered_here' ? 'Kept from you' : "Couldn't look";
  return { isError: true, content: [{ type: 'text', text: `${words}: ${text}` }] };
}

const argumentsIn = (text: string | null): JsonRecord | undefined => {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

const isReadingTool = (name: string): name is ReadingTool => (readingTools as readonly string[]).includes(name);

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
    if (!isReadingTool(tool) || !args) return refused(400);
    const principal = operatorPrincipal(visit.operator.operator);
    const release = await calls.acquire({ principal, identity: principal, address }, 1, request.signal);
    if (!release) return retryLater(2, 'Too many calls are running or waiting. Try again in a moment.');
    try {
      const by = { principal, requestId, rules: visit.rights?.reads, signal: request.signal };
      const result = forPerson(await read({ tool, arguments: args }, by));
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
