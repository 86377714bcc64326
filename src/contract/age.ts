const second = 1_000;
const units = [
  ['d', 86_400 * second],
  ['h', 3_600 * second],
  ['m', 60 * second],
  ['s', second],
] as const;

/** The largest unit of which a span has two at least: `38h` tells more than one day does. */
const unitPlace = (distance: number): number => {
  const place = units.findIndex(([, one]) => distance >= 2 * one);
  return place === -1 ? units.length - 1 : place;
};

/** A span of time in one unit, rounded: `3d` for all but three days. */
function rounded(distance: number): string {
  const place = unitPlace(distance);
  const [[unit, length], larger] = [units[place]!, units[place - 1]];
  const amount = Math.round(distance / length);
  return larger && amount * length >= 2 * larger[1] ? `2${larger[0]}` : `${amount}${unit}`;
}

/**
 * A time relative to now in one unit: `3d ago`, `in 2h`. Future times are rounded: a moment after a period of
 * three days starts, it ends in three days. Doesn't use Intl, whose data would need a tenth of this process's memory.
 */
export function age(time: number, now: number): string {
  if (time > now) return `in ${rounded(time - now)}`;
  const [unit, length] = units[unitPlace(now - time)]!;
  return `${Math.trunc((now - time) / length)}${unit} ago`;
}
