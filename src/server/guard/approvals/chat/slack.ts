import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { parseJson, shortened } from '../../../../contract/index.ts';
import { isEqual, isTimely } from '../../../context/index.ts';
import { callChat, openWith, type ApiResult, type ChatApiTarget } from './api.ts';
import {
  readAs,
  unproven,
  untimely,
  type ChatAnswer,
  type ChatChannel,
  type ChatReply,
  type ChatRequest,
  type ReadRequest,
  type UnreadRequest,
} from './channel.ts';
import { formFields, formQuestion, writtenInForm } from './message.ts';
import { createMessages, type MessagesConfig } from './messages.ts';
import { slackForm, slackMessage, slackWhisper } from './slack-blocks.ts';

/** What a channel of Slack needs. */
export interface SlackSettings extends ChatApiTarget {
  /** The id of the channel. */
  readonly channel: string;
  /** Proves that requests come from Slack. */
  readonly signingSecret: string;
}

/** Failures that may pass. Every other one stays as it is. */
const passing = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
]);

/** Calls a method of the API. Slack says in the body whether it did something. */
async function callSlack(target: ChatApiTarget, path: string, body: object, signal: AbortSignal): Promise<ApiResult> {
  const result = await callChat(target, { path, body }, signal);
  if (result.kind === 'failed' || result.answer?.['ok'] === true) return result;
  const error = result.answer?.['error'];
  const why = typeof error === 'string' && /^[a-z_]{1,80}$/.test(error) ? error : 'the answer has no result';
  return { kind: 'failed', why: `${path}: ${why}`, mayRepeat: passing.has(why) };
}

const text = () => z.string().max(200);
const person = () => z.object({ id: text().min(1) });

const pressSchema = () =>
  z.object({
    type: z.literal('block_actions'),
    user: person(),
    trigger_id: text(),
    container: z.object({ channel_id: text(), message_ts: text() }),
    actions: z.array(z.object({ action_id: text(), value: z.string().max(2000).optional() })).length(1),
  });

const submissionSchema = () =>
  z.object({
    type: z.literal('view_submission'),
    user: person(),
    view: z.object({
      callback_id: z.enum(['approve', 'refuse']),
      private_metadata: z.string().max(3000),
      state: z.object({
        values: z.record(z.string(), z.record(z.string(), z.object({ value: z.string().max(3000).nullish() }))),
      }),
    }),
  });

const payloadSchema = () => z.discriminatedUnion('type', [pressSchema(), submissionSchema()]);

const subjectSchema = () => z.tuple([text(), text()]);
const stateSchema = () => z.tuple([text(), text(), text(), text()]);

/** The answer to whoever pressed a button: failures are told to that person alone. */
const pressAnswer =
  (whisper: (text: string) => void) =>
  ({ status, text: words }: ChatReply): ChatAnswer => {
    if (status !== 200) whisper(words);
    return { status: 200 };
  };

/** The answer to a form: it closes, or says beside its field what is wrong. */
const formAnswer =
  (field: string) =>
  ({ status, text: words }: ChatReply): ChatAnswer =>
    status === 200
      ? { status: 200 }
      : { status: 200, body: { response_action: 'errors', errors: { [field]: shortened(words, 1000) } } };

/**
 * A channel of Slack. Messages are Block Kit; Slack signs what people do with them.
 * @param settings from the file of the chat.
 */
export function slackChannel(
  { channel, signingSecret, base, token }: SlackSettings,
  config: MessagesConfig,
): ChatChannel {
  const call = (path: string, body: object, signal: AbortSignal): Promise<ApiResult> =>
    callSlack({ base, token }, path, body, signal);
  const quiet = { unfurl_links: false, unfurl_media: false };
  const messages = createMessages(
    {
      post: async (content, signal) => {
        const result = await call('chat.postMessage', { channel, ...quiet, ...slackMessage(content) }, signal);
        const id = result.answer?.['ts'];
        return { ...result, message: result.kind === 'delivered' && typeof id === 'string' ? id : undefined };
      },
      replace: (ts, content, signal) => call('chat.update', { channel, ts, ...slackMessage(content) }, signal),
      whisper: (user, words, signal) => call('chat.postEphemeral', { channel, user, ...slackWhisper(words) }, signal),
    },
    config,
  );

  const readPress = (press: z.output<ReturnType<typeof pressSchema>>, id: string): ReadRequest | UnreadRequest => {
    const { user, trigger_id: trigger, container, actions } = press;
    const [{ action_id: verdict, value = '' }] = actions as [(typeof actions)[0]];
    if (verdict !== 'approve' && verdict !== 'refuse') return { answer: () => ({ status: 200 }) };
    if (container.channel_id !== channel) return unproven('The button was pressed in another channel.');
    const subject = readAs(parseJson(value), subjectSchema());
    if ('unread' in subject) return subject;
    const [code, plan] = subject;
    const message = container.message_ts;
    const state = JSON.stringify([code, plan, channel, message]);
    return {
      id,
      decision: { code, plan, user: user.id, verdict, channel, message },
      openForm: (pending) =>
        openWith((signal) =>
          call(
            'views.open',
            { trigger_id: trigger, view: slackForm(formQuestion(pending, verdict), verdict, state) },
            signal,
          ),
        ),
      answer: pressAnswer((words) => messages.whisper(code, user.id, words)),
    };
  };

  const readSubmission = (
    { user, view }: z.output<ReturnType<typeof submissionSchema>>,
    id: string,
  ): ReadRequest | UnreadRequest => {
    const state = readAs(parseJson(view.private_metadata), stateSchema());
    if ('unread' in state) return state;
    const [code, plan, place, message] = state;
    if (place !== channel) return unproven('The form was opened in another channel.');
    const verdict = view.callback_id;
    const { name } = formFields[verdict];
    const written = writtenInForm(verdict, view.state.values[name]?.[name]?.value);
    return {
      id,
      decision: { code, plan, user: user.id, verdict, channel, message, ...written },
      answer: formAnswer(name),
    };
  };

  const read = ({ headers, body, now }: ChatRequest): ReadRequest | UnreadRequest => {
    const [time, signature] = ['x-slack-request-timestamp', 'x-slack-signature'].map(
      (name) => headers.get(name) ?? '',
    ) as [string, string];
    const expected = `v0=${createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex')}`;
    if (!isEqual(expected, signature))
      return unproven('The signature is missing, or not one of this request with the signing secret of the app.');
    if (!isTimely(time, now)) return untimely;
    const payload = readAs(parseJson(new URLSearchParams(body).get('payload') ?? ''), payloadSchema());
    if ('unread' in payload) return payload;
    return payload.type === 'block_actions' ? readPress(payload, signature) : readSubmission(payload, signature);
  };

  return { post: messages.post, edit: messages.edit, read, close: messages.close };
}
