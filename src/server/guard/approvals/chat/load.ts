import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { parseWebhookKey, parseWebhookUrl, type WebhookTarget } from '../signed-sender.ts';
import { parseSettings, readSettings, type Unusable } from '../settings-file.ts';

/** The file of a chat. */
export interface ChatSettings {
  readonly target: WebhookTarget;
  readonly key: Uint8Array;
}

const fileSchema = () =>
  z
    .strictObject({
      kind: z.literal('webhook'),
      /** The URL, or a file that contains only it, as parts of it may be secret. */
      url: z.string().min(1).optional(),
      url_file: z.string().min(1).optional(),
      secret_file: z.string().min(1),
    })
    .refine(({ url, url_file: file }) => (url === undefined) !== (file === undefined), {
      error: 'needs url or url_file, and not both',
    });

/**
 * Reads the file of a chat, in YAML or JSON. Files that it names are relative to it.
 * @throws Error that says what is wrong, without a secret or the URL.
 */
export async function readChatSettings(path: string): Promise<ChatSettings> {
  const unusable: Unusable = (why) => new Error(`The approvals chat can't be used: ${path}: ${why}`);
  const file = await parseSettings(await readSettings(path, unusable), fileSchema(), unusable);
  const { url, url_file: urlFile, secret_file: secretFile } = file;
  const beside = (name: string): Promise<string> => {
    const named = resolve(dirname(path), name);
    return readSettings(named, (why) => new Error(`${named}: ${why}`));
  };
  try {
    return {
      target: parseWebhookUrl(url ?? (await beside(urlFile!)), 'approvals chat'),
      key: parseWebhookKey(await beside(secretFile), 'approvals chat'),
    };
  } catch (error) {
    throw unusable((error as Error).message);
  }
}
