/** Whether an address has a user name or a password in it, as its receiver reads it. */
export function hasUserinfo(address: string | undefined): boolean {
  const url = address?.includes('@') ? URL.parse(address) : null;
  return url !== null && (url.username !== '' || url.password !== '');
}
