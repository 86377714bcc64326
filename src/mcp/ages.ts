const second = 1_000;
const units = [['day', 86_400 * second], ['hour', 3_600 * second], ['minute', 60 * second], ['second', second]] as const;

const relative = new Intl.RelativeTimeFormat('en', { style: 'narrow' });

/** How long ago, or ahead, a moment is, in its largest unit: `3d ago`. */
function age(at: number, now: number): string {
  const [unit, length] = units.find(([, one]) => Math.abs(now - at) >= one) ?? units[3];
  return relative.format(Math.trunc((at - now) / length), unit);
}

const timestamp = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)(?!\w)/g;

/** A text with how long ago it was beside every timestamp: models are poor at telling. @param now milliseconds since 1970. */
export const withAges = (text: string, now: number): string => text.replaceAll(timestamp, (stamp) => `${stamp} (${age(Date.parse(stamp), now)})`);
