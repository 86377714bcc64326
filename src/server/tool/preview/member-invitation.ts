import { InvitationStatus, operations } from '../../../contract/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import { reading, readUses } from '../reads.ts';
import { naming, orElse, whoAdministers, type ToolText } from '../tool-text.ts';
import { show, type NoOp, type NoOpCheck } from './preview.ts';
import { rowsIn } from '../../context/index.ts';

const isSameWord = (one: unknown, other: unknown): boolean => String(one).toLowerCase() === String(other).toLowerCase();

/** The row with this email address. */
const withEmail = (answer: JsonRecord | undefined, email: unknown): JsonRecord | undefined =>
  rowsIn(answer).find((row) => isSameWord(row['email'], email));

const personText = ({ email, role_name: name, role }: JsonRecord): string => `${show(email)} (${show(name ?? role)}).`;

/** Whether a person has the role that is asked for; undefined if none is, or the platform doesn't tell theirs. */
function hasRole({ role_id: id, role_name: name, role }: JsonRecord, asked: JsonRecord): boolean | undefined {
  if (asked['role_id'] !== undefined) return id === undefined ? undefined : id === asked['role_id'];
  if (asked['role'] === undefined) return undefined;
  return [name, role].some((one) => isSameWord(one, asked['role']));
}

/** What is said of a person who is there already, by whether in the role that is asked for. */
function found(row: JsonRecord, asked: JsonRecord, what: string, otherRole: { why: string; instead: ToolText }): NoOp {
  const [seen, has] = [[personText(row)], hasRole(row, asked)];
  if (has === false) return { ...otherRole, seen };
  return {
    why: `${what}${has === true ? ', in this role' : '; whether in the role that is meant is not compared'}`,
    seen,
  };
}

/** For invitations: the person is a member already, or has a pending invitation, in this role or another one. */
export const alreadyMember: NoOpCheck = reading(
  readUses('who is a member or invited already is invited again', operations.list_members, operations.list_invitations),
  async (args, { target, reader }) => {
    const where = { organization_id: String(target.id) };
    const [members, invitations] = await Promise.all([
      reader.attempt(operations.list_members, where),
      reader.attempt(operations.list_invitations, where),
    ]);
    const member = withEmail(members, args['email']);
    if (member)
      return found(member, args, 'this person is a member already', {
        why: 'this person is a member already, in another role than the one asked for, and an invitation does not change it',
        instead: orElse(
          naming`${'update_member_role'} gives a member another role.`,
          `To give the member another role, ${whoAdministers}.`,
        ),
      });
    const invited = withEmail(invitations, args['email']);
    return invited?.['invitation_status'] === InvitationStatus.enum.PENDING
      ? found(invited, args, 'this person is invited already, and the invitation still counts', {
          why: 'this person is invited already, in another role than the one asked for, and that invitation still counts: whoever accepts it gets its role',
          instead: orElse(
            naming`Take it back with ${'revoke_invitation'}, then invite again.`,
            `To take it back before another one is sent, ${whoAdministers}.`,
          ),
        })
      : undefined;
  },
);
