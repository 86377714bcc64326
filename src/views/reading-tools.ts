/** The tools that views call by themselves. None of them changes anything. */
export const readingTools = [
  'get_organization_overview',
  'get_environment_overview',
  'diagnose_deployment',
  'search_logs',
  'compare_environments',
  'get_service',
  'list_services',
] as const;
export type ReadingTool = (typeof readingTools)[number];
