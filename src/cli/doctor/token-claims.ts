import { permissionLevels, timeAt, type PermissionLevel } from '../../contract/index.ts';

/** The claims of a token. Only JWTs have them. */
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
  return typeof exp === 'number' ? timeAt(exp * 1000) : undefined;
}

/** The permission of a JWT; undefined for other tokens, and for JWTs without this claim. */
export const permissionIn = (token: string | undefined): PermissionLevel | undefined =>
  permissionLevels.find((level) => level === claimsOf(token).permission);
