import { variableList, type VariableListing, type VariableOwnerKind } from '../../contract/index.ts';
import type { JsonRecord } from '../json/index.ts';
import { rowsIn } from './reads.ts';
import type { Reader } from './reader.ts';

/**
 * Reads what an owner sees of variables or of secrets, of every scope; undefined if the platform doesn't offer the list, or
 * forbids it.
 * @throws ApiError if the platform fails.
 */
export async function readVariableList(listing: VariableListing, { kind, id }: { readonly kind: VariableOwnerKind; readonly id: string }, { attempt }: Pick<Reader, 'attempt'>): Promise<JsonRecord | undefined> {
  const { operation, inputFor, isListed } = variableList(listing, kind);
  const answer: JsonRecord | undefined = await attempt(operation, inputFor(id));
  return answer && isListed ? { ...answer, results: rowsIn(answer).filter(isListed) } : answer;
}
