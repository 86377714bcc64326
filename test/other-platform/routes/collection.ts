import { NOTHING, one, route, rows, type Platform, type Route } from '../platform.ts';
import type { Members, Shape } from '../schema.ts';
import { find, remove, type Row } from '../store.ts';

interface Collection {
  /** Where it is listed and added to, and what the id of one is called there. */
  path: string;
  idName: string;
  what: string;
  list: Row[];
  create: Shape;
  update?: Shape;
  /** How a row is answered. */
  show?: (row: Row) => unknown;
  /** Members the platform adds to a new row. */
  added?: Members;
  /** What a replacement keeps of the row before. */
  kept?: (row: Row, body: Members) => Members;
}

const ORGANIZATION = 'organization_id';

/** Reading, adding, replacing and deleting the rows that an organization keeps. */
export function collection(
  platform: Platform,
  { path, idName, what, list, create, update = create, show = withoutOwner, added = {}, kept = () => ({}) }: Collection,
): Route[] {
  const single = `${path}/{${idName}}`;
  const ofOrganization = (organization: unknown) => list.filter((row) => row[ORGANIZATION] === organization);
  const wanted = (members: Record<string, string>) =>
    find(ofOrganization(members.organizationId), members[idName], what);
  return [
    rows(path, ({ path: members }) => ofOrganization(members.organizationId).map((row) => show(row))),
    route(
      'POST',
      path,
      ({ path: members, body }) => {
        const dates = { created_at: platform.date(), updated_at: platform.date() };
        const row: Row = { id: platform.newId(), ...dates, organization_id: members.organizationId, ...added, ...body };
        list.push(row);
        return show(row);
      },
      { body: create, code: 201 },
    ),
    one(single, ({ path: members }) => show(wanted(members))),
    route(
      'PUT',
      single,
      ({ path: members, body }) => {
        const before = wanted(members);
        const { id, created_at: created } = before;
        const after: Row = {
          ...added,
          ...kept(before, body),
          ...body,
          id,
          created_at: created,
          updated_at: platform.date(),
          organization_id: members.organizationId,
        };
        list.splice(list.indexOf(before), 1, after);
        return show(after);
      },
      { body: update },
    ),
    route('DELETE', single, ({ path: members }) => {
      remove(list, wanted(members).id, what);
      return NOTHING;
    }),
  ];
}

export function withoutOwner(row: Row): Members {
  const { [ORGANIZATION]: owner, ...others } = row;
  return owner === undefined ? row : others;
}
