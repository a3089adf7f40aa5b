/** Runs work with the wall clock of this process shifted, while the database keeps the right time. */
export async function withShiftedClock<T>(shiftMs: number, work: () => Promise<T>): Promise<T> {
  const RealDate = Date;
  const shiftedNow = () => RealDate.now() + shiftMs;
  globalThis.Date = class extends RealDate {
    constructor(...values: [] | [string | number | Date]) {
      super(values.length > 0 ? values[0]! : shiftedNow());
    }
    static override now = shiftedNow;
  } as DateConstructor;
  try {
    return await work();
  } finally {
    globalThis.Date = RealDate;
  }
}
