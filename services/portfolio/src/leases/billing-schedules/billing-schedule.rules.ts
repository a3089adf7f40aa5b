/** What steps make a schedule, and which schedules a lease can have beside each other. */
import type { FieldError } from "@freehold/contract/errors";
import { conflict, invalid } from "@freehold/kit/errors";

export interface Step {
  startDate: string;
  endDate: string | null;
}

const overlap = (a: Step, b: Step): boolean => (a.endDate === null || b.startDate <= a.endDate) && (b.endDate === null || a.startDate <= b.endDate);

/** Refuses steps that end before they start or share a day, naming each by where the body has it. */
export function refuseImpossibleSteps(steps: readonly Step[]): void {
  const inOrder = [...steps.entries()].toSorted(([, a], [, b]) => (a.startDate < b.startDate ? -1 : 1));
  const wrong = inOrder.flatMap(([index, step], place): FieldError[] => {
    const path = `steps.${index}`;
    if (step.endDate !== null && step.endDate < step.startDate)
      return [
        { path: `${path}.endDate`, code: "before_start", message: `${path}.endDate cannot be before ${step.startDate}, the day on which the step starts.` },
      ];
    const before = inOrder[place - 1]?.[1];
    if (!before || !overlap(before, step)) return [];
    const until = before.endDate === null ? "has no end; only the last one can be without" : `ends on ${before.endDate}`;
    return [
      { path: `${path}.startDate`, code: "overlap", message: `${path} starts on ${step.startDate}, and the step before it ${until}. Steps share no day.` },
    ];
  });
  if (wrong.length > 0) throw invalid(wrong);
}

interface Schedule {
  label: string;
  steps: readonly Step[];
}

/** Refuses base rent on days for which another schedule of the lease has one: it would not be clear which counts. Steps that were not sent are not named. */
export function refuseSecondBaseRent(steps: readonly Step[], others: readonly Schedule[], areSent: boolean): void {
  const errors = steps.flatMap((step, index): FieldError[] => {
    const other = others.find((each) => each.steps.some((theirs) => overlap(step, theirs)));
    const message = `The lease has base rent from ${step.startDate} on already, by the schedule "${other?.label}". Change that one, or choose other days.`;
    return other ? [{ path: areSent ? `steps.${index}.startDate` : "chargeType", code: "overlap", message }] : [];
  });
  if (errors.length > 0) throw conflict(errors[0]!.message, "duplicate", errors);
}
