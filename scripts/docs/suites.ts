import { leftOutOf, type List, type Suite, suites } from '../../test/suites.ts';
import { code, markdownTable } from './markdown.ts';

const command = ({ script }: Suite): string => code(script === 'test' ? 'npm test' : `npm run ${script}`);

/** A figure that nobody measured stays empty. */
const minutes = ({ minutes: measured = {}, landing }: Suite, list: List): string => {
  const figure = list === 'landing' && landing === 'all' ? (measured.landing ?? measured.full) : measured[list];
  return figure === undefined ? '' : String(figure);
};

const inLanding = (suite: Suite): string => {
  const { landing } = suite;
  if (typeof landing === 'string') return landing === 'all' ? 'all' : 'no';
  const without = leftOutOf(suite, 'landing').map(code);
  return [
    ...(landing.fewer === undefined ? [] : [landing.fewer]),
    ...(without.length === 0 ? [] : [`all but ${without.join(', ')}`]),
  ].join('; ');
};

/**
 * The suites as a table: what each covers, how long it takes, what of it runs before a landing, and when to run it by
 * hand.
 */
export const suitesTable = (): string =>
  markdownTable(
    ['Command', 'Covers', 'In `.ci/run`', 'Minutes there', 'Minutes in `.ci/full`', 'Run it by hand'],
    suites.map((suite) => [
      command(suite),
      suite.covers,
      inLanding(suite),
      minutes(suite, 'landing'),
      minutes(suite, 'full'),
      suite.byHand,
    ]),
  );
