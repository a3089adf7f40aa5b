/** Statuses and texts of blasts. */
import type { BlastVersion } from "@freehold/contract/communications/blasts";
import type { FieldError } from "@freehold/contract/errors";
import { invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";

export const blastStates = stateMachine("blast", {
  draft: ["scheduled", "queued"],
  scheduled: ["draft", "queued"],
  queued: ["sending"],
  sending: ["completed", "failed"],
  completed: ["sending"],
  failed: ["sending"],
});

/** Language of the title and body of a blast. */
export const ORIGINAL_LANGUAGE = "en";

/** Returns the language of a language tag without the region, in lower case: `es` for `es-MX`. */
export const languageOf = (tag: string): string => tag.trim().toLowerCase().split(/[-_]/)[0] || ORIGINAL_LANGUAGE;

/** Text of a blast in one language. */
export type BlastText = Pick<BlastVersion, "title" | "body">;

/** Returns the text of a blast for a language: that of its version, else the original. */
export function textFor({ title, body, versions }: BlastText & { versions: readonly BlastVersion[] }, language: string): BlastText {
  return versions.find((version) => languageOf(version.language) === language) ?? { title, body };
}

/** Returns the text message of a blast. */
export const smsOf = ({ title, body }: BlastText): string => `${title}\n${body}`;

/** Throws 400 for a language with two versions. */
export function requireDistinctLanguages(versions: readonly { language: string }[]): void {
  const languages = versions.map(({ language }) => languageOf(language));
  const repeated = languages.flatMap((language, index): FieldError[] => {
    if (languages.indexOf(language) === index) return [];
    return [{ path: `versions.${index}.language`, code: "unique", message: "There is another version in this language. Send each language once." }];
  });
  if (repeated.length > 0) throw invalid(repeated);
}
