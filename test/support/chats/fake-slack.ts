import { createHmac, randomBytes } from 'node:crypto';
import { type FakeChat, serveApi, type ShownForm, type ShownMessage } from './fake-chat.ts';

type Json = Record<string, unknown>;

interface Text {
  readonly type: string;
  readonly text: string;
  readonly emoji?: boolean;
}

/** Every text object in a message or view, with the places in which others are allowed. */
const textsIn = (value: unknown): Text[] => {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  const one = value as Json;
  if ((one['type'] === 'plain_text' || one['type'] === 'mrkdwn') && typeof one['text'] === 'string')
    return [one as unknown as Text];
  return Object.values(one).flatMap(textsIn);
};

const mostText = (block: Json): number => (block['type'] === 'header' ? 150 : 3000);

/** Why Slack would refuse these blocks; undefined if it takes them. */
const faultOf = (blocks: readonly Json[]): string | undefined => {
  if (blocks.length > 50) return 'too many blocks';
  const isLong = blocks.some(
    (block) =>
      textsIn(block).some(({ text }) => text.length === 0 || text.length > mostText(block)) ||
      ((block['fields'] as Text[] | undefined) ?? []).some(({ text }) => text.length > 2000) ||
      ((block['fields'] as Text[] | undefined) ?? []).length > 10,
  );
  return isLong ? 'a text is empty or too long' : undefined;
};

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

interface Stored {
  readonly ts: string;
  readonly text: string;
  readonly blocks: readonly Json[];
}

const buttonsOf = ({ blocks }: Stored): Json[] =>
  blocks.flatMap(({ type, elements }) => (type === 'actions' ? (elements as Json[]) : []));

// What stands after "&" or between "<" and ">" is markup wherever it stands.
const isLiteral = ({ type, text, emoji }: Text): boolean =>
  type === 'plain_text' && emoji === false && !/[<>]|&(?!amp;|lt;|gt;)/.test(text);

const shownOf = (message: Stored): ShownMessage => {
  const texts = message.blocks.flatMap(textsIn);
  return {
    id: message.ts,
    markup: [message.text, ...texts.filter((one) => !isLiteral(one)).map(({ text }) => text)].join('\n'),
    literal: texts
      .filter(isLiteral)
      .map(({ text }) => unescaped(text))
      .join('\n'),
    buttons: buttonsOf(message).map((one) => String(one['action_id'])),
    buttonNames: buttonsOf(message).map((one) => (one['text'] as Text).text),
  };
};

const formOf = (id: string, view: Json): ShownForm => {
  const input = (view['blocks'] as Json[]).find(({ type }) => type === 'input')!;
  return {
    id,
    text: JSON.stringify(view),
    title: (view['title'] as Text).text,
    label: (input['label'] as Text).text,
    submit: (view['submit'] as Text).text,
  };
};

/** What a request from Slack is, but for what a test changes. */
export interface SlackChanges {
  readonly secret?: string;
  /** Milliseconds since 1970. */
  readonly at?: number;
  /** Signed instead of the body. */
  readonly signed?: string;
}

const no = (error: string) => ({ status: 200, answer: { ok: false, error } });

/** A Slack on loopback. @param clock of the people in it, in milliseconds since 1970 */
export async function startFakeSlack(clock: () => number) {
  const [token, secret, channel] = [
    `xoxb-${randomBytes(12).toString('hex')}`,
    randomBytes(16).toString('hex'),
    'C0RELEASES',
  ];
  const stored = new Map<string, Stored>();
  const views = new Map<string, Json>();
  const triggers = new Set<string>();
  const whispers: { user: string; text: string }[] = [];
  const failing: number[] = [];
  let endpoint = '';
  let last: { body: string; headers: Record<string, string> } | undefined;
  let count = 0;

  const api = await serveApi(
    {
      'POST /api/chat.postMessage': (body) => {
        const blocks = body['blocks'] as Json[];
        if (body['channel'] !== channel) return no('channel_not_found');
        if (faultOf(blocks) !== undefined) return no('invalid_blocks');
        const ts = `17636328${String((count += 1)).padStart(2, '0')}.000100`;
        stored.set(ts, { ts, text: String(body['text']), blocks });
        return { status: 200, answer: { ok: true, channel, ts } };
      },
      'POST /api/chat.update': (body) => {
        const [ts, blocks] = [String(body['ts']), body['blocks'] as Json[]];
        if (!stored.has(ts) || body['channel'] !== channel) return no('message_not_found');
        if (faultOf(blocks) !== undefined) return no('invalid_blocks');
        stored.set(ts, { ts, text: String(body['text']), blocks });
        return { status: 200, answer: { ok: true, ts } };
      },
      'POST /api/chat.postEphemeral': (body) => {
        whispers.push({ user: String(body['user']), text: unescaped(String(body['text'])) });
        return { status: 200, answer: { ok: true } };
      },
      'POST /api/views.open': (body) => {
        const view = body['view'] as Json;
        if (chat.opensNoForms || !triggers.delete(String(body['trigger_id']))) return no('expired_trigger_id');
        if (faultOf(view['blocks'] as Json[]) !== undefined || (view['title'] as Text).text.length > 24)
          return no('invalid_arguments');
        const id = `V${views.size + 1}`;
        views.set(id, view);
        return { status: 200, answer: { ok: true, view: { id } } };
      },
    },
    { failing, accepts: ({ authorization }) => authorization === `Bearer ${token}` },
  );

  const sendRaw = async (): Promise<{ status: number; told: string }> => {
    const answer = await fetch(endpoint, { method: 'POST', ...last! });
    return { status: answer.status, told: await answer.text() };
  };
  /** Sends a payload as Slack does, but for what a test changes. */
  const send = (payload: object, { secret: key = secret, at = clock(), signed }: SlackChanges = {}) => {
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const time = String(Math.floor(at / 1000));
    const signature = createHmac('sha256', key)
      .update(`v0:${time}:${signed ?? body}`)
      .digest('hex');
    last = {
      body,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': time,
        'x-slack-signature': `v0=${signature}`,
      },
    };
    return sendRaw();
  };
  /** What Slack sends when somebody presses a button. */
  const pressOf = (user: string, verdict: string, message: string, value: string, place = channel): object => {
    const trigger = randomBytes(8).toString('hex');
    triggers.add(trigger);
    return {
      type: 'block_actions',
      user: { id: user, username: user.toLowerCase(), team_id: 'T1' },
      api_app_id: 'A1',
      trigger_id: trigger,
      response_url: 'https://hooks.slack.example/actions/1',
      container: { type: 'message', message_ts: message, channel_id: place, is_ephemeral: false },
      channel: { id: place, name: 'releases' },
      actions: [{ action_id: verdict, block_id: 'b', type: 'button', value, action_ts: '1.2' }],
    };
  };
  const buttonValue = (verdict: string, message: string): string =>
    String(buttonsOf(stored.get(message)!).find((one) => one['action_id'] === verdict)?.['value']);

  const chat: FakeChat = {
    kind: 'slack',
    files: {
      'chat.yaml': `kind: slack\nchannel: ${channel}\ntoken_file: token\nsigning_secret_file: signing\napi: ${api.url}api/\n`,
      token: `${token}\n`,
      signing: secret,
    },
    connect: (url) => void (endpoint = url),
    channel,
    shown: () => [...stored.values()].map(shownOf),
    whispers,
    press: async (user, verdict, message = [...stored.keys()].at(-1)!) => {
      const before = views.size;
      const { status } = await send(pressOf(user, verdict, message, buttonValue(verdict, message)));
      const view = views.size > before ? views.get(`V${views.size}`) : undefined;
      return { status, form: view && formOf(`V${views.size}`, view) };
    },
    submit: async (user, { id }: ShownForm, value) => {
      const view = views.get(id)!;
      const input = (view['blocks'] as Json[]).find(({ type }) => type === 'input')!;
      const { action_id: action } = input['element'] as { action_id: string };
      const block = String(input['block_id']);
      const values = { [block]: { [action]: { type: 'plain_text_input', value: value === '' ? null : value } } };
      const { status, told } = await send({
        type: 'view_submission',
        user: { id: user },
        view: { ...view, id, state: { values } },
      });
      const answer = told === '' ? {} : (JSON.parse(told) as { errors?: Record<string, string> });
      return { status, error: answer.errors?.[block] };
    },
    again: sendRaw,
    remove: (message) => void stored.delete(message),
    failing,
    opensNoForms: false,
    close: api.close,
  };
  return { chat, send, pressOf, buttonValue, secret };
}
