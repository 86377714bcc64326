/** A difference between two points of a service's life. */
export interface Change {
  readonly kind: 'commit' | 'image' | 'configuration' | 'variable' | 'sibling' | 'deployment';
  readonly text: string;
  readonly at?: string;
}
