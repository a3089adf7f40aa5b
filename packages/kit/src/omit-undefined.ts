type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Returns a copy without undefined members, so that an omitted member of a request leaves the row's value or its default. */
export const omitUndefined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
