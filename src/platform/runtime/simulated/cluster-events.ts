const columns = [9, 18, 18, 19] as const;

/** An event of the cluster, as its command line prints them. `age` is like `12s` or `4s (x3 over 58s)`. */
export const clusterEvent = (type: 'Normal' | 'Warning', reason: string, age: string, from: string, message: string): string =>
  [type, reason, age, from].map((cell, index) => `${cell} `.padEnd(columns[index]!)).join('') + message;

/** The age of an event that came several times. */
export const eventAge = (count: number, lastSeconds: number, overSeconds: number): string =>
  count === 1 ? `${lastSeconds}s` : `${lastSeconds}s (x${count} over ${overSeconds}s)`;

/** A line of the cluster's own components: severity, date and time in UTC, place in the source. */
export const componentLogLine = (severity: 'I' | 'W', at: number, place: string, message: string): string => {
  const [, month, day, time] = /-(\d\d)-(\d\d)T([\d:.]+)Z/.exec(new Date(at).toISOString()) ?? [];
  return `${severity}${month}${day} ${time}114       1 ${place}] ${message}`;
};
