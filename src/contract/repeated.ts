import { longestRepeated } from './limits.ts';
import { shortened } from './whole-characters.ts';

/** A caller's text as errors repeat it: its beginning, so that nobody makes an error, or a log with it, as long as they like. */
export const repeated = (text: string): string => shortened(text, longestRepeated);
