/** Returns a function that returns the rows of a property. */
export function byProperty<T extends { propertyId: string }>(rows: readonly T[]): (propertyId: string) => readonly T[] {
  const groups = Map.groupBy(rows, ({ propertyId }) => propertyId);
  return (propertyId) => groups.get(propertyId) ?? [];
}
