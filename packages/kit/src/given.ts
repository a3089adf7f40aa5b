type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The members of a request that were sent: what was left out leaves a row as it is, or to its default. */
export const given = <T extends object>(terms: T): Given<T> => Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined)) as Given<T>;
