/** The client of any platform. */

export { parseBaseUrl } from './base-url.ts';
export type { RequestBudget } from './budget.ts';
export { createClient, type Client, type Logger } from './client.ts';
export { credentialOf, readCredentialFile, type Credential } from './credential.ts';
export { failureFromResponse, type RefusedCall } from './error-response.ts';
export { ApiError, type ApiErrorKind } from './errors.ts';
export { createOperationAvailability } from './operation-availability.ts';
export { organizationIn } from './organization.ts';
export type { RequestEnd, RequestObserver } from './request-observer.ts';
export { isWhole, maskReadingsInSteps, readingsOf, visibleReading } from './readings.ts';
export type { Trace } from './request.ts';
export {
  closedFault,
  explainedCodes,
  redirectFault,
  redirectLoop,
  stoppedFault,
  transportFaultOf,
} from './transport-fault.ts';
