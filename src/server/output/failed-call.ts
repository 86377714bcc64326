import { metaKeys } from '../../views/index.ts';
import type { FailureCode } from '../failure/index.ts';

/**
 * The result of a failed call: a sentence for the model, and a code for programs. In a file of its own, because a start
 * loads it, and not what other results need.
 */
export const failedCall = (text: string, failure: FailureCode) => ({
  content: [{ type: 'text' as const, text }],
  isError: true,
  _meta: { [metaKeys.failure]: failure },
});
