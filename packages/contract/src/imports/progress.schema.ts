import { z } from "zod";
import { Instant } from "../values.ts";

/** Progress of the job of a bundle or bulk import with these phases. */
export const progressOf = (phases: string) =>
  z
    .strictObject({
      phase: z.string().nullable().describe(`Current phase: ${phases}. Null when nothing is running.`),
      processed: z.int().min(0).describe("Number of steps completed in the current run."),
      total: z.int().min(0).describe("Number of steps of the current run, as far as they are known."),
      rowsPerSecond: z
        .number()
        .min(0)
        .nullable()
        .describe(
          "Average number of steps per second in the last seconds: rows read or written, or candidates matched or judged. Null during the first second and while nothing is running or the import waits for a service.",
        ),
      estimatedEndAt: Instant.nullable().describe("Estimated time at which `processed` reaches `total` at this speed. Null while `rowsPerSecond` is."),
    })
    .describe("Progress of the validation or of the writing.");
