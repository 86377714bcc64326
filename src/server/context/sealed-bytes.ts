import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const [ivBytes, tagBytes] = [12, 16];

/**
 * Encrypts with AES-256-GCM, so that without the key the result can't be read, or changed unnoticed.
 * @param key 32 bytes, for this purpose only
 * @param about the associated data: the result opens only together with it
 */
export function sealBytes(plain: Uint8Array, key: Uint8Array, about: string): string {
  const iv = randomBytes(ivBytes);
  const sealing = createCipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(about));
  return Buffer.concat([iv, sealing.update(plain), sealing.final(), sealing.getAuthTag()]).toString('base64url');
}

/** Opens a result of `sealBytes`; undefined if it was changed, or belongs to other associated data or another key. */
export function openSealed(sealed: string, key: Uint8Array, about: string): Buffer | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < ivBytes + tagBytes) return undefined;
  try {
    const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(about))
      .setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([opening.update(bytes.subarray(ivBytes, -tagBytes)), opening.final()]);
  } catch {
    return undefined;
  }
}
