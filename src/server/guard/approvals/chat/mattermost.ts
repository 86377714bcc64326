import { createHash, createHmac } from 'node:crypto';
import * as z from 'zod';
import { isRecord, parseJson, shortened } from '../../../../contract/index.ts';
import { isEqual, type KeyProvider } from '../../../context/index.ts';
import { callChat, openWith, type ChatApiTarget } from './api.ts';
import {
  readAs,
  unproven,
  type ChatAnswer,
  type ChatChannel,
  type ChatReply,
  type ChatRequest,
  type ReadRequest,
  type UnreadRequest,
} from './channel.ts';
import { mattermostForm, mattermostPost, type Buttons } from './mattermost-message.ts';
import { formFields, formQuestion, writtenInForm } from './message.ts';
import { createMessages, type MessagesConfig } from './messages.ts';

/** What a channel of Mattermost needs. */
export interface MattermostSettings extends ChatApiTarget {
  /** The id of the channel. */
  readonly channel: string;
  /** The URL at which Mattermost reaches the endpoint of this server, if it isn't the public one. */
  readonly callback?: string | undefined;
}

export interface MattermostConfig extends MessagesConfig {
  /** The keys that servers share: any of them takes what another one posted. */
  readonly keys: KeyProvider;
  /** The URL of the endpoint that takes decisions, once this process serves it. */
  readonly endpoint: () => string | undefined;
}

const text = () => z.string().max(200);
const verdict = () => z.enum(['approve', 'refuse']);

const pressSchema = () =>
  z.object({
    user_id: text().min(1),
    channel_id: text(),
    post_id: text(),
    trigger_id: z.string().max(1000),
    context: z.object({ code: text(), plan: text(), verdict: verdict(), token: text() }),
  });

const submissionSchema = () =>
  z.object({
    type: z.literal('dialog_submission'),
    callback_id: verdict(),
    state: z.string().max(3000),
    user_id: text().min(1),
    submission: z.record(z.string(), z.unknown()),
  });

const stateSchema = () => z.object({ code: text(), plan: text(), message: text(), user: text(), token: text() });

/** The answer to whoever pressed a button: failures are told to that person alone. */
const pressAnswer = ({ status, text: words }: ChatReply): ChatAnswer => ({
  status: 200,
  body: status === 200 ? {} : { ephemeral_text: words },
});

/** The answer to a form: it closes, or says beside its field what is wrong. */
const formAnswer =
  (field: string) =>
  ({ status, text: words }: ChatReply): ChatAnswer => ({
    status: 200,
    body: status === 200 ? {} : { errors: { [field]: shortened(words, 1000) } },
  });

/**
 * A channel of Mattermost, which doesn't sign what it sends. So each button has a token, which only the server of
 * Mattermost gets to see, and only for its call, plan, verdict and channel. Whoever opens a form can read what it holds:
 * its token counts only for that person.
 */
export function mattermostChannel(
  { channel, callback, base, token }: MattermostSettings,
  { keys, endpoint, ...config }: MattermostConfig,
): ChatChannel {
  const target = { base, token };
  const key = keys('chat button');
  const tokenFor = (...about: readonly string[]): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([channel, ...about]))
      .digest('base64url');
  const url = (): string | undefined => callback ?? endpoint();
  const buttons = (): Buttons => ({
    url: url(),
    context: (pressed, { code, plan }) => ({
      code,
      plan,
      verdict: pressed,
      token: tokenFor('button', code, plan, pressed),
    }),
  });
  const messages = createMessages(
    {
      post: async (content, signal) => {
        const body = { channel_id: channel, ...mattermostPost(content, buttons()) };
        const result = await callChat(target, { path: 'api/v4/posts', body }, signal);
        const id = result.answer?.['id'];
        return { ...result, message: result.kind === 'delivered' && typeof id === 'string' ? id : undefined };
      },
      replace: (id, content, signal) =>
        callChat(
          target,
          {
            method: 'PUT',
            path: `api/v4/posts/${encodeURIComponent(id)}/patch`,
            body: mattermostPost(content, buttons()),
          },
          signal,
        ),
    },
    config,
  );

  const readPress = (body: string): ReadRequest | UnreadRequest => {
    const press = readAs(parseJson(body), pressSchema());
    if ('unread' in press) return press;
    const { user_id: user, channel_id: place, post_id: message, trigger_id: trigger, context } = press;
    const { code, plan, verdict: pressed, token: given } = context;
    if (place !== channel || !isEqual(tokenFor('button', code, plan, pressed), given))
      return unproven('The button is none of this server in its channel.');
    const state = JSON.stringify({
      code,
      plan,
      message,
      user,
      token: tokenFor('form', code, plan, pressed, message, user),
    });
    return {
      // Each press has another trigger.
      id: createHash('sha256').update(body).digest('hex'),
      decision: { code, plan, user, verdict: pressed, channel, message },
      openForm: (pending) =>
        openWith((signal) => {
          const dialog = mattermostForm(formQuestion(pending, pressed), pressed, state);
          const open = { trigger_id: trigger, url: url(), dialog };
          return callChat(target, { path: 'api/v4/actions/dialogs/open', body: open }, signal);
        }),
      answer: pressAnswer,
    };
  };

  const readSubmission = (submission: z.output<ReturnType<typeof submissionSchema>>): ReadRequest | UnreadRequest => {
    const { callback_id: submitted, user_id: user } = submission;
    const state = readAs(parseJson(submission.state), stateSchema());
    if ('unread' in state) return state;
    const { code, plan, message, token: given } = state;
    if (!isEqual(tokenFor('form', code, plan, submitted, message, user), given))
      return unproven('The form is none that this server opened for this person.');
    const { name } = formFields[submitted];
    const written = writtenInForm(submitted, submission.submission[name]);
    return {
      decision: { code, plan, user, verdict: submitted, channel, message, ...written },
      answer: formAnswer(name),
    };
  };

  const read = ({ body }: ChatRequest): ReadRequest | UnreadRequest => {
    const sent = parseJson(body);
    if (!isRecord(sent) || sent['type'] !== 'dialog_submission') return readPress(body);
    const submission = readAs(sent, submissionSchema());
    return 'unread' in submission ? submission : readSubmission(submission);
  };

  return { post: messages.post, edit: messages.edit, read, close: messages.close };
}
