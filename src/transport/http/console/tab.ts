import type { OperatorRights } from '../../../server/guard/index.ts';
import type { HttpExchange } from '../exchange.ts';
import type { Html } from './html.ts';
import type { OperatorSession } from './operator-sessions.ts';
import type { PagePaths, ViewFiles } from './page-frame.ts';

/** What a page is told of, so that it looks again: waiting calls, the log, or that a minute has passed. */
export const changes = ['waiting', 'records', 'minute'] as const;
export type Change = (typeof changes)[number];

/** An operator who is signed in looks at a tab, or sends one of its forms. */
export interface Visit {
  readonly exchange: HttpExchange;
  readonly operator: OperatorSession;
  /** What a named operator may; undefined for the one without a name, and for one who left the operators file. */
  readonly rights: OperatorRights | undefined;
  readonly paths: PagePaths;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a tab shows. */
export interface Shown {
  /** What the live script keeps up to date: elements with ids. */
  readonly parts: Html;
  /** Number of waiting calls, for the title of the page. */
  readonly total?: number;
  /** Number of pages of a list, of which this is one. Default: 1. */
  readonly pages?: number;
  /** The changes after which it has to be looked at again. */
  readonly changesWith: readonly Change[];
  /** What it loads, if it has a view. */
  readonly view?: ViewFiles;
}

/** What came of a form: a page that shows its result, or the code of a sentence that the tab shows next. */
export type Acted = { readonly said: string } | { readonly body: Html };

/** A tab of the console, or the only one of a page. */
export interface Tab {
  /** Its name in addresses. */
  readonly name: string;
  readonly title: string;
  /** What can be said after a form, by code. */
  readonly messages: Readonly<Record<string, string>>;
  /** Whether there can be something under a query. Default: always. */
  readonly isThere?: (query: URLSearchParams) => boolean;
  readonly show: (visit: Visit) => Promise<Shown>;
  /** Carries out one of its forms; undefined if it has no such form. */
  readonly act?: (action: string, form: URLSearchParams, visit: Visit) => Promise<Acted | undefined>;
}
