import { NOTHING, one, route, rows, type Platform, type Route } from '../platform.ts';
import { either, Failure, filled, flag, id, inQuery, list, strict, text, type Shape } from '../schema.ts';
import { find, remove, type Row } from '../store.ts';
import { collection, withoutOwner } from './collection.ts';

/** Members of the organization, who is invited, the roles they have, and who pays. */
export function peopleRoutes(platform: Platform): Route[] {
  const { store, on } = platform;
  const base = '/organization/{organizationId}';
  const of = (all: Row[], path: Record<string, string>) =>
    all.filter((row) => row.organization_id === find(store.organizations, path.organizationId, 'organization').id);
  const orEmpty = (answer: unknown) => (on('answerCodes') ? NOTHING : answer);
  const optional = on('noNullInRequests') ? text.optional() : text.nullable().optional();
  const permissions: Shape = {
    name: filled,
    description: text.optional(),
    cluster_permissions: list(strict({ cluster_id: id, permission: either('VIEWER', 'ENV_CREATOR', 'ADMIN') })),
    project_permissions: list(
      strict({
        project_id: id,
        is_admin: flag.optional(),
        permissions: list(
          strict({
            environment_type: either('DEVELOPMENT', 'STAGING', 'PRODUCTION', 'PREVIEW'),
            permission: either('NO_ACCESS', 'VIEWER', 'DEPLOYER', 'MANAGER'),
          }),
        ).optional(),
      }),
    ),
  };
  const leave = (path: Record<string, string>, user: unknown) => {
    remove(store.members, find(of(store.members, path), user, 'member').id, 'member');
    return NOTHING;
  };

  return [
    rows(`${base}/member`, ({ path }) => of(store.members, path).map(withoutOwner)),
    route(
      'PUT',
      `${base}/member`,
      ({ path, body }) => {
        const member = find(of(store.members, path), body.user_id, 'member');
        const role = find(store.roles, body.role_id, 'role');
        Object.assign(member, { role: String(role.name).toUpperCase(), role_name: role.name, role_id: role.id });
        return orEmpty(withoutOwner(member));
      },
      { body: { user_id: filled, role_id: id } },
    ),
    on('memberDeleteBody')
      ? route('DELETE', `${base}/member`, ({ path, body }) => leave(path, body.user_id), { body: { user_id: filled } })
      : route('DELETE', `${base}/member`, ({ path, query }) => leave(path, query.user_id), {
          query: { user_id: filled },
        }),
    rows(`${base}/inviteMember`, ({ path }) => of(store.invitations, path).map(withoutOwner)),
    route(
      'POST',
      `${base}/inviteMember`,
      ({ path, body }) => {
        if (of(store.invitations, path).some((row) => row.email === body.email))
          throw new Failure(on('conflicts') ? 409 : 400, 'This address is invited already');
        const role = body.role_id === undefined ? of(store.roles, path)[2] : find(store.roles, body.role_id, 'role');
        const row: Row = {
          id: platform.newId(),
          created_at: platform.date(),
          updated_at: platform.date(),
          organization_id: path.organizationId,
          email: body.email,
          role: body.role ?? String(role?.name).toUpperCase(),
          invitation_link: 'https://example.com/join/2',
          invitation_status: 'PENDING',
          inviter: 'ada@example.com',
          organization_name: find(store.organizations, path.organizationId, 'organization').name,
          logo_url: null,
          role_id: role?.id,
          role_name: role?.name,
        };
        store.invitations.push(row);
        return withoutOwner(row);
      },
      {
        body: {
          email: text.regex(/^\S+@\S+$/, 'an address'),
          role: either('ADMIN', 'DEVELOPER', 'OWNER', 'VIEWER').optional(),
          role_id: id.optional(),
        },
        code: 201,
      },
    ),
    one(`${base}/inviteMember/{inviteId}`, ({ path }) =>
      withoutOwner(find(of(store.invitations, path), path.inviteId, 'invitation')),
    ),
    route('DELETE', `${base}/inviteMember/{inviteId}`, ({ path }) => {
      remove(store.invitations, find(of(store.invitations, path), path.inviteId, 'invitation').id, 'invitation');
      return NOTHING;
    }),
    rows(`${base}/availableRole`, ({ path }) =>
      of(store.roles, path).map((role) => ({ id: role.id, name: role.name })),
    ),
    ...collection(platform, {
      path: `${base}/customRole`,
      idName: 'customRoleId',
      what: 'role',
      list: store.roles,
      create: { name: filled, description: text.optional() },
      update: permissions,
      added: { cluster_permissions: [], project_permissions: [] },
    }),
    one(`${base}/billingInfo`, ({ path }) => store.billing.get(path.organizationId ?? '') ?? {}),
    route(
      'PUT',
      `${base}/billingInfo`,
      ({ path, body }) => {
        const billing = { state: null, company: null, vat_number: null, ...body };
        store.billing.set(find(store.organizations, path.organizationId, 'organization').id, billing);
        return billing;
      },
      {
        body: {
          first_name: filled,
          last_name: filled,
          email: text.regex(/^\S+@\S+$/, 'an address'),
          address: filled,
          city: filled,
          zip: filled,
          country_code: text.length(2),
          state: optional,
          company: optional,
          vat_number: optional,
        },
      },
    ),
    // Who changed what.
    one(
      `${base}/events`,
      ({ path, query }) => {
        const wanted = {
          eventType: 'event_type',
          targetType: 'target_type',
          targetId: 'target_id',
          subTargetType: 'sub_target_type',
          triggeredBy: 'triggered_by',
          origin: 'origin',
        };
        const fitting = of(store.auditEvents, path).filter((row) =>
          Object.entries(wanted).every(([name, member]) => query[name] === undefined || row[member] === query[name]),
        );
        const from = Number(query.continueToken ?? 0);
        const size = Number(query.pageSize ?? 10);
        const next = from + size < fitting.length ? String(from + size) : null;
        const links = {
          previous: from > 0 ? `stepBackToken=${Math.max(0, from - size)}` : null,
          next: next === null ? null : `continueToken=${next}`,
        };
        return {
          events: fitting.slice(from, from + size).map(withoutOwner),
          links,
          organization_max_limit_reached: true,
        };
      },
      {
        pageSize: inQuery.number,
        continueToken: inQuery.text,
        stepBackToken: inQuery.text,
        fromTimestamp: inQuery.text,
        toTimestamp: inQuery.text,
        eventType: inQuery.text,
        targetType: inQuery.text,
        targetId: inQuery.id,
        subTargetType: inQuery.text,
        triggeredBy: inQuery.text,
        origin: inQuery.text,
        serviceProjectId: inQuery.id,
        serviceEnvironmentId: inQuery.id,
      },
    ),
    one(`${base}/targets`, () => ({
      targets: store.services.slice(0, 3).map(({ id: target, spec }) => ({ id: target, name: spec.name })),
    })),
  ];
}
