/** The embedded platform. */

export { startPlatform, type PlatformOptions, type RunningPlatform } from './platform.ts';
