import { isRecord, parseJson, type AnyOperation } from '../contract/index.ts';
import { contentRefusals, rewordedBody, type SentBody, withDemandedParts } from './reworded-request.ts';
import type { SendResult } from './retry.ts';

/** The result of a call, with the body that was sent last. */
export interface FinalResult extends SendResult, SentBody {}

/** How often a body is sent in other words, at most. */
const maximumRewordings = 3;

/** What a platform accepted of an operation after it had refused other words. */
interface Wording {
  /** The names of members that it doesn't know. */
  readonly dropped: readonly string[];
  /** The refusals that demanded parts of addresses. */
  readonly demands: readonly string[];
}

/** Remembers the words that a platform accepts, so that it refuses the others once. */
export interface Wordings {
  /** A body in the words that were accepted last. */
  asAccepted(operation: AnyOperation, body: string | undefined): string | undefined;
  /** Records that a body was accepted. @param demands the refusals before it */
  learn(operation: AnyOperation, refused: string | undefined, accepted: string, demands: readonly string[]): void;
}

const recordIn = (text: string | undefined): Readonly<Record<string, unknown>> | undefined => {
  const value = text === undefined ? undefined : parseJson(text);
  return isRecord(value) ? value : undefined;
};

/** Creates the memory of one platform's words. */
export function createWordings(): Wordings {
  const known = new Map<string, Wording>();
  return {
    asAccepted: ({ name }, text) => {
      const [wording, body] = [known.get(name), recordIn(text)];
      if (!wording || !body) return text;
      const kept = Object.fromEntries(Object.entries(body).filter(([member]) => !wording.dropped.includes(member)));
      return JSON.stringify(wording.demands.reduce((now, demand) => withDemandedParts(now, demand) ?? now, kept));
    },
    learn: ({ name, aliases }, refused, accepted, demands) => {
      const [before, after] = [recordIn(refused), recordIn(accepted)];
      if (!before || !after) return;
      const names = Object.entries(aliases).flat();
      const dropped = names.filter((member) => before[member] !== undefined && after[member] === undefined);
      known.set(name, { dropped: [...new Set([...(known.get(name)?.dropped ?? []), ...dropped])], demands });
    },
  };
}

const isContentRefusal = ({ outcome: { response } }: SendResult): boolean =>
  response !== undefined && contentRefusals.includes(response.status);

/**
 * Sends a refused body again in other words, as long as there are any and a refusal proves that nothing was made.
 * @param first the result of the body as it was
 * @returns the last result; the first one if the other words were guessed and refused too
 */
export async function sendInOtherWords(
  operation: AnyOperation,
  first: FinalResult,
  wordings: Wordings,
  send: (body: string, refused: FinalResult) => Promise<SendResult>,
): Promise<FinalResult> {
  const tried = new Set([first.sentBody]);
  const demands: string[] = [];
  let last = first;
  let isGuessed = false;
  while (!last.outcomeUnknown && isContentRefusal(last) && tried.size <= maximumRewordings) {
    const reworded = rewordedBody(operation, last.sentBody, last.outcome.response);
    if (reworded === undefined || tried.has(reworded.body)) break;
    tried.add(reworded.body);
    demands.push(last.outcome.response!.text);
    isGuessed ||= reworded.isGuess;
    last = { ...(await send(reworded.body, last)), sentBody: reworded.body, isReworded: true };
  }
  if (last === first) return first;
  if (isGuessed && isContentRefusal(last)) return first;
  const { response } = last.outcome;
  if (response && response.status < 300) wordings.learn(operation, first.sentBody, last.sentBody!, demands);
  return last;
}
