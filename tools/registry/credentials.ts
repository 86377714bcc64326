import { identifyingMembers, type AnyOperation } from '../../src/contract/index.ts';
import { pick, reading, readUses, type JsonRecord, type Preview } from '../../src/server/tool/index.ts';
import { movedSecretLines } from '../shared/plan-parts.ts';

const secretNames = ['password', 'secret_access_key', 'vendor_secret_key', 'json_credentials'];

/** Whether stored credentials of a registry or repository get another address. @param get reads it */
export const movedCredentials = (get: AnyOperation): Preview =>
  reading(
    readUses('the plan does not say whether stored credentials get another address', get),
    async (args, { reader }) => {
      const given = secretNames.some((name) => (args['config'] as JsonRecord | undefined)?.[name] !== undefined);
      const present = await reader.attempt(get, pick(args, identifyingMembers(get)));
      return movedSecretLines('url', args, present as JsonRecord | undefined, !given);
    },
  );
