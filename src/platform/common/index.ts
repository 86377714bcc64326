/** What every room of the platform uses. */

export { addDays, createSteppedClock, isoDurationMilliseconds, isoNow, systemClock, type PlatformClock, type SteppedClock } from './clock.ts';
export { silentLog, type PlatformLog } from './log.ts';
export { ApiProblem, internalError, invalid, notFound, rateLimitExceeded, refused, taken } from './problem.ts';
export { secondsBetween, seededRandom, systemRandom, uuidFrom, type Random } from './random.ts';
export { defaultIcon, type DeployedCommit, type ServiceSpecs, type StoredAutoscaling } from './service-spec.ts';
