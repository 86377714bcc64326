import type { PermissionLevel } from '../../contract/index.ts';
import { createApiKey } from '../../transport/index.ts';

/** `infra-mcp key`: prints only the new key on stdout, and its entry for the keys file on stderr. */
export function keyCommand({ name, level, json }: { name: string; level: PermissionLevel; json?: boolean }): void {
  const { key: value, sha256 } = createApiKey();
  if (json) return void process.stdout.write(`${JSON.stringify({ key: value, entry: { name, sha256, level } })}\n`);
  process.stderr.write(
    `The key is not shown again. Put this under "keys:" in the keys file:\n  - name: ${name}\n    sha256: ${sha256}\n    level: ${level}\n`,
  );
  process.stdout.write(`${value}\n`);
}
