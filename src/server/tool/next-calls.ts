import { isRecord, type JsonRecord } from '../json/index.ts';

/** A suggested next call, with all its arguments. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: JsonRecord;
  /** Its purpose, in a few words of this server (not of the platform). */
  readonly why: string;
  /**
   * The arguments that are still missing, in the words of this server. Such a call is incomplete: it is mentioned, but
   * not suggested.
   */
  readonly needs?: string;
  /** The tool of a call that must come before this one. If that call can't be suggested, neither is this one. */
  readonly after?: string;
  /** Left out for callers without its tool. Others are told what would help. */
  readonly isForThoseWithIt?: boolean;
}

/** Maximum number of suggested calls, of most tools. */
const maximumNextCalls = 3;

// Suggestions are outside the delimiters, so names and texts from the platform must not reach the model here.
const safeText = /^[\w./:@=%+-]{1,200}$/;

function isSafe(value: unknown): boolean {
  if (typeof value === 'string') return safeText.test(value);
  if (Array.isArray(value)) return value.every(isSafe);
  return isRecord(value)
    ? Object.entries(value).every(([name, member]) => safeText.test(name) && isSafe(member))
    : true;
}

/** Suggested calls, split by whether their tool is offered. */
export interface ProposedCalls {
  readonly calls: readonly NextCall[];
  /** Calls that lack something only the user knows. */
  readonly open: readonly NextCall[];
  /** Calls of tools that aren't offered. */
  readonly others: readonly NextCall[];
}

/**
 * The calls that may be suggested: a limited number, of offered tools, without arguments that could be read as a
 * sentence.
 * @param offers whether a tool of this name is offered.
 * @param shown the call with the arguments named as schemas show them.
 * @param most how many at most.
 */
export function proposable(
  proposed: readonly NextCall[],
  offers: (tool: string) => boolean,
  shown: (call: NextCall) => NextCall = (call) => call,
  most = maximumNextCalls,
): ProposedCalls {
  const calls = proposed.map(shown);
  const offered = calls.reduce<readonly NextCall[]>((earlier, call) => {
    const isInOrder = call.after === undefined || earlier.some(({ tool }) => tool === call.after);
    return isInOrder && offers(call.tool) && isSafe(call.arguments) ? [...earlier, call] : earlier;
  }, []);
  const first = offered.slice(0, most);
  return {
    calls: first.filter(({ needs }) => needs === undefined),
    open: first.filter(({ needs }) => needs !== undefined),
    others: calls
      .filter(
        ({ tool, arguments: args, isForThoseWithIt }) => isForThoseWithIt !== true && !offers(tool) && isSafe(args),
      )
      .slice(0, most),
  };
}

const isNext = (value: unknown): value is NextCall =>
  isRecord(value) && typeof value['tool'] === 'string' && isRecord(value['arguments']);

const hasNext = (row: unknown): row is JsonRecord => isRecord(row) && 'next' in row;

/**
 * Removes calls that may not be suggested from `next` members at any depth, of rows too. Incomplete ones are moved to a separate
 * member.
 */
export const withProposable = (
  view: JsonRecord,
  offers: (tool: string) => boolean,
  shown?: (call: NextCall) => NextCall,
): JsonRecord =>
  Object.fromEntries(
    Object.entries(view).flatMap(([name, member]): [string, unknown][] => {
      if (isRecord(member)) return [[name, withProposable(member, offers, shown)]];
      if (name !== 'next' && Array.isArray(member) && member.some(hasNext))
        return [[name, member.map((row: unknown) => (hasNext(row) ? withProposable(row, offers, shown) : row))]];
      if (name !== 'next' || !Array.isArray(member) || !member.every(isNext)) return [[name, member]];
      const { calls, open } = proposable(member, offers, shown);
      return [[name, calls], ...(open.length > 0 ? [['next_once_known', open] as [string, unknown]] : [])];
    }),
  );

const inWords = ({ tool, arguments: args, why }: NextCall): string =>
  `${tool.replaceAll('_', ' ')} ${JSON.stringify(args)} (${why})`;

/** Suggested calls as text, one per line. Calls of tools that aren't offered are described without the tool's name. */
export function nextText({ calls, open, others }: ProposedCalls): string | undefined {
  const lines = [
    ...open.map(
      (call) =>
        `With what only the user knows: ${call.tool} ${JSON.stringify(call.arguments)} and ${call.needs} (${call.why})`,
    ),
    ...calls.map((call) => `Next: ${call.tool} ${JSON.stringify(call.arguments)} (${call.why})`),
    ...others.map((call) => `Would help, though this server has no tool for it: ${inWords(call)}`),
  ];
  return lines.length === 0 ? undefined : lines.join('\n');
}
