import { randomUUID } from 'node:crypto';
import { modernCall, modernHeaders } from './test-server.ts';

interface Result {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly requestState?: string;
  readonly inputRequests?: { readonly confirm: object };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** One request of a 2026 client whose user can be asked, to whichever server it happens to reach. */
export async function callReplica(url: URL, name: string, args: object, more: object = {}): Promise<Result> {
  const whole = modernCall(name, args, randomUUID());
  const { _meta: meta, ...params } = whole.params;
  const capable = { ...meta, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...modernHeaders(name),
    },
    body: JSON.stringify({ ...whole, params: { ...params, _meta: capable, ...more } }),
  });
  const body = await answer.text();
  return (JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body) as { result: Result }).result;
}

/** The text of a result. */
export const replicaText = ({ content = [] }: Result): string => content.map(({ text }) => text).join('');

const agreement = { confirm: { action: 'accept', content: { approve: true } } };

/** The user's yes to a question, as its client sends it with the call. */
export const yesTo = (asked: Result): object => ({ requestState: asked.requestState, inputResponses: agreement });
