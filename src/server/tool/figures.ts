import { omit, type JsonRecord } from '../json/index.ts';

/** The member of an answer with its figures. */
export const figuresMember = 'figures';

/**
 * An answer with facts that a view draws, where the answer has them only as text. Text and structured content don't show
 * them: only clients that show views get them.
 */
export const withFigures = (answer: JsonRecord, figures: JsonRecord): JsonRecord => ({
  ...answer,
  [figuresMember]: figures,
});

/** The same answer without them, to be a part of another. */
export const withoutFigures = (answer: JsonRecord): JsonRecord => omit(answer, [figuresMember]);
