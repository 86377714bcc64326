/** What may differ on another platform, each by the number it bears in the list of differences. */
export const DIFFERENCES = {
  environmentLogRows: 1,
  logsOfTwoKinds: 2,
  noTail: 3,
  noTerraformStatus: 4,
  noPages: 5,
  historiesWithoutPage: 6,
  flatHistoryDetails: 7,
  environmentHistoryStages: 8,
  ghostAlertRules: 9,
  severalOrganizations: 10,
  unknownServiceTypes: 11,
  absentStatusMembers: 12,
  nullProbes: 13,
  ownedByAnyone: 14,
  lockPath: 15,
  unlikeMembers: 16,
  freeWebhookRecords: 17,
  namedDomainFlag: 18,
  clusterMember: 19,
  applicationMembers: 20,
  webhookMembers: 21,
  noNullInRequests: 22,
  unknownMembers: 23,
  versionToDeploy: 24,
  statusOfActions: 25,
  environmentDeployStatus: 26,
  answerCodes: 27,
  cancelBody: 28,
  vendorConfig: 29,
  conflicts: 30,
  otherErrors: 31,
  memberDeleteBody: 32,
  unreadableSecrets: 33,
  words: 34,
  oneAtATime: 35,
  strictBodies: 36,
} as const;

export type DifferenceName = keyof typeof DIFFERENCES;

export type Choice = Partial<Record<DifferenceName, boolean>> | 'all' | 'none';

/** Tells whether a difference is switched on. */
export type IsOn = (name: DifferenceName) => boolean;

/** Reads the choice of a test: a difference that it doesn't name is off. */
export function chosen(choice: Choice = 'none'): IsOn {
  if (choice === 'all') return () => true;
  if (choice === 'none') return () => false;
  const unknown = Object.keys(choice).filter((name) => !(name in DIFFERENCES));
  if (unknown.length > 0) throw new Error(`There is no difference named ${unknown.join(', ')}`);
  return (name) => choice[name] === true;
}

/** The name this platform goes by in the words that bear one. */
export const OWN_NAME = 'fjord';

/** Words of the platform where they depend on a difference. */
export function wordsOf(on: IsOn) {
  const words = on('words');
  return {
    internalOrigin: words ? `${OWN_NAME.toUpperCase()}_INTERNAL` : 'SERVICE_INTERNAL',
    modes: words ? ['DEVELOPMENT', 'STAGING', 'PRODUCTION', 'PREVIEW'] : ['DEVELOPMENT', 'STAGING', 'PRODUCTION'],
    events: words
      ? ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCESSFUL', 'DEPLOYMENT_FAILURE', 'DEPLOYMENT_CANCELLED']
      : ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED', 'DEPLOYMENT_FAILED'],
    clusterTarget: words ? ' CLUSTER' : 'CLUSTER',
    domainFlag: on('namedDomainFlag') ? `is_${OWN_NAME}_domain` : 'is_platform_domain',
    synced: on('unknownServiceTypes') ? 'SYNCED_APP' : 'GITOPS_APP',
    syncedList: on('unknownServiceTypes') ? 'synced_apps' : 'gitops_apps',
    vendor: on('vendorConfig') ? OWN_NAME : 'vendor',
  };
}
