import type { Prebuilt } from './surface.ts';

/** The build puts here what it derived. From source there is nothing, and everything is derived when it is needed. */
export const prebuilt: Prebuilt | undefined = undefined;
