import { InvitationStatus, operations } from '../../../contract/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import { reading, readUses } from '../reads.ts';
import { show, type NoOpCheck } from './preview.ts';
import { rowsIn } from '../../context/index.ts';

/** The row with this email address. */
const withEmail = (answer: JsonRecord | undefined, email: unknown): JsonRecord | undefined =>
  rowsIn(answer).find((row) => String(row['email']).toLowerCase() === String(email).toLowerCase());

const personText = ({ email, role_name: name }: JsonRecord): string => `${show(email)} (${show(name)}).`;

/** For invitations: the person is a member already, or has a pending invitation. */
export const alreadyMember: NoOpCheck = reading(
  readUses('who is a member or invited already is invited again', operations.list_members, operations.list_invitations),
  async ({ email }, { target, reader }) => {
    const where = { organization_id: String(target.id) };
    const [members, invitations] = await Promise.all([
      reader.attempt(operations.list_members, where),
      reader.attempt(operations.list_invitations, where),
    ]);
    const member = withEmail(members, email);
    if (member) return { why: 'this person is a member already', seen: [personText(member)] };
    const invited = withEmail(invitations, email);
    return invited?.['invitation_status'] === InvitationStatus.enum.PENDING
      ? { why: 'this person is invited already, and the invitation still counts', seen: [personText(invited)] }
      : undefined;
  },
);
