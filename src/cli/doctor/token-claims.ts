import { permissionLevels, type PermissionLevel } from '../../contract/index.ts';

/** What a token says of itself. Only JWTs do. */
interface Claims {
  readonly exp?: unknown;
  readonly permission?: unknown;
}

const claimsOf = (token: string | undefined): Claims => {
  try {
    return (JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) ?? {}) as Claims;
  } catch {
    return {};
  }
};

/** The expiry of a JWT in milliseconds since 1970; undefined for other tokens. */
export function expiryOf(token: string | undefined): number | undefined {
  const { exp } = claimsOf(token);
  return typeof exp === 'number' ? exp * 1000 : undefined;
}

/** The permission of a JWT; undefined for other tokens, and for those that don't tell. */
export const permissionIn = (token: string | undefined): PermissionLevel | undefined =>
  permissionLevels.find((level) => level === claimsOf(token).permission);
