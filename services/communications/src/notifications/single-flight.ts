/**
 * Equal questions that are asked while the first one is under way share its answer. Nothing is kept beyond that: events
 * come in bursts, and the next burst asks anew.
 */
export function singleFlight<A>(): (key: string, ask: () => Promise<A>) => Promise<A> {
  const underWay = new Map<string, Promise<A>>();
  return (key, ask) => {
    let answer = underWay.get(key);
    if (!answer) underWay.set(key, (answer = ask().finally(() => underWay.delete(key))));
    return answer;
  };
}
