/**
 * Idle time of a connection that clients are told, and for how much longer the server keeps it: a client that reuses a connection at the
 * last moment must not meet one that the server has just closed.
 */
export const keepAlive = { keepAliveTimeout: 65_000, keepAliveTimeoutBuffer: 10_000 };
