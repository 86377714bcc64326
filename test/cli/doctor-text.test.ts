import { expect, test } from 'vitest';
import { doctorText } from '../../src/cli/doctor/doctor-text.ts';
import { type DoctorFinding, findingBuilder } from '../../src/platform/common/index.ts';

const image = findingBuilder('proxy image').note("it is not there, and can't be had", 'Load it.');
const databases = findingBuilder('databases').info('MYSQL is untested here', 'Try it.');
const engine = findingBuilder('engine').bad('it does not answer', 'Start it.');
const memory = findingBuilder('memory').good('8 GB');

/** The marks of the findings, in order, and the last line. */
function shown(...findings: readonly DoctorFinding[]) {
  const lines = doctorText(findings, [], false).trimEnd().split('\n');
  return { marks: lines.flatMap((line) => /^([✗!i✓]) +\w/.exec(line)?.[1] ?? []), verdict: lines.at(-1) };
}

test('what needs attention on this machine is marked otherwise than what holds everywhere, and keeps the verdict from being good', () => {
  expect(shown(memory, databases)).toEqual({ marks: ['i'], verdict: 'Nothing is wrong.' });
  expect(shown(databases, memory, image)).toEqual({
    marks: ['!', 'i'],
    verdict: 'It can start, and 1 thing needs attention here, marked with !.',
  });
  expect(shown(image, databases, engine)).toEqual({
    marks: ['✗', '!', 'i'],
    verdict: '1 thing is wrong; each line says what to do.',
  });
});
