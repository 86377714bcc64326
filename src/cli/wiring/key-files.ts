import { join } from 'node:path';

/** The files that all servers and the operator's commands have in common, in the directory of keys. */
export const keyFilesOf = (keysDir: string) => ({
  guard: join(keysDir, 'guard.key'),
  operator: join(keysDir, 'operator.json'),
});
