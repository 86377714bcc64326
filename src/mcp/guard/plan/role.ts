import { operations } from '../../../contract/operations.ts';
import { attempt } from '../target.ts';
import { rowWith, show, unread, type Preview } from './preview.ts';

/** The name of the role that an invitation gives. */
export const role: Preview = async (args, { target, read }) => {
  const { role_id: id } = args;
  if (id === undefined) return [];
  const found = rowWith(await attempt(read(operations.list_roles, { organization_id: target.id })), id);
  return [found ? `The role is ${show(found['name'])}.` : unread('which role this is')];
};
