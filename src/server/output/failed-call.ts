import { metaKeys } from '../../views/index.ts';
import type { FailureCode } from '../failure/index.ts';

/** The result of a failed call: a sentence for the model, and a code for programs. */
export const failedCall = (text: string, failure: FailureCode) => ({
  content: [{ type: 'text' as const, text }],
  isError: true,
  _meta: { [metaKeys.failure]: failure },
});
