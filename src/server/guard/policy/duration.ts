const pattern = /^P(?:(?<weeks>\d+)W|(?:(?<days>\d+)D)?(?:T(?=\d)(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+)S)?)?)$/;

const lengths = { weeks: 604_800_000, days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000 } as const;

/** Milliseconds of an ISO 8601 duration of fixed length (PT8H, P2DT12H, P1W); undefined for months, years and anything else. */
export function millisecondsOf(duration: string): number | undefined {
  const parts = pattern.exec(duration)?.groups;
  if (!parts) return undefined;
  const sum = Object.entries(lengths).reduce((total, [unit, length]) => total + Number(parts[unit] ?? 0) * length, 0);
  return sum > 0 ? sum : undefined;
}
