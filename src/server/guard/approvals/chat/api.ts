import { isRecord, parseJson } from '../../../../contract/index.ts';
import { sendRequest } from '../../../../outgoing/index.ts';
import { failedAs, statusAttempt, type Attempt } from '../deliveries.ts';

/** The API of a chat. */
export interface ChatApiTarget {
  /** The URL before its paths, which ends in a slash. */
  readonly base: string;
  /** Authorizes the bot. */
  readonly token: string;
}

/** What came of a call of a chat's API. `answer`: the object in its body. */
export type ApiResult = Attempt & { readonly answer?: Readonly<Record<string, unknown>> | undefined };

/** Maximum size of an answer, in bytes: it repeats the message. */
const largestAnswer = 1024 * 1024;

/** Calls the API of a chat with a JSON body. Never rejects. */
export async function callChat(
  { base, token }: ChatApiTarget,
  { method = 'POST', path, body }: { readonly method?: 'POST' | 'PUT'; readonly path: string; readonly body: object },
  signal: AbortSignal,
): Promise<ApiResult> {
  try {
    const { ok, status, text } = await sendRequest(new URL(path, base), {
      method,
      body: JSON.stringify(body),
      signal,
      limit: largestAnswer,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'infra-mcp',
        authorization: `Bearer ${token}`,
      },
    });
    const answer = parseJson(text);
    return { ...(ok ? { kind: 'delivered' as const } : statusAttempt(status)), ...(isRecord(answer) && { answer }) };
  } catch (error) {
    return failedAs(error);
  }
}

/** How long a chat may take to open a form, in milliseconds. Chats give programs some three seconds. */
const formTimeout = 2_500;

/** Opens a form. @param open calls the API. @throws Error with the reason why the chat opened none. */
export async function openWith(open: (signal: AbortSignal) => Promise<ApiResult>): Promise<void> {
  const result = await open(AbortSignal.timeout(formTimeout));
  if (result.kind === 'failed') throw new Error(result.why);
}
