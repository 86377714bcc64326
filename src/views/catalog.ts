/** A view: a page that a host shows with the results of some tools. */
interface View {
  readonly title: string;
  readonly description: string;
  /** The tools whose results it shows. A host shows one view for a tool. */
  readonly tools: readonly string[];
}

const catalog = {
  organization: {
    title: 'State of everything',
    description: 'Projects, environments and services with their states, worst first, locks and alerts.',
    tools: ['get_organization_overview', 'get_environment_overview'],
  },
  deployment: {
    title: 'A deployment',
    description: 'How a deployment went step by step, why it failed, what to do next, and its log.',
    tools: ['diagnose_deployment', 'wait_for_deployment', 'deploy_service', 'rollback_application'],
  },
  comparison: {
    title: 'A difference',
    description: 'What differs between two environments, what a change would do as its dry run says, and what it did.',
    tools: ['compare_environments', 'update_application', 'update_container', 'set_environment_variables'],
  },
  measurements: {
    title: 'Measurements',
    description: 'CPU, memory and requests of services, as small charts.',
    tools: ['get_service', 'list_services'],
  },
} as const satisfies Readonly<Record<string, View>>;

export type ViewName = keyof typeof catalog;

/** Every view by its name. */
export const views: Readonly<Record<ViewName, View>> = catalog;

export const viewNames = Object.keys(catalog) as readonly ViewName[];

/** The extension by which hosts declare that they show views (MCP Apps, stable revision 2026-01-26). */
export const viewExtension = 'io.modelcontextprotocol/ui';

/** The MIME type of views, which hosts have to declare. */
export const viewMimeType = 'text/html;profile=mcp-app';

const uriStart = 'ui://infra-mcp/';

/** The URI of a view. */
export const viewUri = (name: ViewName): string => `${uriStart}${name}`;

/** The view at a URI; undefined if there is none. */
export const viewAt = (uri: string): ViewName | undefined => viewNames.find((name) => viewUri(name) === uri);

/** The view that shows the results of a tool; undefined if none does. */
export const viewOfTool = (tool: string): ViewName | undefined =>
  viewNames.find((name) => views[name].tools.includes(tool));

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a client with these capabilities shows views. */
export function showsViews(capabilities: unknown): boolean {
  const extensions = isRecord(capabilities) ? capabilities['extensions'] : undefined;
  const settings = isRecord(extensions) ? extensions[viewExtension] : undefined;
  const types = isRecord(settings) ? settings['mimeTypes'] : undefined;
  return Array.isArray(types) && types.includes(viewMimeType);
}

/** What a host is told of a view beside its content: it reaches no address, and the host may draw a border around it. */
export const viewMeta = { ui: { csp: {}, prefersBorder: true } } as const;
