/** Rules of billing schedules: order of the steps, and base rent without overlap. */
import type { FieldError } from "@freehold/contract/errors";
import { conflict, invalid } from "@freehold/kit/errors";

export interface Step {
  startDate: string;
  endDate: string | null;
}

const overlaps = (a: Step, b: Step): boolean => (a.endDate === null || b.startDate <= a.endDate) && (b.endDate === null || a.startDate <= b.endDate);

/** Throws 400 that names each step, by its path in the request body, that ends before it starts or overlaps the step before it. */
export function requireValidSteps(steps: readonly Step[]): void {
  const sortedSteps = [...steps.entries()].toSorted(([, a], [, b]) => (a.startDate < b.startDate ? -1 : 1));
  const errors = sortedSteps.flatMap(([index, step], position): FieldError[] => {
    const path = `steps.${index}`;
    if (step.endDate !== null && step.endDate < step.startDate)
      return [
        { path: `${path}.endDate`, code: "before_start", message: `${path}.endDate cannot be before ${step.startDate}, the day on which the step starts.` },
      ];
    const previousStep = sortedSteps[position - 1]?.[1];
    if (!previousStep || !overlaps(previousStep, step)) return [];
    const previousEnd = previousStep.endDate === null ? "has no end; only the last step can have none" : `ends on ${previousStep.endDate}`;
    return [
      {
        path: `${path}.startDate`,
        code: "overlap",
        message: `${path} starts on ${step.startDate}, and the step before it ${previousEnd}. Steps cannot overlap.`,
      },
    ];
  });
  if (errors.length > 0) throw invalid(errors);
}

interface Schedule {
  label: string;
  steps: readonly Step[];
}

/**
 * Throws 409 when another schedule of the lease has base rent on the same days, which would leave the rent ambiguous. The
 * error names the steps when they are in the request, otherwise its chargeType.
 */
export function requireSingleBaseRent(
  steps: readonly Step[],
  otherSchedules: readonly Schedule[],
  { areStepsInRequest }: { areStepsInRequest: boolean },
): void {
  const errors = steps.flatMap((step, index): FieldError[] => {
    const overlappingSchedule = otherSchedules.find((schedule) => schedule.steps.some((otherStep) => overlaps(step, otherStep)));
    const message = `The base rent from ${step.startDate} on overlaps that of the schedule "${overlappingSchedule?.label}". Change that schedule, or choose other days.`;
    return overlappingSchedule ? [{ path: areStepsInRequest ? `steps.${index}.startDate` : "chargeType", code: "overlap", message }] : [];
  });
  if (errors.length > 0) throw conflict(errors[0]!.message, "duplicate", errors);
}
