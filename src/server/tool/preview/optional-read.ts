import type { AnyOperation } from '../../../contract/index.ts';
import { isPlatformFailure, type Reader } from '../../context/index.ts';
import type { JsonRecord } from '../../json/index.ts';

/**
 * A read that a plan can do without: undefined if it fails at the platform, in any way, or isn't allowed here. What the
 * plan lacks then is for the caller to say.
 */
export async function readIfPossible(
  operation: AnyOperation,
  input: JsonRecord,
  reader: Pick<Reader, 'read' | 'attempt'>,
): Promise<JsonRecord | undefined> {
  try {
    return await reader.read(operation, input);
  } catch (error) {
    if (isPlatformFailure(error)) return undefined;
    // The read isn't allowed here: `attempt` reports that.
    return reader.attempt(operation, input);
  }
}
