import { isRecord, type JsonRecord } from '../../json/index.ts';
import { showName } from './preview.ts';

/** Where the state of a Terraform service is kept, by its record; undefined if that doesn't tell. */
export const stateKeptBy = (record: JsonRecord | undefined): 'repository' | 'platform' | undefined => {
  const backend = record?.['backend'];
  if (!isRecord(backend)) return undefined;
  return 'user_provided' in backend ? 'repository' : 'kubernetes' in backend ? 'platform' : undefined;
};

/** Whether the platform never applied a Terraform service: its state from before the first deployment, of any end. */
export const isNeverApplied = (state: string | undefined): boolean => state === 'READY';

/**
 * What else the deletion of a Terraform service may destroy, as a sentence: it destroys what is in its state, whoever
 * made it.
 */
export function stateRisk({ name, record }: { readonly name: string; readonly record?: JsonRecord }): string {
  const shared = 'what other services made with the same state can be destroyed too, in the cloud account';
  return stateKeptBy(record) === 'repository'
    ? `The state of ${showName(name)} is in the backend that its repository names: ${shared}.`
    : `Not looked at: whether the repository of ${showName(name)} names a backend for its state. If it does, ${shared}.`;
}
