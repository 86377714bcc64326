import { organizationId, seedId } from './ids.ts';

const day = 86_400_000;

/** The times of seeded resources, relative to the first start. */
export interface SeedTime {
  /** Milliseconds since the epoch. */
  readonly start: number;
  /** The time this many days before the start, as ISO 8601. */
  readonly ago: (days: number) => string;
}

export const seedTime = (start: number): SeedTime => ({
  start,
  ago: (days) => new Date(start - days * day).toISOString(),
});

/** The organization's age when it is seeded, in days. */
export const organizationAge = 120;

/** When a store was seeded, derived from the creation of its organization. In milliseconds since the epoch. */
export const seedStart = (organizationCreatedAt: string): number =>
  Date.parse(organizationCreatedAt) + organizationAge * day;

/** The columns of a named row of the organization. @param path identifies it among the seeded ones */
export const owned = (time: SeedTime, path: string, name: string) => ({
  id: seedId(path),
  organization_id: organizationId,
  name,
  created_at: time.ago(90),
  updated_at: time.ago(30),
});
