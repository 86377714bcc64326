import { invalid } from '../problem.ts';

/**
 * Refuses an address with a user or password in it: answers show addresses, and so would show the password. A user
 * alone is fine where it is no secret, as in ssh://git@host.
 * @throws ApiProblem 400 naming the member
 */
export function requireNoCredentials(member: string, address: string | undefined): void {
  if (address === undefined || !URL.canParse(address)) return;
  const { protocol, username, password } = new URL(address);
  if (password !== '' || (username !== '' && protocol !== 'ssh:')) {
    throw invalid(member, 'must not hold a user name or password; link a git token or give the credentials in their own members');
  }
}
