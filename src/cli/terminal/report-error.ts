import { clean } from '../../server/redaction/index.ts';
import { wrapped } from './lines.ts';

/** Tells on stderr what went wrong, in the name of the program. */
export const reportError = (error: unknown): void =>
  void process.stderr.write(wrapped(`infra-mcp: ${clean((error as Error).message)}\n`, process.stderr));
