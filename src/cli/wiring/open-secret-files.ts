import type { Config } from '../config/index.ts';
import { isOwnAndOpen } from '../../files/index.ts';
import { shellQuoted } from './typed-command.ts';

type SecretFiles = Pick<Config, 'apiTokenFile' | 'tokenFile' | 'approvalsWebhookSecretFile'>;

/** The options that name a file with a secret, and what is in it. */
const contents: Readonly<Record<keyof SecretFiles, string>> = {
  apiTokenFile: 'the API token',
  tokenFile: 'the token of the platform',
  approvalsWebhookSecretFile: 'the secret of the approvals webhook',
};

/** Each configured file with a secret that other users of the machine have access to: what is so, and what to do. */
export const openSecretFiles = (
  config: Partial<SecretFiles>,
): readonly { readonly says: string; readonly todo: string }[] =>
  (Object.keys(contents) as (keyof SecretFiles)[]).flatMap((option) => {
    const path = config[option];
    return path !== undefined && isOwnAndOpen(path)
      ? [
          {
            says: `Other users of this machine have access to ${path}, which contains ${contents[option]}.`,
            todo: `Make it private with: chmod 600 ${shellQuoted(path)}`,
          },
        ]
      : [];
  });

/** The same as warnings. */
export const openSecretWarnings = (config: Partial<SecretFiles>): readonly string[] =>
  openSecretFiles(config).map(({ says, todo }) => `${says} ${todo}`);
