/** The line of a plan that renames a project or an environment. Policies and webhooks name both by their names. */
export const namedByRules =
  'Rules of policies, filters of webhooks and paths that use the old name do not follow a new one.';
