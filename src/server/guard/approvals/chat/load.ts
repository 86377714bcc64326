import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { decodedText, unreadableBecause } from '../../../../contract/index.ts';
import { parseWebhookKey, parseWebhookUrl, type WebhookTarget } from '../signed-sender.ts';

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

const unusable = (path: string, why: string): Error => new Error(`The approvals chat can't be used: ${path}: ${why}`);

const textOf = (path: string): Promise<string> =>
  readFile(path)
    .then(decodedText)
    .catch((error: unknown) => {
      throw unusable(path, `it can't be read (${unreadableBecause(error)})`);
    });

/**
 * Reads the file of a chat, in YAML or JSON. Files that it names are relative to it.
 * @throws Error that says what is wrong, without a secret or the URL.
 */
export async function readChatSettings(path: string): Promise<ChatSettings> {
  const text = await textOf(path);
  // The bundler keeps only the default export of a CommonJS package.
  const { parse } = (await import('yaml')).default;
  let content: unknown;
  try {
    content = parse(text, { prettyErrors: false });
  } catch (error) {
    throw unusable(path, (error as Error).message);
  }
  const file = fileSchema().safeParse(content);
  if (!file.success)
    throw unusable(
      path,
      file.error.issues.map(({ path: at, message }) => `${at.join('.') || 'the file'}: ${message}`).join('; '),
    );
  const { url, url_file: urlFile, secret_file: secretFile } = file.data;
  const beside = (name: string): string => resolve(dirname(path), name);
  try {
    return {
      target: parseWebhookUrl(url ?? (await textOf(beside(urlFile!))), 'approvals chat'),
      key: parseWebhookKey(await textOf(beside(secretFile)), 'approvals chat'),
    };
  } catch (error) {
    const { message } = error as Error;
    throw message.startsWith("The approvals chat can't") ? error : unusable(path, message);
  }
}
