import { isRecord } from '../contract/index.ts';

/** An alert rule whose target has the word for its kind alone: some platforms write one of them with a space before it. */
export function withTrimmedTarget(row: unknown): unknown {
  const target = isRecord(row) ? row['target'] : undefined;
  const type = isRecord(target) ? target['target_type'] : undefined;
  return isRecord(row) && isRecord(target) && typeof type === 'string' ? { ...row, target: { ...target, target_type: type.trim() } } : row;
}
