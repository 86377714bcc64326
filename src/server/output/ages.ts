const second = 1_000;
const units = [['d', 86_400 * second], ['h', 3_600 * second], ['m', 60 * second], ['s', second]] as const;

/** How long ago, or ahead, a moment is, in its largest unit: `3d ago`. Not by Intl: its data would be a tenth of this process's memory. */
function age(at: number, now: number): string {
  const apart = Math.abs(now - at);
  const [unit, length] = units.find(([, one]) => apart >= one) ?? units[3];
  const amount = `${Math.trunc(apart / length)}${unit}`;
  return at <= now ? `${amount} ago` : `in ${amount}`;
}

const timestamp = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)(?!\w)/g;

/** A text with how long ago it was beside every timestamp: models are poor at telling. @param now milliseconds since 1970. */
export const withAges = (text: string, now: number): string => text.replaceAll(timestamp, (stamp) => `${stamp} (${age(Date.parse(stamp), now)})`);
