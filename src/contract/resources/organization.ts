import * as z from 'zod';
import { permissionLevels } from '../operation.ts';
import {
  DateTime,
  Email,
  HttpUrl,
  identity,
  Name,
  reference,
  resourceOf,
  secret,
  Uuid,
  Pointer,
} from '../primitives.ts';
import { InvitationStatus } from '../states.ts';

export const ProjectRequest = z.object({
  name: Name.describe('Unique in the organization.'),
  description: z.string().optional(),
});

export const Project = resourceOf(
  'project',
  z.object({
    ...identity,
    name: Name,
    description: z.string().optional(),
    organization: Pointer,
    associated_environments_count: z.int(),
  }),
);

const record = {
  ...identity,
  name: Name,
  description: z.string().optional(),
  plan: z.string().optional(),
  owner: z.string().optional(),
};

/** The organization of the token. `results` contains the same record, for clients that expect a list. */
export const Organization = resourceOf('organization', z.object({ ...record, results: z.array(z.object(record)) }));

/** Role names of members and invitations. Deprecated in favour of `role_id`. */
const Role = z.enum(['ADMIN', 'DEVELOPER', 'OWNER', 'VIEWER']);

export const Member = resourceOf(
  'member',
  z.object({
    ...identity,
    email: z.string(),
    name: z.string(),
    nickname: z.string(),
    profile_picture_url: z.string(),
    last_activity_at: DateTime,
    role: Role,
    role_name: z.string(),
    role_id: Uuid,
  }),
);

/** A member, as bodies name them. */
const user = { user_id: reference('member').describe('Name, e-mail or id.') };

export const RemovalRequest = z.object(user);
export const MemberRoleRequest = z.object({ ...user, role_id: reference('role').describe('Name or id.') });

export const InvitationRequest = z.object({
  email: Email.describe('Address to invite.'),
  role: Role.optional().describe('Deprecated; role_id wins. Default VIEWER.'),
  role_id: reference('role').optional().describe('Role to give.'),
});

export const Invitation = resourceOf(
  'invitation',
  z.object({
    id: Uuid,
    created_at: DateTime,
    updated_at: DateTime.optional(),
    email: z.string(),
    role: Role,
    invitation_link: z.string().optional(),
    invitation_status: InvitationStatus,
    inviter: z.string(),
    organization_name: z.string().optional(),
    logo_url: HttpUrl.optional(),
    role_id: Uuid.optional(),
    role_name: z.string().optional(),
  }),
);

/** A permission level of roles and tokens. */
const Permission = z.enum(permissionLevels);

/** A role that members can have. Not in the API document. Some platforms say what it permits. */
export const AvailableRole = resourceOf(
  'role',
  z.object({ id: Uuid, name: z.string(), description: z.string().optional(), permission: Permission.optional() }),
);

/** What a role that the organization defined itself permits, in each cluster and project. Not in the API document. */
export const CustomRole = z.object({
  id: Uuid,
  name: z.string(),
  description: z.string().optional(),
  cluster_permissions: z.array(
    z.object({ cluster_id: Uuid, cluster_name: z.string().optional(), permission: z.string() }),
  ),
  project_permissions: z.array(
    z.object({
      project_id: Uuid,
      project_name: z.string().optional(),
      is_admin: z.boolean(),
      permissions: z.array(z.object({ environment_type: z.string(), permission: z.string() })),
    }),
  ),
});

/** A token of the API, without its value. Not in the API document. */
export const ApiToken = resourceOf(
  'api_token',
  z.object({
    id: Uuid,
    created_at: DateTime,
    name: z.string(),
    permission: Permission,
    expires_at: DateTime.optional(),
    last_used_at: DateTime.optional(),
    /** The member whose token it is: it ends when they are removed. */
    member_id: Uuid.optional(),
    member_name: z.string().optional(),
    is_current: z.boolean().optional().describe('Whether this request was made with it.'),
  }),
);

/** A request for a new API token. */
export const NewApiTokenRequest = z.object({
  name: Name.describe('Who or what uses it.'),
  permission: Permission.describe('What it may do.'),
  expires_at: DateTime.optional().describe('When it ends. Without it, never.'),
  member_id: reference('member').optional().describe('Whose it is: it ends when they are removed.'),
});

/** A new API token, with the value that is shown this once. */
export const NewApiToken = ApiToken.extend({ token: secret() });

const nullableText = z.string().nullable();

export const BillingInfoRequest = z.object({
  first_name: z.string().min(1),
  last_name: z.string().min(1),
  email: Email.describe('Address for invoices.'),
  address: z.string().min(1),
  city: z.string().min(1),
  zip: z.string().min(1),
  country_code: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a two-letter ISO country code')
    .describe('ISO country, e.g. FR.'),
  state: z.string().nullish().describe('US only.'),
  company: z.string().nullish(),
  vat_number: z.string().nullish(),
});

export const BillingInfo = z.object({
  first_name: nullableText,
  last_name: nullableText,
  email: nullableText,
  address: nullableText,
  city: nullableText,
  zip: nullableText,
  country_code: nullableText,
  state: nullableText,
  company: nullableText,
  vat_number: nullableText,
});
