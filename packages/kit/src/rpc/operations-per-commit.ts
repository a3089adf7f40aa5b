/**
 * Number of operations that a service executes in one commit, one after the other. A caller whose operations depend on the order of their execution
 * sends no more than these at once.
 */
export const OPERATIONS_PER_COMMIT = 200;
