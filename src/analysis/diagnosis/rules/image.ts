import { sign } from '../condition-sign.ts';
import { prefixedValue, quote } from '../evidence.ts';
import { showConfiguration, showHistory } from '../inspections.ts';
import { deployAgain, deployLastGoodCommit, useLastGoodTag, useOtherRegistry } from '../fixes.ts';
import type { DeploymentSituation, Facts } from '../situation.ts';
import { buildSteps, runSteps, type CauseRule, type Sign } from './rule.ts';

const steps = [...runSteps, ...buildSteps, 'MIRROR_IMAGE'] as const;

const imageOf = (facts: Facts, { deployment, configuration }: DeploymentSituation): string => {
  const configured = configuration.image && [configuration.image, configuration.tag].filter(Boolean).join(':');
  const image = facts['image'] ?? deployment?.image ?? configured;
  return image ? `image ${quote(image)}` : 'image';
};

// A cluster's messages for any image that it can't pull.
const pullFailure: Sign = { pattern: /\b(?:ImagePullBackOff|ErrImagePull)\b/, indirect: true };
const pullBackOff: Sign = { pattern: /Back-off pulling image "(?<image>[^"\s]+)"/, indirect: true };

/** Causes of failed image pulls. */
export const imageRules: readonly CauseRule[] = [
  {
    code: 'image_tag_not_found',
    layer: 'cause',
    steps,
    signs: [
      { pattern: /manifest for (?<image>[\w./:@-]+) not found/ },
      { pattern: /failed to resolve (?:image|reference) "(?<image>[^"\s]+)".*: not found/ },
      { pattern: /failed to resolve source metadata for (?<image>[\w./:@-]+): .*: not found/ },
      { pattern: /reading manifest (?<tag>[\w.-]+) in (?<image>[\w./:-]+): manifest unknown/ },
      { pattern: /(?:^|[\s:])manifest unknown(?:[:\s]|$)/ },
      { pattern: /\bMANIFEST_UNKNOWN\b/ },
      { pattern: /The image with imageId \{.*imageTag:\s?'(?<tag>[^']+)'.*\} does not exist within the repository/ },
      { pattern: /no such manifest: (?<image>[\w./:@-]+)/ },
      pullFailure,
      pullBackOff,
    ],
    conditions: [sign('IMAGE_NOT_FOUND', ({ image }) => ({ image }))],
    sentence: (facts, situation) =>
      `The ${imageOf(facts, situation)} doesn't exist in its registry${prefixedValue(' ', situation.configuration.registry)}${facts['tag'] ? ` (tag ${quote(facts['tag'])})` : ''}: the name or the tag is wrong, or it was never pushed.`,
    remedies: [[useLastGoodTag, deployAgain], deployLastGoodCommit, showConfiguration, showHistory],
  },
  {
    code: 'image_pull_denied',
    layer: 'cause',
    suspectsSettings: true,
    steps,
    signs: [
      { pattern: /pull access denied(?: for (?<image>[\w./:@-]+))?/ },
      {
        pattern:
          /failed to resolve (?:image|reference) "(?<image>[^"\s]+)".*(?:failed to authorize|401 Unauthorized|403 Forbidden|authorization failed)/,
      },
      { pattern: /failed to fetch (?:anonymous|oauth) token.*(?:401|403)/ },
      { pattern: /no basic auth credentials/ },
      {
        pattern:
          /unauthorized: (?:authentication required|incorrect username or password|access token has insufficient scopes)/,
      },
      {
        pattern:
          /denied: (?:requested access to the resource is denied|Your authorization token has expired|permission_denied|denied)/,
      },
      pullFailure,
      pullBackOff,
    ],
    conditions: [sign('PULL_DENIED', ({ image }) => ({ image }))],
    sentence: (facts, situation) =>
      `The registry${prefixedValue(' ', situation.configuration.registry)} refuses to give out the ${imageOf(facts, situation)}: its credentials are missing, wrong or expired, or the repository doesn't exist.`,
    remedies: [[useLastGoodTag, deployAgain], [useOtherRegistry, deployAgain], showConfiguration, deployAgain],
  },
  {
    code: 'registry_rate_limit',
    layer: 'cause',
    steps,
    supersedes: ['image_pull_denied', 'image_tag_not_found'],
    signs: [
      { pattern: /toomanyrequests: / },
      { pattern: /You have reached your (?:unauthenticated )?pull rate limit/ },
      { pattern: /(?:registry|docker|manifests|pull).*429 Too Many Requests/ },
    ],
    sentence: (facts, situation) =>
      `The registry limits how often images are pulled, and the limit is reached: the ${imageOf(facts, situation)} can be pulled again later, or with credentials.`,
    remedies: [deployAgain, showConfiguration],
  },
];
