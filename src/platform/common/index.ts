/** Types and functions that all parts of the platform use. */

export {
  buildSourceFault,
  chartVersionFault,
  configurationFault,
  imageTagFault,
  mountPointFault,
  type BuildSource,
} from './configuration-fault.ts';
export {
  isPublicAddress,
  meetingFault,
  meetingOf,
  dnsLabel,
  internalHost,
  neighbourNames,
  plainNeighbourName,
  isLocalName,
} from './host-names.ts';
export {
  addDays,
  createSteppedClock,
  isoDurationMilliseconds,
  isoNow,
  systemClock,
  type PlatformClock,
  type SteppedClock,
} from './clock.ts';
export { findingBuilder, type DoctorFinding, type FindingState } from './finding.ts';
export { HttpAddress, isBare, ImageName } from './file-values.ts';
export { joined } from './joined.ts';
export { silentLog, type PlatformLog } from './log.ts';
export { mebibyte, sum } from './numbers.ts';
export {
  ApiProblem,
  internalError,
  invalid,
  notFound,
  rateLimitExceeded,
  refused,
  taken,
  errorMessage,
  reasonOf,
} from './problem.ts';
export { secondsBetween, seededRandom, systemRandom, uuidFrom, type Random, type SecondsRange } from './random.ts';
export {
  defaultIcon,
  defaultProvider,
  type DeployedCommit,
  type ServiceSpecs,
  type StoredAutoscaling,
} from './service-spec.ts';
export { sourcePath } from './source-paths.ts';
