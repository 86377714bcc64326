import { type Figure, moreIsBetter } from './figure.ts';

/** The figures of a run by measurement. */
export type Results = Readonly<Record<string, readonly Figure[]>>;

/** A figure that got worse, and by which factor. */
export interface Regression {
  readonly figure: string;
  readonly before: number;
  readonly now: number;
  readonly times: number;
}

/** Factor below which a difference between two runs counts as noise. */
const noise = 1.25;

/**
 * The value of a figure that is comparable across machines: its ratio within the run, or a size in bytes. Times and
 * rates aren't comparable.
 */
const comparable = ({ ratio, unit, value, of }: Figure): number | undefined =>
  ratio ?? (unit === 'bytes' && of === undefined ? value : undefined);

/**
 * The figures that are clearly worse than in an earlier run, worst first. Figures that only one run has are ignored.
 */
export function findRegressions(before: Results, now: Results): Regression[] {
  const found = Object.entries(now).flatMap(([measurement, figures]) =>
    figures.flatMap((figure): Regression[] => {
      const earlier = before[measurement]?.find(({ name }) => name === figure.name);
      const [was, is] = [earlier && comparable(earlier), comparable(figure)];
      if (was === undefined || is === undefined) return [];
      return [
        {
          figure: `${measurement}: ${figure.name}`,
          before: was,
          now: is,
          times: moreIsBetter(figure) ? was / is : is / was,
        },
      ];
    }),
  );
  return found.filter(({ times }) => times > noise).toSorted((one, other) => other.times - one.times);
}
