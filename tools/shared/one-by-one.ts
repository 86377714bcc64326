import type { JsonRecord, ToolContext } from '../../src/server/tool/index.ts';

/** Whether requests were sent for one service each, instead of one for several services of an environment. */
export const isSentOneByOne = (sent: readonly JsonRecord[]): boolean =>
  sent.some((input) => input['environment_id'] === undefined);

/** Says in the answer that services of an environment were changed one at a time. */
export function tellIfOneByOne({ sent, leftOut }: ToolContext): void {
  if (isSentOneByOne(sent)) leftOut('Sent one service at a time: this platform does not take several at once.');
}
