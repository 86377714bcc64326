import { html, type Html } from './html.ts';

const units = [
  { name: 'day', milliseconds: 86_400_000 },
  { name: 'hour', milliseconds: 3_600_000 },
  { name: 'minute', milliseconds: 60_000 },
] as const;

/** A time relative to now, in its largest unit: `2 minutes ago`, `in less than a minute`. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(at - now);
  const unit = units.find(({ milliseconds }) => distance >= milliseconds);
  const count = unit ? Math.floor(distance / unit.milliseconds) : 0;
  const amount = unit ? `${count} ${unit.name}${count === 1 ? '' : 's'}` : 'less than a minute';
  return at > now ? `in ${amount}` : `${amount} ago`;
}

/** A time to the second: `2026-11-20 10:00:00 UTC`. */
const exactTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A time as people read it, with the exact one beside it. */
export const timeMarkup = (at: number, now: number): Html =>
  html`<time datetime="${new Date(at).toISOString()}" title="${exactTime(at)}">${relativeTime(at, now)}</time> <span class="exact">${exactTime(at)}</span>`;
