import { startableKinds } from '../../src/contract/index.ts';
import type { JsonRecord, NextCall } from '../../src/server/tool/index.ts';

const startable: readonly unknown[] = startableKinds;

/** Maximum number of services that a proposed call names. */
const mostNamed = 20;

/**
 * The call that starts the stopped services among rows with kind, state, id and condition; none if none can be started.
 * Starting leaves out what no deployment ever made run.
 */
export function startStopped(rows: readonly JsonRecord[]): readonly NextCall[] {
  const ids = rows.flatMap(({ kind, state, id, condition }) =>
    state === 'STOPPED' && condition !== 'never succeeded' && startable.includes(kind) && typeof id === 'string'
      ? [id]
      : [],
  );
  return ids.length === 0
    ? []
    : [
        {
          tool: 'start_services',
          arguments: { services: ids.slice(0, mostNamed) },
          why: 'starts what is stopped, if it should run',
        },
      ];
}
