import { defaultPageSizes, maximumPageSize, type AnyOperation } from '../../contract/index.ts';
import { rowsIn } from '../context/index.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';

/** Whether a list tells no total: the next page exists only if this one is full. */
const tellsNoTotal = ({ query }: AnyOperation): boolean => Object.hasOwn(query as object, 'pageSize');

/**
 * The page after one that tells no total. Most lists end with the first page; of a longer one the largest pages are
 * read, from the first on, because the sizes differ.
 */
function pageAfterFull(answer: JsonRecord, { page, page_size: asked }: JsonRecord): JsonRecord | undefined {
  const size = Number(asked ?? answer['page_size'] ?? defaultPageSizes.rows);
  if (rowsIn(answer).length < size) return undefined;
  return size < maximumPageSize
    ? { page: 1, page_size: maximumPageSize }
    : { page: Number(page ?? 1) + 1, page_size: size };
}

/**
 * The query of the page of a list that follows; undefined after the last page.
 * @param asked the query of the page that was answered; empty for the first
 */
export function nextPage(operation: AnyOperation, answer: JsonRecord, asked: JsonRecord = {}): JsonRecord | undefined {
  if (tellsNoTotal(operation)) return pageAfterFull(answer, asked);
  const { pagination } = answer;
  if (!isRecord(pagination)) return undefined;
  const { page, page_size: size, total_pages: pages } = pagination;
  return typeof page === 'number' && typeof pages === 'number' && page < pages
    ? { page: page + 1, page_size: size }
    : undefined;
}
