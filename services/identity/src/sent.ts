type Sent<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members of a PATCH that were sent; null is a value, absence is none. */
export const sent = <T extends object>(changes: T): Sent<T> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Sent<T>;
