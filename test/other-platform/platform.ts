import type { z } from 'zod';
import type { IsOn, wordsOf } from './differences.ts';
import { strict, type Members, type Shape } from './schema.ts';
import type { Store } from './store.ts';

/** What every part of the platform works with. */
export interface Platform {
  on: IsOn;
  words: ReturnType<typeof wordsOf>;
  store: Store;
  /** Milliseconds since 1970. */
  now: () => number;
  date: (at?: number) => string;
  newId: () => string;
  /** How long a deployment takes from its start to its end. */
  deploymentMs: number;
}

export interface Ask {
  /** Members of the path. */
  path: Record<string, string>;
  query: Members;
  body: Members;
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query: Shape;
  /** Absent where the operation takes no body. */
  body?: z.ZodType;
  /** Whether the body may be left out altogether. */
  bodyOptional: boolean;
  code: number;
  /** A list: wrapped in results and, where the platform knows pages, cut into them. */
  rows: boolean;
  run: (ask: Ask) => unknown;
}

type Extra = Partial<Pick<Route, 'query' | 'bodyOptional' | 'code' | 'rows'>> & { body?: Shape | z.ZodType };

/** Answered where an operation has no body to answer with. */
export const NOTHING = Symbol('no body');

function isSchema(body: Shape | z.ZodType): body is z.ZodType {
  return typeof body.safeParse === 'function';
}

export function route(method: Route['method'], path: string, run: Route['run'], extra: Extra = {}): Route {
  const { body, ...others } = extra;
  const code = others.code ?? { GET: 200, POST: 200, PUT: 200, DELETE: 204 }[method];
  return {
    method,
    path,
    query: {},
    bodyOptional: false,
    rows: false,
    ...others,
    code,
    run,
    ...(body === undefined ? {} : { body: isSchema(body) ? body : strict(body) }),
  };
}

export const rows = (path: string, run: (ask: Ask) => readonly unknown[], query: Shape = {}): Route =>
  route('GET', path, run, { query, rows: true });

export const one = (path: string, run: Route['run'], query: Shape = {}): Route => route('GET', path, run, { query });

/** A list as it is answered: whole, or a page of it with what there is in all. */
export function pageOf(all: readonly unknown[], query: Members, platform: Platform): Members {
  if (platform.on('noPages')) return { results: all };
  const page = Math.max(1, Number(query.page ?? 1));
  const size = Math.max(1, Number(query.page_size ?? 100));
  const results = all.slice((page - 1) * size, page * size);
  return {
    results,
    pagination: { page, page_size: size, total_count: all.length, total_pages: Math.ceil(all.length / size) },
  };
}

/** A history, which has a size of its own name and, on the documented side, pages to turn. */
export function historyPage(all: readonly unknown[], query: Members): Members {
  const page = Math.max(1, Number(query.page ?? 1));
  const size = Number(query.pageSize ?? 20);
  return { page, page_size: size, results: all.slice((page - 1) * size, page * size) };
}
