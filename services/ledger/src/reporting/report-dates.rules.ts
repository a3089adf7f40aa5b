/** Rules of the dates of a report. */
import { invalid } from "@freehold/kit/errors";

/** Throws a 400 for a report that starts after its last date, which may be the default of the request. */
export function requireStartByEnd(from: string | undefined, lastDate: string): void {
  if (from === undefined || from <= lastDate) return;
  throw invalid([{ path: "from", code: "before_start", message: `from cannot be after ${lastDate}, the last date of the report.` }]);
}
