import { assert, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { segmentsOf } from '../../../src/contract/index.ts';
import { readAgreement } from '../../../src/server/guard/confirmation/question.ts';
import { targetPath, targetText } from '../../../src/server/guard/risk/named-target.ts';
import type { Target } from '../../../src/server/context/index.ts';
import { anyText } from '../../support/any-text.ts';

const service = (name: string | undefined, more: Partial<Target> = {}): Target => ({
  kind: 'application',
  id: 'a-1',
  name,
  environment: { id: 'e', name: 'production' },
  project: { id: 'p', name: 'discovery' },
  mode: 'PRODUCTION',
  ...more,
});

const quotedPath = (target: Target): string => targetText({ ...target, path: targetPath(target) });

describe('the path of a target', () => {
  test.each([
    [service('recommendations'), 'discovery/production/recommendations'],
    [
      { kind: 'environment', id: 'e', name: 'production', project: { name: 'discovery' }, mode: 'PRODUCTION' },
      'discovery/production',
    ],
    [{ kind: 'project', id: 'p', project: { id: 'p', name: 'discovery' }, mode: 'none' }, 'discovery'],
    [{ kind: 'cluster', id: 'c', name: 'eu-1', mode: 'none' }, 'cluster eu-1'],
    [{ kind: 'alert_rule', id: 'r', name: 'High load', mode: 'none' }, 'alert rule High load'],
    [service('api', { project: { id: 'p' } }), 'application api'],
    [service(undefined), 'a-1'],
    [service(''), 'a-1'],
    [{ kind: 'organization', mode: 'none' }, 'new organization'],
  ] as const)('%#', (target, path) => {
    expect(targetPath(target as Target)).toBe(path);
  });

  test.each([
    ['a/b%', 'a%2Fb%25'],
    ['\u001B[2J', '%1B[2J'],
    ['\u202Ednuof', '%E2%80%AEdnuof'],
    ['x" in environment "sandbox', 'x%22 in environment %22sandbox'],
    [' padded ', '%20padded%20'],
    ['   ', '%20%20%20'],
    ['\u2800', '%E2%A0%80'],
    ['two\nlines', 'two%0Alines'],
    ['two<25 spaces>words', 'two%3C25 spaces>words'],
    ['half \uD800', 'half \uFFFD'],
    ['Größe 📦', 'Größe 📦'],
  ])('writes out what can not be seen, or could pass for something else: %j', (name, segment) => {
    expect(targetPath(service(name))).toBe(`discovery/production/${segment}`);
  });

  test('is shown in quotes, which no name can close', () => {
    expect(quotedPath(service('api'))).toBe('application "discovery/production/api"');
    expect(quotedPath({ kind: 'cluster', id: 'c', name: 'main', mode: 'none' })).toBe('cluster "main"');
    expect(quotedPath({ kind: 'project', id: 'p', name: 'project x', mode: 'none' })).toBe('project "project x"');
    expect(
      quotedPath({ kind: 'environment', id: 'e', name: 'live', project: { name: 'environment a' }, mode: 'none' }),
    ).toBe('environment "environment a/live"');
    expect(quotedPath(service(undefined))).toBe('application');
    expect(quotedPath(service('x" in "y'))).not.toMatch(/".*".*"/);
  });

  test('shows any name, tells different ones apart, and never lets nothing be typed', () => {
    assert(
      property(anyText({ minLength: 1 }), anyText({ minLength: 1 }), (one, other) => {
        const [path, second] = [targetPath(service(one)), targetPath(service(other))];
        expect(path).not.toMatch(/[\p{C}\p{Zl}\p{Zp}"]/u);
        expect(path.trim()).toBe(path);
        expect(segmentsOf(path)).toHaveLength(3);
        if (one.toWellFormed() !== other.toWellFormed()) expect(path).not.toBe(second);
        for (const typed of ['', ' ', '\u200B', one])
          expect(readAgreement({ message: '', typed: path }, { name: typed })).toBe(
            typed.trim() === path ? 'agreed' : 'not_agreed',
          );
      }),
    );
  });
});
