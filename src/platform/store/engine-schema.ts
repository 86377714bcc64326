/** Tables of the deployment engine. */
export interface EngineTables {}
