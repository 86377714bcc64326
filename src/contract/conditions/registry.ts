import { ConditionShape, plainReason, reasonWith, words } from './reason.ts';

/** Why the registry of a cluster takes no images, as parts of a sentence. */
const causeReasons = {
  REGISTRY_NOT_SET_UP: plainReason('it is not set up yet'),
  REGISTRY_NODE_GONE: plainReason('the node that kept its images is no longer part of the cluster'),
  /** `state` is a word such as down or drained. */
  REGISTRY_NODE_AWAY: reasonWith(
    { node: words, state: words },
    ({ node, state }) => `the node ${node}, which keeps its images, is ${state}`,
  ),
  /** `said` is the engine's reason. */
  REGISTRY_NOT_RUNNING: reasonWith(
    { node: words, said: words },
    ({ node, said }) => `it does not run on the node ${node}: ${said}`,
  ),
  BUILDER_NODE_AWAY: reasonWith(
    { node: words, state: words },
    ({ node, state }) => `the node ${node}, whose engine builds, is ${state}: nothing forwards to the registry there`,
  ),
  /** `said` is the engine's reason. */
  REGISTRY_NOT_FORWARDED: reasonWith(
    { node: words, said: words },
    ({ node, said }) => `nothing forwards to it on the node ${node}: ${said}`,
  ),
  REGISTRY_BEING_CLEANED: plainReason('it is being cleaned, and takes no images for a moment'),
  /** `said` is the reason of the engine that asked it. */
  REGISTRY_SILENT: reasonWith({ said: words }, ({ said }) => said),
};

/** Conditions of the registry that the platform runs on a cluster. */
export const registryReasons = {
  ...causeReasons,
  REGISTRY_AWAITED: reasonWith(
    { cause: ConditionShape },
    ({ cause }) => `Waiting for the registry of the cluster: ${cause.message}`,
  ),
  REGISTRY_NOT_READY: reasonWith(
    { cause: ConditionShape },
    ({ cause }) =>
      `The registry of the cluster can't take images: ${cause.message}. What runs goes on. Deploy again when that is mended.`,
  ),
};
