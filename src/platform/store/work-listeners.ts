import type { DataStore } from './store.ts';

/** The listeners for new work in this process. */
export interface WorkListeners extends Pick<DataStore, 'onWork'> {
  /** Calls every listener. */
  readonly call: () => void;
}

export function createWorkListeners(): WorkListeners {
  const listeners = new Set<() => void>();
  return {
    call: () => {
      for (const listener of listeners) listener();
    },
    onWork: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
