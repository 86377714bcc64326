/** What other pages in a browser show results with: components, and what they can do. */

export { readingTools, type ReadingTool, type ViewActions, type ViewProps } from './actions.ts';
export { ComparisonView } from './components/comparison.tsx';
export { DeploymentView } from './components/deployment.tsx';
export { Frame } from './components/frame.tsx';
export { MeasurementsView } from './components/measurements.tsx';
export { OrganizationView } from './components/organization.tsx';
export type { JsonRecord, ProposedCall, ToolResult } from './mapping/result.ts';
