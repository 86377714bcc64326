import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fit, maximumCharacters } from '../../../src/server/output/fit.ts';
import { logLines, record, table, wholeTable } from '../../../src/server/tool/render.ts';
import { runs } from '../../support/runs.ts';

const rowsOf = (view: Record<string, unknown>) => view['results'] as Record<string, unknown>[];

describe('a record', () => {
  test('is one member a line, the telling ones first, nothing empty', () => {
    const { view, text } = record();
    const shown = view({
      created_at: '2026',
      id: '1',
      name: 'shop',
      icon_uri: 'x',
      description: null,
      ports: [],
      environment: { id: 'e' },
    });
    expect(shown).toEqual({ name: 'shop', id: '1', created_at: '2026', environment: { id: 'e' } });
    expect(text(shown)).toBe('name: shop\nid: 1\ncreated_at: 2026\nenvironment: {"id":"e"}');
  });
});

describe('a table', () => {
  const { view, text } = table('project', ['name', 'id', 'commit.message', 'note']);

  test('has a line per row and no column that nothing fills', () => {
    const shown = view({
      results: [
        { id: '1', name: 'a', commit: { message: 'fix | all\nof it', hash: 'x' } },
        { id: '2', name: 'b', note: null },
      ],
    });
    expect(shown).toEqual({
      results: [
        { name: 'a', id: '1', commit: { message: 'fix | all\nof it' } },
        { name: 'b', id: '2' },
      ],
    });
    expect(text(shown)).toBe('2 projects\nname | id | commit.message\na | 1 | fix \\| all\\nof it\nb | 2 | ');
  });

  test('says how many there are, also none', () => {
    expect(text(view({ results: [] }))).toBe('0 projects');
    expect(
      text(view({ results: [{ name: 'a' }], pagination: { page: 2, page_size: 1, total_count: 3, total_pages: 3 } })),
    ).toMatch(/^1 project, page 2 of 3, 3 in total \(page_size 1\)\n/);
    expect(text(view({ results: [{ name: 'a' }], page: 1, page_size: 20 }))).toMatch(
      /^1 project, page 1 \(page_size 20\)\n/,
    );
    expect(text(view({ results: [{ name: 'a' }], page: 1, page_size: 1 }))).toMatch(
      /^1 project, page 1 \(page_size 1; it is full, for more ask for page 2\)\n/,
    );
  });

  test('may carry everything else of a row in a last column', () => {
    const whole = wholeTable('service', ['name', 'id'], ['environment']);
    const shown = whole.view({
      results: [{ id: '1', name: 'a', environment: { id: 'e' }, cpu: 500, ports: [{ internal_port: 80 }] }],
    });
    expect(shown).toEqual({ results: [{ id: '1', name: 'a', cpu: 500, ports: [{ internal_port: 80 }] }] });
    expect(whole.text(shown)).toBe('1 service\nname | id | more\na | 1 | {"cpu":500,"ports":[{"internal_port":80}]}');
  });
});

describe('log lines', () => {
  test('are time, pod and message', () => {
    const shown = logLines.view({
      results: [{ id: '1', created_at: 'T', pod_name: 'p-1', message: 'up\nagain', version: 'v' }],
    });
    expect(logLines.text(shown)).toBe('The newest 1 line:\nT p-1 up\\nagain');
  });

  test('say what they cover, how many messages there are, and how often one came', () => {
    const repeats = { count: 25, first_at: '2026-11-20T09:00:00Z', last_at: '2026-11-20T10:00:00Z' };
    const row = { created_at: '2026-11-20T10:00:00Z', pod_name: 'p-1', message: 'WARN slow', repeats };
    const shown = logLines.view({
      logs: [{ lines: 1000, from: '2026-11-20T08:00:00Z', is_full: true }],
      messages: 900,
      different: 40,
      shown: 1,
      results: [row],
    });
    expect(shown['results']).toEqual([row]);
    expect(logLines.text(shown)).toBe(
      'Read: 1000 lines from 2026-11-20T08:00:00Z on, the most that the platform shows. Nothing is known of before. ' +
        '900 messages, 40 different; the newest 1 are shown.\n' +
        '2026-11-20T10:00:00Z p-1 WARN slow (× 25, first at 2026-11-20T09:00:00Z)',
    );
  });
});

describe('fitting', () => {
  const many = table('row', ['name']);
  const view = { results: Array.from({ length: 5_000 }, (_, index) => ({ name: `row number ${index}` })) };

  test('leaves alone what is short', () => {
    expect(fit({ name: 'a' }, record())).toEqual({ view: { name: 'a' }, text: 'name: a' });
  });

  test('keeps the first rows of a list, as many as fit, and says how to get the rest', () => {
    const fitted = fit(view, many);
    const kept = rowsOf(fitted.view);
    expect(kept[0]).toEqual({ name: 'row number 0' });
    expect(fitted.view).toMatchObject({ shown_rows: kept.length, all_rows: 5_000 });
    expect(fitted.text.length).toBeGreaterThan(maximumCharacters * 0.9);
    expect(fitted.text.length).toBeLessThanOrEqual(maximumCharacters);
    expect(fitted.omission).toContain(`first ${kept.length} of 5000`);
    expect(fitted.omission).toContain('page_size 100');
  });

  test('says of a later page where its rest is', () => {
    const projects = table('project', ['name', 'id']);
    const results = Array.from({ length: 100 }, (_, index) => ({
      id: `${index}`,
      name: 'n'.repeat(30) + 'x'.repeat(250),
    }));
    const fitted = fit(
      projects.view({ results, pagination: { page: 3, page_size: 100, total_count: 1000, total_pages: 10 } }),
      projects,
    );
    expect(rowsOf(fitted.view).length).toBeGreaterThanOrEqual(50);
    expect(rowsOf(fitted.view).length).toBeLessThan(100);
    // 50 is the largest size of which whole pages make up the first 200 rows.
    expect(fitted.omission).toMatch(/ask with page_size 50 and page 6, 7 …$/);
    expect(fit(projects.view({ results, page: 3, page_size: 0.5 }), projects).omission).toMatch(/page 2, 3 …$/);
  });

  test('keeps the newest lines of a log', () => {
    const lines = {
      results: Array.from({ length: 1_000 }, (_, index) => ({
        created_at: 'T',
        pod_name: 'p',
        message: `${index} ${'x'.repeat(100)}`,
      })),
    };
    const fitted = fit(lines, logLines);
    expect(rowsOf(fitted.view).at(-1)).toMatchObject({ message: expect.stringMatching(/^999 /) });
    expect(fitted.omission).toContain('newest');
    expect(fitted.omission).toContain('search_logs');
  });

  test('cuts values of a record that are too long, and warns of sending them back', () => {
    const fitted = fit({ name: 'a', values: 'x'.repeat(100_000) }, record());
    expect(fitted.view['values']).toMatch(/^x{4000}… \(96000 more characters\)$/);
    expect(fitted.omission).toContain('never send a cut value back');
  });

  test('always fits', () => {
    const anything = fc.dictionary(
      fc.string(),
      fc.oneof(
        fc.string({ maxLength: 60_000, size: 'max' }),
        fc.array(fc.string(), { maxLength: 5_000, size: 'max' }),
        fc.integer(),
      ),
    );
    fc.assert(
      fc.property(anything, (value) => fit(value, record()).text.length <= maximumCharacters),
      { numRuns: runs(20) },
    );
  });
});
