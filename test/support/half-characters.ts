import { halfCharacterIn } from '../../src/contract/index.ts';
import { mapStrings } from '../../src/server/json/index.ts';

/** A transport of any MCP client. */
interface Receiving {
  // oxlint-disable-next-line typescript/no-explicit-any -- the transports of the two clients differ in their messages.
  onmessage?: (message: any, ...rest: any[]) => void;
}

/**
 * Makes a client's transport note what a strict JSON parser refuses: messages with a lone surrogate, in a text or a
 * name.
 * @returns the places of those that came, which grow.
 */
export function refusedBy(transport: Receiving): string[] {
  const refused: string[] = [];
  let receive: Receiving['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    get: () => receive,
    set: (handler: Receiving['onmessage']) => {
      receive =
        handler &&
        ((message: unknown, ...rest: unknown[]) => {
          const half = halfCharacterIn(message);
          if (half) refused.push(`${half.path.join('.')}: ${half.codePoint}`);
          handler(message, ...rest);
        });
    },
  });
  return refused;
}

const machine = /^[0-9a-f-]{36}$|^\d{4}-\d\d-\d\dT|^[A-Z][A-Z_]*$|^(?:https?|git|ssh|oci):/;

/**
 * What a careless platform makes of a text: it cuts it inside of an emoji, or keeps it so long that others have to cut
 * it there.
 */
const careless: readonly ((text: string) => string)[] = [
  (text) => `\uDCE6${text}\uD83D`,
  (text) => text + '📦'.repeat(2_200),
  (text) => `${text}.${'📦'.repeat(2_200)}`,
];

/**
 * An answer of a platform whose texts are cut inside of an emoji, or long rows of them. Ids, times and words of enums
 * stay.
 */
export const cutInsideEmoji = (body: unknown): unknown => {
  let count = 0;
  return mapStrings(body, (text) => (machine.test(text) ? text : careless[(count += 1) % careless.length]!(text)));
};
