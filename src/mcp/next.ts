import { isRecord, type JsonRecord } from './values.ts';

/** A call that is worth making next, complete. */
export interface Next {
  readonly tool: string;
  readonly arguments: JsonRecord;
  /** What for, in a few words of our own. */
  readonly why: string;
  /** The tool of the call that has to be made before it: where that can't be proposed, neither is this. */
  readonly after?: string;
}

/** Most calls that are proposed at once. */
const mostNext = 3;

// Names and text from the platform could speak to the model here, outside the fence.
const safeText = /^[\w./:@=%+-]{1,200}$/;

function isSafe(value: unknown): boolean {
  if (typeof value === 'string') return safeText.test(value);
  if (Array.isArray(value)) return value.every(isSafe);
  return isRecord(value) ? Object.entries(value).every(([name, member]) => safeText.test(name) && isSafe(member)) : true;
}

/**
 * The calls that may be proposed: few, of tools that there are, and with nothing in their arguments that reads like a sentence.
 * @param offers whether a tool of this name is offered.
 */
export const safeNext = (calls: readonly Next[], offers: (tool: string) => boolean): readonly Next[] =>
  calls
    .reduce<readonly Next[]>((kept, call) => {
      const follows = call.after === undefined || kept.some(({ tool }) => tool === call.after);
      return follows && offers(call.tool) && isSafe(call.arguments) ? [...kept, call] : kept;
    }, [])
    .slice(0, mostNext);

/** Proposed calls in words, one a line. */
export const nextText = (calls: readonly Next[]): string | undefined =>
  calls.length === 0 ? undefined : calls.map((call) => `Next: ${call.tool} ${JSON.stringify(call.arguments)} (${call.why})`).join('\n');
