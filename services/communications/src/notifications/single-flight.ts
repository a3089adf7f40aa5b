/** Creates a single-flight function: calls with the key of a call in progress share its result. Results are not cached. */
export function singleFlight<Result>(): (key: string, load: () => Promise<Result>) => Promise<Result> {
  const inFlight = new Map<string, Promise<Result>>();
  return (key, load) => {
    let result = inFlight.get(key);
    if (!result) inFlight.set(key, (result = load().finally(() => inFlight.delete(key))));
    return result;
  };
}
