/** When each caller last sent something that changes the platform. */
export interface RecentChanges {
  note(principal: string, at: number): void;
  /** Undefined if this process sent nothing for the caller, or too many others came after it. */
  last(principal: string): number | undefined;
}

/** Most callers that are remembered. */
const most = 10_000;

/** Creates an empty memory of changes. The callers that changed something longest ago are forgotten first. */
export function createRecentChanges(): RecentChanges {
  const times = new Map<string, number>();
  return {
    note: (principal, at) => {
      times.delete(principal);
      times.set(principal, at);
      const [oldest] = times.keys();
      if (times.size > most) times.delete(oldest!);
    },
    last: (principal) => times.get(principal),
  };
}
