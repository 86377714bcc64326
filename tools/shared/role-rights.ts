import { operations } from '../../src/contract/index.ts';
import {
  notKnown,
  reading,
  readUses,
  recordsIn,
  rowsIn,
  show,
  textOf,
  type JsonRecord,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';

type Reads = Pick<ToolContext, 'attempt'>;

/** What a permission level lets people do. */
const permits: Readonly<Record<string, string>> = {
  read: 'sees everything in every project, production too; changes nothing',
  deploy: 'sees everything; deploys, stops and restarts in every project, production too',
  write:
    'sees everything; creates and changes what runs in every project, production too, with its variables and alerts; deletes no service or environment',
  admin: 'everything: deletes services and environments, manages members, tokens, webhooks, billing and clusters',
};

const customText = (custom: JsonRecord): string =>
  [
    ...recordsIn(custom['cluster_permissions']).map(
      (each) => `cluster ${show(each['cluster_name'] ?? each['cluster_id'])}: ${show(each['permission'])}`,
    ),
    ...recordsIn(custom['project_permissions']).map((each) => {
      const modes = recordsIn(each['permissions']).map(
        (one) => `${show(one['environment_type'])} ${show(one['permission'])}`,
      );
      return `project ${show(each['project_name'] ?? each['project_id'])}: ${each['is_admin'] === true ? 'admin' : modes.join(', ')}`;
    }),
  ].join('; ');

/** What a role permits, in words; undefined if the platform doesn't tell. */
function mayText(row: JsonRecord, custom: JsonRecord | undefined): string | undefined {
  const known = permits[String(row['permission'])];
  if (known !== undefined) return known;
  const text = custom === undefined ? '' : customText(custom);
  return text === '' ? undefined : text;
}

/** A role as the platform lists it, with what it permits, if the platform tells. */
export interface Role {
  readonly row: JsonRecord;
  readonly may?: string;
}

/** Listed roles with what each permits. Custom roles are read only if a row doesn't tell. */
export async function withRights(
  rows: readonly JsonRecord[],
  organization: string | undefined,
  reader: Reads,
): Promise<readonly Role[]> {
  const isTold = rows.every((row) => permits[String(row['permission'])] !== undefined);
  const custom =
    isTold || organization === undefined
      ? []
      : rowsIn(await reader.attempt(operations.list_custom_roles, { organization_id: organization }));
  return rows.map((row) => ({
    row,
    may: mayText(
      row,
      custom.find(({ id }) => id === row['id']),
    ),
  }));
}

/** The roles of an organization that are wanted, with what each permits; undefined if they can't be read. */
export async function rolesWith(
  isWanted: (row: JsonRecord) => boolean,
  organization: string,
  reader: Reads,
): Promise<readonly Role[] | undefined> {
  const list = await reader.attempt(operations.list_roles, { organization_id: organization });
  return list && withRights(rowsIn(list).filter(isWanted), organization, reader);
}

/** The reads of `rolesWith`. @param without what is lacking without them */
export const roleReads = (without: string) => readUses(without, operations.list_roles, operations.list_custom_roles);

/** The role with this id; undefined if it isn't listed. */
export const roleGiven = async (id: unknown, organization: string, reader: Reads): Promise<Role | undefined> =>
  (await rolesWith((row) => row['id'] === id, organization, reader))?.[0];

/** What a role permits, as a line of a plan. */
export const rightsLine = (role: Role | undefined): string =>
  role?.may === undefined ? notKnown('what the role permits') : `It permits: ${role.may}.`;

/** The role that platforms give where none is asked for. */
const usual = 'Viewer';

/** The role that an invitation gives, and what it permits. */
export const invitedRole: Preview = reading(
  roleReads('the plan does not show the name of the role, and what it permits'),
  async ({ role_id: id, role: word }, { target, reader }) => {
    const called = (typeof word === 'string' ? word : usual).toLowerCase();
    const isMeant = (row: JsonRecord): boolean =>
      id === undefined ? textOf(row, 'name')?.toLowerCase() === called : row['id'] === id;
    const role = (await rolesWith(isMeant, String(target.id), reader))?.[0];
    if (id !== undefined && !role) return [notKnown('which role this is, and what it permits')];
    if (id === undefined && word === undefined)
      return [
        `No role is given: the person gets the default of the platform, usually ${usual}.`,
        ...(role?.may === undefined ? [notKnown('what the role permits')] : [`${usual} permits: ${role.may}.`]),
      ];
    return [`The role is ${show(role?.row['name'] ?? word)}.`, rightsLine(role)];
  },
);
