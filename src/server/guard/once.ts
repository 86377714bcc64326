/** Remembers what was used, for as long as it could be used again. */
export interface Once {
  /** True the first time only. @param now milliseconds of a clock that never steps back. */
  take(nonce: string, now: number): boolean;
}

/** @param lifetime of what is used, in milliseconds. */
export function createOnce(lifetime: number): Once {
  const used = new Map<string, number>();
  return {
    take: (nonce, now) => {
      for (const [old, until] of used) if (until < now) used.delete(old);
      if (used.has(nonce)) return false;
      used.set(nonce, now + lifetime);
      return true;
    },
  };
}
