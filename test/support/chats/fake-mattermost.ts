import { randomBytes } from 'node:crypto';
import { type FakeChat, serveApi, type ShownForm, type ShownMessage } from './fake-chat.ts';

type Json = Record<string, unknown>;

interface Action {
  readonly id: string;
  readonly name: string;
  readonly integration: { readonly url: string; readonly context: Json };
}

interface Attachment {
  readonly fallback: string;
  readonly title: string;
  readonly text: string;
  readonly fields: readonly { readonly title: string; readonly value: string }[];
  readonly actions: readonly Action[];
}

interface Stored {
  readonly id: string;
  readonly message: string;
  readonly attachment: Attachment;
}

interface Dialog {
  readonly url: string;
  readonly dialog: Json & { readonly state: string; readonly callback_id: string; readonly elements: readonly Json[] };
}

const newId = (): string => randomBytes(13).toString('hex');

const code = /(?<!`)(`+)(?!`)([\s\S]*?)(?<!`)\1(?!`)/g;

/** What of a text is read as Markdown, and what is code. */
const split = (text: string): { markup: string; literal: string } => ({
  markup: text.replaceAll(code, ''),
  literal: [...text.matchAll(code)].map(([, , inside]) => inside!).join('\n'),
});

const shownOf = ({ id, message, attachment }: Stored): ShownMessage => {
  const parts = [
    message,
    attachment.title,
    attachment.text,
    ...attachment.fields.flatMap(({ title, value }) => [title, value]),
  ].map(split);
  return {
    id,
    markup: [attachment.fallback, ...parts.map(({ markup }) => markup)].join('\n'),
    literal: parts.map(({ literal }) => literal).join('\n'),
    buttons: attachment.actions.map((one) => one.id),
    buttonNames: attachment.actions.map((one) => one.name),
  };
};

/** Why Mattermost would refuse a dialog; undefined if it takes it. */
const faultOf = ({ dialog }: Dialog): string | undefined => {
  const isLong = dialog.elements.some(
    ({ display_name: name, type, max_length: most }) =>
      String(name).length > 24 || Number(most) > (type === 'text' ? 150 : 3000),
  );
  return isLong || String(dialog['title']).length > 24 ? 'too long' : undefined;
};

const formOf = (id: string, opened: Dialog): ShownForm => ({
  id,
  text: JSON.stringify(opened),
  title: String(opened.dialog['title']),
  label: String(opened.dialog.elements[0]!['display_name']),
  submit: String(opened.dialog['submit_label']),
});

/** A Mattermost on loopback. It sends buttons' contexts to their addresses alone, and doesn't sign. */
export async function startFakeMattermost() {
  const [token, channel] = [newId(), newId()];
  const stored = new Map<string, Stored>();
  const dialogs = new Map<string, Dialog>();
  const triggers = new Set<string>();
  const whispers: { user: string; text: string }[] = [];
  const failing: number[] = [];
  let endpoint = '';
  let last: string | undefined;

  const keep = (id: string, body: Json): { status: number; answer: object } => {
    const [attachment] = (body['props'] as { attachments: Attachment[] }).attachments;
    if (String(body['message']).length > 16_383) return { status: 400, answer: { id: 'too_long' } };
    stored.set(id, { id, message: String(body['message']), attachment: attachment! });
    return { status: 201, answer: { id, channel_id: channel } };
  };
  const api = await serveApi(
    {
      'POST /team/api/v4/posts': (body) =>
        body['channel_id'] === channel ? keep(newId(), body) : { status: 403, answer: {} },
      'PUT /team/api/v4/posts/*/patch': (body, id) =>
        stored.has(id) ? { ...keep(id, body), status: 200 } : { status: 404, answer: {} },
      'POST /team/api/v4/actions/dialogs/open': (body) => {
        const dialog = body as unknown as Dialog;
        if (chat.opensNoForms || !triggers.delete(String(body['trigger_id']))) return { status: 400, answer: {} };
        if (faultOf(dialog) !== undefined) return { status: 400, answer: {} };
        dialogs.set(`D${dialogs.size + 1}`, dialog);
        return { status: 200, answer: { status: 'OK' } };
      },
    },
    { failing, accepts: ({ authorization }) => authorization === `Bearer ${token}` },
  );

  const sendRaw = async (): Promise<{ status: number; told: string }> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(endpoint, { method: 'POST', headers, body: last! });
    return { status: answer.status, told: await answer.text() };
  };
  /** Sends a body as it is. */
  const send = (body: object) => {
    last = JSON.stringify(body);
    return sendRaw();
  };
  const contextOf = (verdict: string, message: string): Json =>
    stored.get(message)!.attachment.actions.find(({ id }) => id === verdict)?.integration.context ?? {};
  /** What Mattermost sends when somebody presses a button. */
  const pressOf = (user: string, message: string, context: Json): Json => {
    const trigger = newId();
    triggers.add(trigger);
    return {
      user_id: user,
      user_name: user.toLowerCase(),
      channel_id: channel,
      channel_name: 'releases',
      team_id: newId(),
      team_domain: 'team',
      post_id: message,
      trigger_id: trigger,
      type: 'button',
      data_source: '',
      context,
    };
  };
  /** What Mattermost sends when somebody submits a form. */
  const submissionOf = (user: string, id: string, value: string): Json => {
    const { callback_id: callback, state, elements } = dialogs.get(id)!.dialog;
    return {
      type: 'dialog_submission',
      callback_id: callback,
      state,
      user_id: user,
      channel_id: channel,
      team_id: newId(),
      submission: { [String(elements[0]!['name'])]: value },
      cancelled: false,
    };
  };

  const chat: FakeChat = {
    kind: 'mattermost',
    files: {
      'chat.yaml': `kind: mattermost\nurl: ${api.url}team\nchannel: ${channel}\ntoken_file: token\n`,
      token: `${token}\n`,
    },
    connect: (url) => void (endpoint = url),
    channel,
    shown: () => [...stored.values()].map(shownOf),
    whispers,
    press: async (user, verdict, message = [...stored.keys()].at(-1)!) => {
      const before = dialogs.size;
      const { status, told } = await send(pressOf(user, message, contextOf(verdict, message)));
      const { ephemeral_text: text } = (status === 200 ? JSON.parse(told) : {}) as { ephemeral_text?: string };
      if (text !== undefined) whispers.push({ user, text });
      const opened = dialogs.size > before ? dialogs.get(`D${dialogs.size}`) : undefined;
      return { status, form: opened && formOf(`D${dialogs.size}`, opened) };
    },
    submit: async (user, { id }: ShownForm, value) => {
      const { status, told } = await send(submissionOf(user, id, value));
      const { errors = {} } = (status === 200 ? JSON.parse(told) : {}) as { errors?: Record<string, string> };
      return { status, error: Object.values(errors)[0] };
    },
    again: sendRaw,
    remove: (message) => void stored.delete(message),
    failing,
    opensNoForms: false,
    close: api.close,
  };
  return {
    chat,
    send,
    pressOf,
    submissionOf,
    contextOf,
    buttonUrl: () => [...stored.values()].at(-1)?.attachment.actions[0]?.integration.url,
  };
}
