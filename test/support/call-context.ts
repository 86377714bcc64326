import type { CallContext, Dialogue, ServerLogger } from '../../src/server/context/call-context.ts';

/** A log that keeps its lines in memory. */
export function memoryLog(): ServerLogger & { readonly lines: { level: string; fields: object; message: string }[] } {
  const lines: { level: string; fields: object; message: string }[] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** The context of a call, with defaults for everything that a test leaves out. */
export const contextWith = ({
  dialogue,
  ...rest
}: Partial<Omit<CallContext, 'dialogue'>> & { dialogue?: Partial<Dialogue> } = {}): CallContext => ({
  principal: 'ann',
  signal: new AbortController().signal,
  deadline: Date.now() + 10_000,
  requestId: 'request-1',
  budget: () => undefined,
  lacks: () => false,
  log: memoryLog(),
  clock: { now: Date.now },
  dialogue: { canAsk: true, ...dialogue },
  ...rest,
});
