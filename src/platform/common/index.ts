/** What every room of the platform uses. */

export { isPublicAddress } from './addresses.ts';
export { meetingFault, meetingOf } from './domains.ts';
export { addDays, createSteppedClock, isoDurationMilliseconds, isoNow, systemClock, type PlatformClock, type SteppedClock } from './clock.ts';
export { dnsLabel } from './dns-label.ts';
export { isLocalName } from './local-name.ts';
export { silentLog, type PlatformLog } from './log.ts';
export { mebibyte } from './mebibyte.ts';
export { internalHost, neighbourNames, plainNeighbourName } from './neighbour-names.ts';
export { ApiProblem, internalError, invalid, notFound, rateLimitExceeded, refused, taken } from './problem.ts';
export { errorMessage, reasonOf } from './reason.ts';
export { secondsBetween, seededRandom, systemRandom, uuidFrom, type Random, type SecondsRange } from './random.ts';
export { defaultIcon, defaultProvider, type DeployedCommit, type ServiceSpecs, type StoredAutoscaling } from './service-spec.ts';
export { sum } from './sum.ts';
