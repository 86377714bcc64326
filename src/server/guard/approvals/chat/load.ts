import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { parseWebhookKey, parseWebhookUrl, type WebhookTarget } from '../signed-sender.ts';
import { parseSettings, readSettings, type Unusable } from '../settings-file.ts';
import type { MattermostSettings } from './mattermost.ts';
import type { SlackSettings } from './slack.ts';

/** The file of a chat. */
export type ChatSettings =
  | { readonly kind: 'webhook'; readonly target: WebhookTarget; readonly key: Uint8Array }
  | ({ readonly kind: 'slack'; readonly host: string } & SlackSettings)
  | ({ readonly kind: 'mattermost'; readonly host: string } & MattermostSettings);

const name = () => z.string().min(1);

const webhookSchema = () =>
  z
    .strictObject({
      kind: z.literal('webhook'),
      /** The URL, or a file that contains only it, as parts of it may be secret. */
      url: name().optional(),
      url_file: name().optional(),
      secret_file: name(),
    })
    .refine(({ url, url_file: file }) => (url === undefined) !== (file === undefined), {
      error: 'needs url or url_file, and not both',
    });

const slackSchema = () =>
  z.strictObject({
    kind: z.literal('slack'),
    channel: z.string().regex(/^[CDG][A-Z0-9]{2,}$/, 'must be the id of a channel, such as C0123456789'),
    token_file: name(),
    signing_secret_file: name(),
    /** Where the API is, if not at slack.com. */
    api: name().default('https://slack.com/api/'),
  });

const mattermostSchema = () =>
  z.strictObject({
    kind: z.literal('mattermost'),
    url: name(),
    channel: z.string().regex(/^[a-z0-9]{26}$/, 'must be the id of a channel: 26 letters and digits'),
    token_file: name(),
    callback: name().optional(),
  });

const fileSchema = () => z.discriminatedUnion('kind', [webhookSchema(), slackSchema(), mattermostSchema()]);

/** A secret without the white space around it. @throws Error without the secret */
function oneWord(secret: string, what: string): string {
  const word = secret.trim();
  if (!/^[\x21-\x7e]{8,1000}$/.test(word)) throw new Error(`The ${what} must be one word, and nothing else.`);
  return word;
}

/** A URL that ends in a slash, before paths. */
function baseUrl(text: string): { readonly base: string; readonly host: string } {
  const { url, host } = parseWebhookUrl(text, 'approvals chat');
  return { base: url.endsWith('/') ? url : `${url}/`, host };
}

/**
 * Reads the file of a chat, in YAML or JSON. Files that it names are relative to it.
 * @throws Error that says what is wrong, without a secret or the URL.
 */
export async function readChatSettings(path: string): Promise<ChatSettings> {
  const unusable: Unusable = (why) => new Error(`The approvals chat can't be used: ${path}: ${why}`);
  const file = await parseSettings(await readSettings(path, unusable), fileSchema(), unusable);
  const beside = (named: string): Promise<string> => {
    const found = resolve(dirname(path), named);
    return readSettings(found, (why) => new Error(`${found}: ${why}`));
  };
  const token = async (named: string): Promise<string> => oneWord(await beside(named), "bot's token");
  const read = async (): Promise<ChatSettings> => {
    if (file.kind === 'webhook')
      return {
        kind: file.kind,
        target: parseWebhookUrl(file.url ?? (await beside(file.url_file!)), 'approvals chat'),
        key: parseWebhookKey(await beside(file.secret_file), 'approvals chat'),
      };
    const bot = { channel: file.channel, token: await token(file.token_file) };
    if (file.kind === 'slack') {
      const signingSecret = oneWord(await beside(file.signing_secret_file), 'signing secret');
      return { kind: file.kind, ...baseUrl(file.api), ...bot, signingSecret };
    }
    const callback = file.callback === undefined ? undefined : parseWebhookUrl(file.callback, 'approvals chat').url;
    return { kind: file.kind, ...baseUrl(file.url), ...bot, callback };
  };
  return read().catch((error: unknown) => {
    throw unusable((error as Error).message);
  });
}
