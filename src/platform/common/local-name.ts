/** Whether a name leads to the machine that asks for it. Nobody issues certificates for such names. */
export const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');
