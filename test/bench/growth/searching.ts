/** What people type into the search of a large organization, each as often as the others. */
import type { Sample } from "./samples.ts";

/** Names whole and begun, two words at once, a phone number, an amount, an address, one letter too many, and what is not there. */
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

/** So many queries of every form. */
export const queries = (samples: readonly Sample[], ofEach: number): string[] =>
  Array.from({ length: ofEach }, (_, index) => forms.map((form) => form(samples[index % samples.length]!, index))).flat();
