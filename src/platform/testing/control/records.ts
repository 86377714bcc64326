import type { Gate } from '../../api/gate.ts';
import type { Replacement } from '../../store/replace.ts';

/** What is stopped while records are exchanged, and started on the new ones. */
export interface Exchange {
  readonly gate: Gate;
  /** Stops whatever works on the records. */
  readonly stop: () => Promise<void>;
  /** Starts it on what is there now. */
  readonly start: () => Promise<void>;
}

/**
 * Puts records in place while the platform serves: requests in hand are answered first, others wait. Where that fails,
 * it goes on with the records it had.
 */
export async function exchangeRecords(prepared: Promise<Replacement>, { gate, stop, start }: Exchange): Promise<void> {
  const replacement = await prepared;
  try {
    await gate.whileClosed(async () => {
      await stop();
      try {
        await replacement.commit();
      } finally {
        await start();
      }
    });
  } finally {
    await replacement.discard();
  }
}
