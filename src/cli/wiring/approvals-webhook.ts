import { unreadableBecause } from '../../contract/index.ts';
import type { Config } from '../config/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import type { WaitingWebhook, WaitingWebhookConfig } from '../../server/guard/index.ts';
import { readTextFile } from './secret-file.ts';

async function secretOf({ approvalsWebhookSecret, approvalsWebhookSecretFile: path }: Config): Promise<string> {
  if (path === undefined) return approvalsWebhookSecret ?? '';
  const text = await readTextFile(path).catch((error: unknown) => {
    throw new Error(`The approvals webhook's secret can't be read from ${path}: ${unreadableBecause(error)}.`);
  });
  if (text === undefined)
    throw new Error(`The approvals webhook's secret can't be read from ${path}: there is no such file.`);
  return text;
}

/**
 * The target and key of the webhook that notifies operators of waiting calls; undefined if none is configured.
 * @throws Error if its URL or secret can't be used. It shows neither.
 */
export async function configuredWebhook(
  config: Config,
): Promise<Pick<WaitingWebhookConfig, 'target' | 'key'> | undefined> {
  const { approvalsWebhookUrl: url } = config;
  if (url === undefined) return undefined;
  // Loaded only where it is used, to keep the start fast.
  const { parseWebhookKey, parseWebhookUrl } = await import('../../server/guard/index.ts');
  return { target: parseWebhookUrl(url), key: parseWebhookKey(await secretOf(config)) };
}

/**
 * Opens the configured webhook, if there is one.
 * @param page address of the approvals page, once this process serves it.
 * @throws Error if its URL or secret can't be used.
 */
export async function openApprovalsWebhook(
  config: Config,
  log: ServerLogger,
  page?: () => string | undefined,
): Promise<WaitingWebhook | undefined> {
  const configured = await configuredWebhook(config);
  if (!configured) return undefined;
  const { createWaitingWebhook } = await import('../../server/guard/index.ts');
  return createWaitingWebhook({ ...configured, page, log });
}
