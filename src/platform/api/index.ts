/** The platform's HTTP API. */

export { createTokenAuthenticator } from './auth.ts';
export { createGate, type Gate, createRateLimiter, type RateLimiter } from './gate.ts';
export { builtInVariables } from './handlers/variable-answers.ts';
export { handlers } from './handlers/handlers.ts';
export { addJsonBodyParser } from './request-parsing.ts';
export { answerProblem, createServer } from './server.ts';
export {
  acceptToken,
  addToken,
  createToken,
  hasLiveToken,
  listTokens,
  revokeToken,
  type TokenRecord,
  type TokenRequest,
} from './tokens.ts';
export { withRecordedChange } from './events/record-event.ts';
export { requirePromql } from './handlers/field-validation.ts';
