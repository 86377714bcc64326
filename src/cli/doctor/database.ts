import type { SchemaState } from '../../database/index.ts';
import type { Examination, ExaminedServer, PostgresAddress } from '../../postgres/index.ts';
import { type ExaminedRecords, openExistingVault } from '../../platform/store/index.ts';
import type { Config } from '../config/index.ts';
import { type DoctorFinding, errorMessage, findingBuilder } from '../../platform/common/index.ts';

const database = findingBuilder('database');
const version = findingBuilder('database version');
const encryption = findingBuilder('database encryption');
const room = findingBuilder('database connections');
const clock = findingBuilder('database clock');
const key = findingBuilder('key of the records');
const faults = findingBuilder('fault rules');

/** The version of PostgreSQL that the tests run on. */
const testedVersion = 15;

/** The largest clock difference without a finding, in milliseconds. */
const tolerableDifference = 5000;

/** The maximum numbers of connections of the parts of a process. Their code is loaded only here. */
const connectionsOf = {
  platform: async () => (await import('../../platform/store/postgres/open-records.ts')).platformConnections,
  server: async () => (await import('../../server/guard/storage/postgres-store.ts')).serverConnections,
};
export type DatabaseUser = keyof typeof connectionsOf;

const correctAddress = 'Correct INFRA_DATABASE_URL, or start the database.';

function versionFinding({ version: present }: ExaminedServer): DoctorFinding {
  const major = Number.parseInt(present, 10);
  if (major === testedVersion) return version.good(`PostgreSQL ${present}`);
  if (major > testedVersion)
    return version.note(`PostgreSQL ${present}; the tests run on ${testedVersion}`, 'Try it before you rely on it.');
  return version.bad(
    `PostgreSQL ${present}; ${testedVersion} or newer is needed`,
    `Use PostgreSQL ${testedVersion} or newer.`,
  );
}

function encryptionFinding(
  { isEncrypted }: ExaminedServer,
  { host, tls }: PostgresAddress,
  isHere: boolean,
): DoctorFinding {
  if (isHere && !isEncrypted) return encryption.good('none; the database is on this machine');
  if (!isEncrypted)
    return encryption.bad(
      `connections to ${host} are not encrypted: who is on the way reads all records`,
      'Remove sslmode=disable from INFRA_DATABASE_URL, and give sslrootcert=<path> if its authority is not a public one.',
    );
  if (tls?.rejectUnauthorized === false)
    return encryption.note(
      `connections to ${host} are encrypted, and its certificate is not checked`,
      'Use sslmode=verify-full in INFRA_DATABASE_URL, with sslrootcert=<path> if its authority is not a public one.',
    );
  return encryption.good(`connections to ${host} are encrypted, and its certificate is checked`);
}

async function roomFinding(
  { maximumConnections, connections }: ExaminedServer,
  users: readonly DatabaseUser[],
): Promise<DoctorFinding> {
  const needed = (await Promise.all(users.map((user) => connectionsOf[user]()))).reduce((sum, most) => sum + most, 0);
  const left = maximumConnections - connections;
  const says = `${connections} of ${maximumConnections} in use; a process like this takes up to ${needed}`;
  if (left >= needed) return room.good(says);
  return room.bad(
    says,
    'Raise max_connections of the server, or the limit of this user or database, or end processes that nobody needs.',
  );
}

function clockFinding({ clockAhead }: ExaminedServer): DoctorFinding {
  const seconds = Math.abs(clockAhead / 1000).toFixed(1);
  if (Math.abs(clockAhead) <= tolerableDifference) return clock.good("agrees with this machine's");
  return clock.note(
    `${seconds} s ${clockAhead > 0 ? 'ahead of' : 'behind'} this machine's; the database's counts for records, this machine's for logs and certificates`,
    'Let both follow a time server.',
  );
}

type Finding = ReturnType<typeof findingBuilder>;

const schemaFindings: Readonly<Record<SchemaState, (schema: Finding) => DoctorFinding>> = {
  missing: (schema) => schema.good('none yet; the first process makes them'),
  known: (schema) => schema.good('of this version'),
  older: (schema) =>
    schema.note(
      'of an older version; the first process that starts migrates them',
      'Read in the change log whether processes of the older version can go on.',
    ),
  newer: (schema) =>
    schema.note('of a newer version, which this one can work beside', 'Use the newer version here too.'),
  'too new': (schema) => schema.bad("of a newer version, which this one can't work on", 'Use the newer version.'),
};

const schemaFinding = (what: string, state: SchemaState): DoctorFinding =>
  schemaFindings[state](findingBuilder(`records of ${what}`));

function keyFinding({ isKeyRight }: ExaminedRecords, { keysDir }: Config, hasKey: boolean): DoctorFinding {
  if (isKeyRight === undefined) return key.good('the records have none yet');
  if (isKeyRight) return key.good(`the one in ${keysDir}`);
  return key.bad(
    hasKey
      ? `secret.key in ${keysDir} is another one than the records were sealed with`
      : `there is no secret.key in ${keysDir}, and the records were sealed with one`,
    'Copy secret.key of a process that works on them there, or let INFRA_KEYS_DIR name its directory.',
  );
}

const faultsFinding = ({ faultRules }: ExaminedRecords): DoctorFinding[] =>
  faultRules.length === 0
    ? []
    : [
        faults.note(
          `requests and deployments fail on purpose, by the rules ${faultRules.join(', ')}`,
          'Remove them with a control request, if nobody tests with them.',
        ),
      ];

async function recordsFindings(
  examination: Examination,
  config: Config,
): Promise<{ readonly findings: DoctorFinding[]; readonly records: ExaminedRecords }> {
  const { examineRecords } = await import('../../platform/store/postgres/examine-records.ts');
  const vault = openExistingVault(config.keysDir);
  const records = await examineRecords(examination, vault);
  return {
    findings: [
      schemaFinding('the platform', records.schema),
      keyFinding(records, config, vault !== undefined),
      ...faultsFinding(records),
    ],
    records,
  };
}

/** The findings about a configured database, and its records if they were examined. */
interface ExaminedDatabase {
  readonly findings: readonly DoctorFinding[];
  readonly records?: ExaminedRecords;
}

/** Checks the configured database, if there is one, for the parts of a process that would use it. Changes nothing. */
export async function examineConfiguredDatabase(
  config: Config,
  users: readonly DatabaseUser[],
): Promise<ExaminedDatabase> {
  if (config.databaseUrl === undefined) return { findings: [] };
  const { examineDatabase, isOnThisMachine, parseAddress, shownAddress } = await import('../../postgres/index.ts');
  let address: PostgresAddress;
  try {
    address = parseAddress(config.databaseUrl);
  } catch (error) {
    return { findings: [database.bad(errorMessage(error), 'Correct INFRA_DATABASE_URL.')] };
  }
  try {
    return await examineDatabase(address, async (examination) => {
      const { server } = examination;
      const state = server.isReadOnly
        ? database.bad(`${shownAddress(address)} only reads`, 'Name the server that writes in INFRA_DATABASE_URL.')
        : database.good(`${shownAddress(address)} answers`);
      const platform = users.includes('platform') ? await recordsFindings(examination, config) : undefined;
      const guard = users.includes('server')
        ? [
            schemaFinding(
              'the servers',
              await examination.schemaState((await import('../../server/guard/storage/postgres-store.ts')).guardSchema),
            ),
          ]
        : [];
      return {
        findings: [
          state,
          versionFinding(server),
          encryptionFinding(server, address, isOnThisMachine(address.host)),
          await roomFinding(server, users),
          clockFinding(server),
          ...(platform?.findings ?? []),
          ...guard,
        ],
        ...(platform && { records: platform.records }),
      };
    });
  } catch (error) {
    return { findings: [database.bad(`${shownAddress(address)}: ${errorMessage(error)}`, correctAddress)] };
  }
}
