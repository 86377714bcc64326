import { operation } from '../operation.ts';
import {
  ApiToken,
  AvailableRole,
  CustomRole,
  Invitation,
  MemberRoleRequest,
  NewApiToken,
  NewApiTokenRequest,
  RemovalRequest,
} from '../resources/organization.ts';
import { undocumented } from './common.ts';
import { listInOrganization } from './organization.ts';

/** Changes of who has access need an administrator, and are always confirmed. */
const access = { ...undocumented, effect: 'sensitive', permission: 'admin', target: 'organization' } as const;

/** Operations outside the API document: members, their roles, invitations and API tokens. */
export const peopleExtensions = {
  list_roles: listInOrganization('list_roles', 'availableRole', AvailableRole, 'List the roles members can have.'),
  list_custom_roles: listInOrganization(
    'list_custom_roles',
    'customRole',
    CustomRole,
    'List the roles that the organization defined, with what each permits.',
  ),
  update_member_role: operation({
    ...access,
    name: 'update_member_role',
    method: 'PUT',
    path: '/organization/{organizationId}/member',
    body: MemberRoleRequest,
    changed: { kind: 'member', by: 'user_id' },
    summary: 'Give a member another role.',
  }),
  remove_member: operation({
    ...access,
    name: 'remove_member',
    method: 'DELETE',
    path: '/organization/{organizationId}/member',
    body: RemovalRequest,
    changed: { kind: 'member', by: 'user_id' },
    summary: 'Remove a member from an organization. Their API tokens are revoked.',
  }),
  list_invitations: listInOrganization('list_invitations', 'inviteMember', Invitation, 'List the invitations.'),
  revoke_invitation: operation({
    ...access,
    name: 'revoke_invitation',
    method: 'DELETE',
    path: '/organization/{organizationId}/inviteMember/{invitationId}',
    summary: 'Revoke an invitation: its link no longer works.',
  }),
  list_api_tokens: listInOrganization(
    'list_api_tokens',
    'apiToken',
    ApiToken,
    'List the API tokens that are not revoked, without their values.',
  ),
  create_api_token: operation({
    ...access,
    name: 'create_api_token',
    method: 'POST',
    path: '/organization/{organizationId}/apiToken',
    body: NewApiTokenRequest,
    response: NewApiToken,
    creates: { kind: 'api_token', in: 'organization' },
    shownOnce: 'token',
    summary: 'Create an API token. Its value is shown to a person, once.',
  }),
  revoke_api_token: operation({
    ...access,
    name: 'revoke_api_token',
    method: 'DELETE',
    path: '/organization/{organizationId}/apiToken/{apiTokenId}',
    summary: 'Revoke an API token: whoever uses it is refused from then on.',
  }),
} as const;
