/** What a figure counts. Of times, sizes and growth less is better; of rates more. */
export type Unit = 'ms' | 'MB' | 'bytes' | 'per s' | '%';

/** One thing measured. */
export interface Figure {
  /** What it is, unique within its measurement. */
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  /** The figure it is set against: of the same measurement, taken in the same run. */
  readonly of?: string;
  /** How many times that figure it is. */
  readonly ratio?: number;
}

/** Whether a larger value is a better one. */
export const moreIsBetter = ({ unit }: Pick<Figure, 'unit'>): boolean => unit === 'per s';

/** A figure set against another. Machines differ, ratios of one run hardly. */
export const relativeTo = (reference: Figure, figure: Figure): Figure => ({ ...figure, of: reference.name, ratio: figure.value / reference.value });
