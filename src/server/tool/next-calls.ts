import { isRecord, type JsonRecord } from '../json/values.ts';

/** A call that is worth making next, complete. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: JsonRecord;
  /** What for, in a few words of our own. */
  readonly why: string;
  /** The tool of the call that has to be made before it: where that can't be proposed, neither is this. */
  readonly after?: string;
}

/** Most calls that are proposed at once. */
const maximumNextCalls = 3;

// Names and text from the platform could speak to the model here, outside the fence.
const safeText = /^[\w./:@=%+-]{1,200}$/;

function isSafe(value: unknown): boolean {
  if (typeof value === 'string') return safeText.test(value);
  if (Array.isArray(value)) return value.every(isSafe);
  return isRecord(value) ? Object.entries(value).every(([name, member]) => safeText.test(name) && isSafe(member)) : true;
}

/** What may be proposed of calls worth making. */
export interface ProposedCalls {
  readonly calls: readonly NextCall[];
  /** Those of tools that aren't offered. */
  readonly others: readonly NextCall[];
}

/**
 * The calls that may be proposed: few, of tools that there are, and with nothing in their arguments that reads like a sentence.
 * @param offers whether a tool of this name is offered.
 */
export function proposable(calls: readonly NextCall[], offers: (tool: string) => boolean): ProposedCalls {
  const kept = calls.reduce<readonly NextCall[]>((before, call) => {
    const follows = call.after === undefined || before.some(({ tool }) => tool === call.after);
    return follows && offers(call.tool) && isSafe(call.arguments) ? [...before, call] : before;
  }, []);
  return { calls: kept.slice(0, maximumNextCalls), others: calls.filter(({ tool, arguments: args }) => !offers(tool) && isSafe(args)).slice(0, maximumNextCalls) };
}

const isNext = (value: unknown): value is NextCall => isRecord(value) && typeof value['tool'] === 'string' && isRecord(value['arguments']);

/** What is shown of an answer, with only those of the calls in it that may be proposed. */
export const withProposable = (view: JsonRecord, offers: (tool: string) => boolean): JsonRecord =>
  Object.fromEntries(
    Object.entries(view).map(([name, member]) => {
      if (isRecord(member)) return [name, withProposable(member, offers)];
      return [name, name === 'next' && Array.isArray(member) && member.every(isNext) ? proposable(member, offers).calls : member];
    }),
  );

const inWords = ({ tool, arguments: args, why }: NextCall): string => `${tool.replaceAll('_', ' ')} ${JSON.stringify(args)} (${why})`;

/** Proposed calls in words, one a line; of those whose tool isn't offered, what would be done. */
export function nextText({ calls, others }: ProposedCalls): string | undefined {
  const lines = [
    ...calls.map((call) => `Next: ${call.tool} ${JSON.stringify(call.arguments)} (${call.why})`),
    ...others.map((call) => `Would help, though this server has no tool for it: ${inWords(call)}`),
  ];
  return lines.length === 0 ? undefined : lines.join('\n');
}
