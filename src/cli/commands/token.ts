import type { Config } from '../config/index.ts';
import { createToken, listTokens, revokeToken, type TokenRecord, type TokenRequest } from '../../platform/api/index.ts';
import type { Cell } from '../terminal/cell.ts';
import { columns } from '../terminal/columns.ts';
import { wrapped } from '../terminal/lines.ts';
import { timeCell } from '../terminal/table-cells.ts';
import type { RecordsPlace } from '../../platform/index.ts';
import { requireWritable } from '../wiring/written-places.ts';
import { existingRecordsOf, recordsPlaceOf } from '../wiring/records-place.ts';

/** The data directory, if the records are in it. */
const recordsFolder = ({ dataDir, databaseUrl }: Config): Partial<Pick<Config, 'dataDir'>> =>
  databaseUrl === undefined ? { dataDir } : {};

/** The records of a platform that there is already. @throws Error that says what is missing */
function existingRecords(config: Config): Promise<RecordsPlace> {
  requireWritable(recordsFolder(config));
  return existingRecordsOf(config);
}

/** `infra-mcp token create`: prints only the value on stdout, and a description on stderr. */
export async function tokenCreateCommand(
  config: Config,
  request: TokenRequest,
  { json }: { json?: boolean } = {},
): Promise<void> {
  requireWritable({ ...recordsFolder(config), keysDir: config.keysDir });
  const value = await createToken(recordsPlaceOf(config), request);
  if (json)
    return void process.stdout.write(
      `${JSON.stringify({ token: value, name: request.name, permission: request.permission })}\n`,
    );
  process.stderr.write(
    wrapped(
      `Token "${request.name}" with permission ${request.permission}. It is not shown again; only its hash is stored.\n`,
      process.stderr,
    ),
  );
  process.stdout.write(`${value}\n`);
}

const stateOf = ({ revoked_at: revoked, expires_at: expires }: TokenRecord): Cell => {
  if (revoked !== null) return ['revoked', timeCell(revoked)];
  if (expires === null) return 'live';
  return Date.parse(expires) > Date.now() ? ['live, expires', timeCell(expires)] : ['expired', timeCell(expires)];
};

/** `infra-mcp token list`: prints every token without its value. */
export async function tokenListCommand(config: Config, { json }: { json?: boolean }): Promise<void> {
  const tokens = await listTokens(await existingRecords(config));
  const rows = tokens.map((token) => [
    token.id,
    token.name,
    token.permission,
    timeCell(token.created_at),
    token.last_used_at === null ? 'never' : timeCell(token.last_used_at),
    stateOf(token),
  ]);
  process.stdout.write(
    json
      ? `${JSON.stringify(tokens)}\n`
      : columns(['id', 'name', 'permission', 'created', 'last used', 'state'], rows, { titles: 2 }),
  );
}

/** `infra-mcp token revoke`: revokes a token by id, or by a name that only one live token has. */
export async function tokenRevokeCommand(
  config: Config,
  idOrName: string,
  { json }: { json?: boolean } = {},
): Promise<void> {
  const { id, name } = await revokeToken(await existingRecords(config), idOrName);
  if (json) return void process.stdout.write(`${JSON.stringify({ id, name, revoked: true })}\n`);
  process.stderr.write(`Revoked token "${name}" (${id}).\n`);
}
