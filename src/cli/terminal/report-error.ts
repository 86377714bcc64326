import { clean } from '../../server/redaction/index.ts';
import { wrapped } from './lines.ts';

/** Writes an error to stderr, prefixed with the name of the program. */
export const reportError = (error: unknown): void =>
  void process.stderr.write(wrapped(`infra-mcp: ${clean((error as Error).message)}\n`, process.stderr));
