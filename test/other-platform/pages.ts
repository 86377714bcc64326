import type { Platform } from './platform.ts';
import type { Members } from './schema.ts';

/** A list as it is answered: whole, or a page of it with what there is in all. */
export function pageOf(all: readonly unknown[], query: Members, platform: Platform): Members {
  if (platform.on('noPages')) return { results: all };
  const page = Math.max(1, Number(query.page ?? 1));
  const size = Math.max(1, Number(query.page_size ?? 100));
  const results = all.slice((page - 1) * size, page * size);
  return { results, pagination: { page, page_size: size, total_count: all.length, total_pages: Math.ceil(all.length / size) } };
}

/** A history, which has a size of its own name and, on the documented side, pages to turn. */
export function historyPage(all: readonly unknown[], query: Members): Members {
  const page = Math.max(1, Number(query.page ?? 1));
  const size = Number(query.pageSize ?? 20);
  return { page, page_size: size, results: all.slice((page - 1) * size, page * size) };
}
