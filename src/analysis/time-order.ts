const timeOf = (time: string | null | undefined): number => {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at;
};

/**
 * Compares two ISO times for a sort with the latest first, whatever their offsets and fractions, which a comparison as
 * text would sort differently. Invalid times come last; equal times are 0, so that they keep their order.
 */
export function laterFirst(one: string | null | undefined, other: string | null | undefined): number {
  const [first, second] = [timeOf(one), timeOf(other)];
  return first === second ? 0 : second > first ? 1 : -1;
}
