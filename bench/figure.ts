/** The unit of a figure. For rates more is better, for all others less. */
export type Unit = 'ms' | 'MB' | 'bytes' | 'per s' | 'per min' | '%';

/** One measured value. */
export interface Figure {
  /** Unique within its measurement. */
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  /** Name of the reference figure, from the same measurement and run. */
  readonly of?: string;
  /** The value divided by that of the reference figure. */
  readonly ratio?: number;
}

/** Whether a larger value is better. */
export const moreIsBetter = ({ unit }: Pick<Figure, 'unit'>): boolean => unit === 'per s' || unit === 'per min';

/** Adds the ratio to a reference figure. Ratios within a run vary little between machines. */
export const relativeTo = (reference: Figure, figure: Figure): Figure => ({
  ...figure,
  of: reference.name,
  ratio: figure.value / reference.value,
});
