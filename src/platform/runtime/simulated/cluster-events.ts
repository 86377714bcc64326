const columns = [9, 18, 18, 19] as const;

/** Formats a cluster event like `kubectl describe`. `age` is like `12s` or `4s (x3 over 58s)`. */
export const clusterEvent = (type: 'Normal' | 'Warning', reason: string, age: string, from: string, message: string): string =>
  [type, reason, age, from].map((cell, index) => `${cell} `.padEnd(columns[index]!)).join('') + message;

/** Formats the age of a repeated event. */
export const eventAge = (count: number, lastSeconds: number, overSeconds: number): string =>
  count === 1 ? `${lastSeconds}s` : `${lastSeconds}s (x${count} over ${overSeconds}s)`;

/** Formats a log line of a cluster component: severity, UTC date and time, source location, message. */
export const componentLogLine = (severity: 'I' | 'W', at: number, source: string, message: string): string => {
  const [, month, day, time] = /-(\d\d)-(\d\d)T([\d:.]+)Z/.exec(new Date(at).toISOString()) ?? [];
  return `${severity}${month}${day} ${time}114       1 ${source}] ${message}`;
};
