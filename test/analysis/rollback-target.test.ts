import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PastDeployment } from '../../src/analysis/index.ts';
import { findRollbackTarget } from '../../src/analysis/rollback-target.ts';

/** A history from its first deployment on: a letter a commit, a capital one where it ended well. */
const historyOf = (letters: string): PastDeployment[] =>
  letters
    .split('')
    .map((letter): PastDeployment => ({
      action: 'DEPLOY',
      end: letter === letter.toUpperCase() ? 'good' : 'bad',
      commit: letter.toLowerCase().repeat(7),
    }))
    .toReversed();

const describeTarget = (letters: string, wanted?: string): string => {
  const way = findRollbackTarget(historyOf(letters), wanted);
  return way.kind === 'found' || way.kind === 'already_rolled_back'
    ? `${way.kind} ${way.from[0]} ${way.to.commit[0]}`
    : way.kind;
};

test.each([
  ['AB', 'found b a'],
  ['Ab', 'found b a'],
  ['ABA', 'already_rolled_back b a'],
  ['ABAA', 'already_rolled_back b a'],
  ['ABBa', 'commit_not_at_fault'],
  ['ABAC', 'found c a'],
  ['ABaC', 'found c a'],
  ['ABCB', 'already_rolled_back c b'],
  ['ABCBD', 'found d b'],
  ['ABAB', 'found b a'],
  ['A', 'none'],
  ['aB', 'none'],
  ['', 'none'],
])('of %s: %s', (letters, answer) => {
  expect(describeTarget(letters)).toBe(answer);
});

test('going back further takes naming an older commit that ran well', () => {
  expect(describeTarget('ABCB', 'aaaaaaa')).toBe('found b a');
  expect(describeTarget('ABCB', 'ccccccc')).toBe('none');
  expect(describeTarget('aBCB', 'aaaaaaa')).toBe('none');
  expect(describeTarget('ABCB', 'a')).toBe('none');
});

test('never leads forward, and a second time never anywhere', () => {
  const letters = fc
    .array(fc.constantFrom('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd'), { minLength: 1, maxLength: 12 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(letters, (all) => {
      const history = historyOf(all);
      const way = findRollbackTarget(history);
      if (way.kind !== 'found') return;
      const first = (commit: string): number => history.findLastIndex((one) => one.commit === commit);
      expect(first(way.to.commit)).toBeGreaterThan(first(way.from));
      expect(findRollbackTarget([way.to, ...history]).kind).toBe('already_rolled_back');
    }),
  );
});
