import type { PermissionLevel } from '../contract/operation.ts';
import { createKey } from '../serve/http/keys.ts';

/** `infra-mcp key`: prints a new key on stdout, alone, and on stderr the entry for the keys file. */
export function key({ name, level }: { name: string; level: PermissionLevel }): void {
  const { key: value, sha256 } = createKey();
  process.stderr.write(`The key is shown this once. Put this under "keys:" in the keys file:\n  - name: ${name}\n    sha256: ${sha256}\n    level: ${level}\n`);
  process.stdout.write(`${value}\n`);
}
