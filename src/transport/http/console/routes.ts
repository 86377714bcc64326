import type { Clock, ServerLogger } from '../../../server/context/index.ts';
import { operatorPrincipal } from '../../../server/audit/index.ts';
import { approvalsTab, type ApprovalsSource } from '../approvals/approvals-tab.ts';
import type { HttpHandler } from '../exchange.ts';
import type { Slots } from '../slots.ts';
import { auditTab, type AuditSource } from './audit/audit-tab.ts';
import { createLiveEvents, type LiveEvents } from './live-events.ts';
import { operatorPages } from './operator-pages.ts';
import { approvalsPath, approvalsPathsAt, consolePath, consolePathsAt } from './page-frame.ts';
import { refusal } from '../error-response.ts';
import { isOfAnotherOrigin, redirectTo } from './security.ts';
import type { Tab } from './tab.ts';
import { viewRoutes, viewTabs, type ViewsSource } from './views.ts';
import type { HttpRequest } from '../http-request.ts';

/** The data behind the console, besides those of the approvals. */
export interface ConsoleSource {
  readonly audit: AuditSource;
  /** Without it, there are no views. */
  readonly views?: ViewsSource | undefined;
}

interface RouteDependencies {
  readonly approvals: ApprovalsSource;
  /** Without it, the approvals are a page of their own. */
  readonly console?: ConsoleSource | undefined;
  /** The response to a request whose Host header names another host; undefined if the name is accepted. */
  readonly rejectUnknownHost: (request: HttpRequest) => Response | undefined;
  /** The URL under which browsers reach this server, if it differs from the bound address. */
  readonly publicUrl?: URL | undefined;
  /** The path before those of the server, as browsers see it. */
  readonly base: string;
  /** Slots for calls, and for streams of events. */
  readonly slots: Slots;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

const liveEvents = ({ approvals, slots: { streams }, clock }: RouteDependencies): LiveEvents =>
  createLiveEvents({
    marks: {
      waiting: async () =>
        (await approvals.queue.waiting(clock.now())).map(({ code, agreed = [] }) => `${code} ${agreed.length}`).join(),
      records: async () => approvals.recordsMark?.() ?? '',
    },
    acquire: ({ address, request, draining }, { operator }) => {
      const principal = operatorPrincipal(operator);
      const signal = AbortSignal.any([request.signal, draining]);
      return streams.acquire({ principal, identity: principal, address }, 1, signal);
    },
    clock,
  });

/** Leads from an address of the approvals page to its tab. Nothing that is sent there has an effect. */
const leadTo =
  (page: string, { rejectUnknownHost, publicUrl }: RouteDependencies): HttpHandler =>
  async ({ request, url }) =>
    rejectUnknownHost(request) ??
    (isOfAnotherOrigin(request, publicUrl) ? refusal('Pages of other origins may not use the console.') : undefined) ??
    redirectTo(page, Object.fromEntries(url.searchParams));

/** The routes of the console or, without one, of the approvals page. */
export function operatorRoutes(dependencies: RouteDependencies): Readonly<Record<string, HttpHandler>> {
  const { approvals, console: source, rejectUnknownHost, publicUrl, base, slots, clock, log } = dependencies;
  const { queue, approveCommand, operators } = approvals;
  const first = approvalsTab({ ...approvals, clock, log });
  const views = source?.views;
  const tabs: [Tab, ...Tab[]] = source ? [first, ...(views ? viewTabs(base) : []), auditTab(source.audit)] : [first];
  const pages = operatorPages({
    queue,
    approveCommand,
    operators,
    tabs,
    pathsAt: (before, { name }) => (source ? consolePathsAt(before, name) : approvalsPathsAt(before)),
    root: source ? consolePath : approvalsPath,
    base,
    live: liveEvents(dependencies),
    more: views && viewRoutes(views, slots.calls),
    rejectUnknownHost,
    publicUrl,
    clock,
    log,
  });
  if (!source) return pages;
  const approvalsPage = leadTo(consolePathsAt(base, first.name).page, dependencies);
  return { ...pages, [consolePath]: approvalsPage, [approvalsPath]: approvalsPage };
}
