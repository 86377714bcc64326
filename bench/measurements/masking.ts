import { maskShapes } from '../../src/server/redaction/recognition/index.ts';
import { ordinaryTexts } from '../../test/server/redaction/corpus/samples.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';

const megabytes = 8;

/** Beginnings of secrets, which are looked at more closely than other text. */
const beginnings = ['eyJ-', 'Cookie: a;', 'password: "a '];

const filled = (part: string): string => {
  const length = megabytes * 1024 * 1024;
  return part.repeat(Math.ceil(length / part.length)).slice(0, length);
};

/** Milliseconds that it takes to mask a text. */
const timeOf = async (name: string, text: string, { repetitions: times }: BenchContext): Promise<Figure> => {
  const { median } = await load(times(9), 1, async () => maskShapes(text));
  return { name, value: median, unit: 'ms' };
};

async function measure(bench: BenchContext): Promise<Figure[]> {
  const ordinary = await timeOf('ordinary text', filled(ordinaryTexts().join('\n')), bench);
  const figures = [ordinary];
  for (const part of beginnings)
    figures.push(relativeTo(ordinary, await timeOf(`${part.trim()} again and again`, filled(part), bench)));
  return figures;
}

export const masking: Measurement = {
  name: 'masking',
  about: `Finding secrets by their form in ${megabytes} MB of text: of what begins like one again and again, compared with the output of ordinary programs.`,
  measure,
};
