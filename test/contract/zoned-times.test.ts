import { describe, expect, test } from 'vitest';
import { isInForce, isWindowTime, occurrenceOf, windowFault } from '../../src/contract/deployment-window.ts';
import { latestEvent, nextEvents, stoppedUntil, type Timetable } from '../../src/contract/index.ts';
import { isTimeZone, zonedMoment, zonedText } from '../../src/contract/zoned-times.ts';

const iso = (moment: number | undefined): string | undefined =>
  moment === undefined ? undefined : new Date(moment).toISOString();
const at = (text: string): number => Date.parse(text);

describe('local times', () => {
  test.each([
    ['2026-01-15 12:00', 'Europe/Paris', '2026-01-15T11:00:00.000Z'],
    ['2026-07-15 12:00', 'Europe/Paris', '2026-07-15T10:00:00.000Z'],
    ['2026-07-15 24:00', 'Europe/Paris', '2026-07-15T22:00:00.000Z'],
    // Clocks go forward at 02:00: half past two is half past three.
    ['2026-03-29 02:30', 'Europe/Paris', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29 03:30', 'Europe/Paris', '2026-03-29T01:30:00.000Z'],
    // Clocks go back at 03:00: half past two is there twice, and the first one counts.
    ['2026-10-25 02:30', 'Europe/Paris', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25 03:00', 'Europe/Paris', '2026-10-25T02:00:00.000Z'],
    ['2026-07-15 09:15', 'Asia/Kathmandu', '2026-07-15T03:30:00.000Z'],
    // A day that this zone skipped.
    ['2011-12-30 10:00', 'Pacific/Apia', '2011-12-30T20:00:00.000Z'],
  ])('%s in %s is %s', (local, zone, utc) => {
    expect(iso(zonedMoment(local, zone))).toBe(utc);
  });

  test('are told in their zone and in UTC', () => {
    expect(zonedText(at('2026-11-27T18:00:00Z'), 'Europe/Paris')).toBe(
      'FRIDAY 2026-11-27 19:00 Europe/Paris (2026-11-27T18:00:00.000Z)',
    );
    expect(zonedText(at('2026-11-27T03:00:00Z'), 'America/New_York')).toMatch(/^THURSDAY 2026-11-26 22:00 /);
  });

  test.each([
    ['Europe/Paris', true],
    ['UTC', true],
    ['Europe/Nowhere', false],
    ['', false],
  ])('%j as a zone: %s', (name, isOne) => {
    expect(isTimeZone(name)).toBe(isOne);
  });
});

const timetable: Timetable = {
  auto_stop: true,
  timezone: 'Europe/Paris',
  start_time: '1970-01-01T07:00:00Z',
  stop_time: '1970-01-01T19:00:00Z',
  weekdays: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'],
};
const told = (events: readonly { action: string; at: number }[]) =>
  events.map(({ action, at: when }) => [action, iso(when)]);

describe('a timetable', () => {
  test('stops on Friday evening and starts on Monday morning, also where clocks change in between', () => {
    expect(told(nextEvents(timetable, at('2026-10-23T10:00:00Z')))).toEqual([
      ['STOP', '2026-10-23T17:00:00.000Z'],
      ['START', '2026-10-26T06:00:00.000Z'],
    ]);
    expect(iso(stoppedUntil(timetable, at('2026-10-25T12:00:00Z')))).toBe('2026-10-26T06:00:00.000Z');
    expect(stoppedUntil(timetable, at('2026-10-26T06:00:00Z'))).toBeUndefined();
  });

  test('has a last event at the moment itself, and the next one after it', () => {
    const stop = at('2026-11-27T18:00:00Z');
    expect(latestEvent(timetable, stop)).toEqual({ action: 'STOP', at: stop });
    expect(latestEvent(timetable, stop - 1)).toMatchObject({ action: 'START' });
    expect(told(nextEvents(timetable, stop))[0]).toEqual(['START', '2026-11-30T06:00:00.000Z']);
  });

  test('that is off does nothing', () => {
    const off = { ...timetable, auto_stop: false };
    expect([nextEvents(off, 0), latestEvent(off, 0), stoppedUntil(off, 0)]).toEqual([[], undefined, undefined]);
  });
});

const friday = { begins: 'FRIDAY 16:00', ends: 'SATURDAY 00:00', time_zone: 'Europe/Paris' };

describe('a deployment window', () => {
  test.each([
    // Summer time, then winter time.
    [friday, '2026-10-23T13:59:59Z', false, '2026-10-23T14:00:00.000Z', '2026-10-23T22:00:00.000Z'],
    [friday, '2026-10-23T14:00:00Z', true, '2026-10-23T14:00:00.000Z', '2026-10-23T22:00:00.000Z'],
    [friday, '2026-10-23T22:00:00Z', false, '2026-10-30T15:00:00.000Z', '2026-10-30T23:00:00.000Z'],
    [
      { ...friday, ends: 'MONDAY 08:00' },
      '2026-10-25T12:00:00Z',
      true,
      '2026-10-23T14:00:00.000Z',
      '2026-10-26T07:00:00.000Z',
    ],
    // Longer than the rest of the week: it ends on the day before it begins.
    [
      { ...friday, ends: 'THURSDAY 09:00' },
      '2026-11-26T09:00:00Z',
      false,
      '2026-11-27T15:00:00.000Z',
      '2026-12-03T08:00:00.000Z',
    ],
    [
      { begins: '2026-12-24 16:00', ends: '2026-12-27 24:00', time_zone: 'Europe/Paris' },
      '2026-12-25T00:00:00Z',
      true,
      '2026-12-24T15:00:00.000Z',
      '2026-12-27T23:00:00.000Z',
    ],
  ])('%j at %s is in force: %s', (window, now, isNow, from, until) => {
    const found = occurrenceOf(window, at(now));
    expect([isInForce(found, at(now)), iso(found?.begins), iso(found?.ends)]).toEqual([isNow, from, until]);
  });

  test('that was there once is over afterwards', () => {
    const once = { begins: '2026-12-24 16:00', ends: '2026-12-25 08:00', time_zone: 'UTC' };
    expect(occurrenceOf(once, at('2026-12-25T08:00:00Z'))).toBeUndefined();
  });

  test.each([
    ['FRIDAY 16:00', true],
    ['SATURDAY 24:00', true],
    ['2026-02-28 00:00', true],
    ['2026-02-30 10:00', false],
    ['FRIDAY 25:00', false],
    ['FRIDAY', false],
    ['friday 16:00', false],
    ['2026-12-24T16:00', false],
    ['FRIDAY 16:00 UTC', false],
  ])('%j as a time of a window: %s', (text, isOne) => {
    expect(isWindowTime(text)).toBe(isOne);
  });

  test.each([
    ['FRIDAY 16:00', 'MONDAY 08:00', false],
    ['FRIDAY 16:00', 'FRIDAY 16:00', true],
    ['FRIDAY 16:00', '2026-12-24 08:00', true],
    ['2026-12-24 16:00', 'FRIDAY 08:00', true],
    ['2026-12-24 16:00', '2026-12-24 08:00', true],
    ['2026-12-24 08:00', '2026-12-24 16:00', false],
  ])('from %s to %s is refused: %s', (begins, ends, isRefused) => {
    expect(windowFault({ begins, ends, time_zone: 'UTC' }) !== undefined).toBe(isRefused);
  });
});
