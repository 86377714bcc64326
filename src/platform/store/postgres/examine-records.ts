import type { SchemaState } from '../../../database/index.ts';
import type { Examination } from '../../../postgres/index.ts';
import type { KnownRecords } from '../store.ts';
import { keyCheckOf, type Vault } from '../vault.ts';
import { platformSchema } from '../platform-schema.ts';

/** The state of the records in a database, before a platform works on them. */
export interface ExaminedRecords {
  readonly schema: SchemaState;
  /** Whether the secrets were sealed with this key; undefined where there are no records yet. */
  readonly isKeyRight: boolean | undefined;
  /** Names of the fault rules that the records have. */
  readonly faultRules: readonly string[];
  /** Undefined where there are no records of a platform with engines. */
  readonly known: KnownRecords | undefined;
}

const noRecords = { isKeyRight: undefined, faultRules: [], known: undefined } as const;

/**
 * Examines the records of a platform in a database. Changes nothing.
 * @param vault with the key of this process; undefined if it has none
 */
export async function examineRecords(
  { schemaState, rows }: Examination,
  vault: Vault | undefined,
): Promise<ExaminedRecords> {
  const schema = await schemaState(platformSchema);
  if (schema === 'missing' || schema === 'too new') return { schema, ...noRecords };
  const settings = new Map(
    (await rows('select name, value from setting')).map(({ name, value }) => [String(name), String(value)]),
  );
  const [check, platformId, rules] = [
    settings.get('key_check'),
    settings.get('platform_id'),
    settings.get('fault_rules'),
  ];
  const ids = async (table: 'service' | 'environment') =>
    new Set((await rows(`select id from ${table}`)).map(({ id }) => String(id)));
  return {
    schema,
    isKeyRight: check === undefined ? undefined : vault !== undefined && check === keyCheckOf(vault),
    faultRules:
      rules === undefined
        ? []
        : (JSON.parse(rules) as { rules: { rule: { name: string } }[] }).rules.map(({ rule: { name } }) => name),
    known:
      platformId === undefined
        ? undefined
        : { platformId, serviceIds: await ids('service'), environmentIds: await ids('environment') },
  };
}
