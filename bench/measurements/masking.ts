import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createRedaction } from '../../src/server/redaction/index.ts';
import { maskShapes } from '../../src/server/redaction/recognition/index.ts';
import { ordinaryTexts } from '../../test/server/redaction/corpus/samples.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { median } from '../statistics.ts';
import type { BenchContext, Measurement } from '../measurement.ts';

const megabytes = 8;

/** Beginnings of secrets, which are looked at more closely than other text. */
const beginnings = ['eyJ-', 'Cookie: a;', 'password: "a ', 'auth:', 'STRIPE_KEY='];

const filled = (part: string): string => {
  const length = megabytes * 1024 * 1024;
  return part.repeat(Math.ceil(length / part.length)).slice(0, length);
};

/** Milliseconds of CPU time that it takes to mask a text: other load of the machine doesn't count. */
function timeOf(name: string, text: string, { repetitions: times }: BenchContext): Figure {
  const each = Array.from({ length: times(9) }, () => {
    const before = process.cpuUsage();
    maskShapes(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return { name, value: median(each), unit: 'ms' };
}

const pieces = 'event-loop delay, masked in pieces';

/**
 * Milliseconds that others wait for the event loop in at most 99 of 100 cases while answers with this text are masked
 * in pieces, one after the other.
 */
async function delayOf(name: string, text: string, { repetitions: times }: BenchContext): Promise<Figure> {
  const redaction = createRedaction();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let count = 0; count < times(9); count += 1) await redaction.valueInPieces({ text });
  delay.disable();
  return { name: `${name}, ${pieces}: p99`, value: delay.percentile(99) / 1e6, unit: 'ms' };
}

async function measure(bench: BenchContext): Promise<Figure[]> {
  const ordinary = timeOf('ordinary text', filled(ordinaryTexts().join('\n')), bench);
  const figures = [ordinary];
  for (const part of beginnings)
    figures.push(relativeTo(ordinary, timeOf(`${part.trim()} again and again`, filled(part), bench)));
  figures.push(await delayOf('ordinary text', filled(ordinaryTexts().join('\n')), bench));
  for (const part of beginnings) figures.push(await delayOf(part.trim(), filled(part), bench));
  return figures;
}

export const masking: Measurement = {
  name: 'masking',
  about: `CPU time of finding secrets by their form in ${megabytes} MB of text: of what begins like one again and again, compared with the output of ordinary programs. And how long others wait for the event loop while it is masked in pieces.`,
  measure,
};
