import { statSync } from 'node:fs';

/**
 * Whether a file belongs to this user and other users have access to it, so that this user can change that. What
 * another user owns is often mounted, and its access is decided elsewhere. Always false on Windows, where the mode of a
 * file says nothing of that, and for a file that is missing.
 */
export function isOwnAndOpen(path: string): boolean {
  if (process.platform === 'win32') return false;
  try {
    const { mode, uid } = statSync(path);
    return uid === process.getuid?.() && (mode & 0o077) !== 0;
  } catch {
    // Whoever reads the file says why that doesn't work.
    return false;
  }
}
