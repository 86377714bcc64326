import { join } from 'node:path';

/** The files in the directory of keys that all servers and the operator's commands share. */
export const keyFilesOf = (keysDir: string) => ({
  guard: join(keysDir, 'guard.key'),
  operator: join(keysDir, 'operator.json'),
});
