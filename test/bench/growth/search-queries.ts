/** Search queries of a large organization, with equal shares of each form. */
import type { Sample } from "./samples.ts";

/** Whole and partial names, two words, misspelled names, phone numbers, amounts, addresses and common words. */
const forms: ((sample: Sample, index: number) => string)[] = [
  ({ fullName }) => fullName,
  ({ fullName }) => fullName.slice(0, 10),
  ({ fullName }) => `${fullName.split(" ")[1]!.slice(0, 4)} elm`,
  ({ fullName }) => fullName.split(" ")[1]!.toUpperCase(),
  ({ fullName }) => `${fullName.split(" ")[1]!.slice(0, 6)}xx`,
  (_, index) => `518${String(index * 37 + 1).padStart(7, "0")}`,
  (_, index) => `$${(1_000 + (index % 900)).toLocaleString("en-US")}`,
  (_, index) => `${index + 1} Elm Street`,
  (_, index) => `House ${index + 1}`,
  () => "ten",
];

/** Returns the given number of queries per form. */
export const searchQueries = (samples: readonly Sample[], countPerForm: number): string[] =>
  Array.from({ length: countPerForm }, (_, index) => forms.map((form) => form(samples[index % samples.length]!, index))).flat();
