import { homedir } from 'node:os';

/** The home folder of the user; the root for a user without one, as a container may have. */
export function homeFolder(): string {
  try {
    return homedir() || '/';
  } catch {
    return '/';
  }
}
