/** Versions of a blast by language, given by the office or translated. */
import type { BlastVersion } from "@freehold/contract/communications/blasts";
import type { Blast as BlastView } from "@freehold/contract/communications/blasts";
import { languageOf, ORIGINAL_LANGUAGE, type BlastText } from "./blast.rules.ts";
import { requireTranslator, type Translate } from "./translator.ts";

/**
 * Returns the given versions and, with `autoTranslate`, a translation for each language of the recipients that has none. Throws 503 without a
 * translation service, also when nothing is to be translated, and 502 when it fails.
 */
export async function completeVersions(
  translate: Translate | undefined,
  { original, versions, autoTranslate }: { original: BlastText; versions: readonly BlastVersion[]; autoTranslate: boolean },
  languages: readonly string[],
): Promise<BlastVersion[]> {
  const given = versions.filter(({ aiTranslated }) => !aiTranslated);
  if (!autoTranslate) return given;
  const translator = requireTranslator(translate);
  const known = new Set([ORIGINAL_LANGUAGE, ...given.map(({ language }) => languageOf(language))]);
  const missing = languages.filter((language) => !known.has(language));
  const translated = await Promise.all(missing.map(async (language) => ({ language, ...(await translator(original, language)), aiTranslated: true })));
  return [...given, ...translated];
}

/**
 * Returns the versions of a blast that is about to be sent, with a translation for each language that its recipients have got since it was requested.
 * A blast is sent at its time also when the translation fails: `error` then names the languages whose recipients get the original.
 */
export async function translateForAudience(
  translate: Translate | undefined,
  { title, body, versions, autoTranslate }: Pick<BlastView, "title" | "body" | "versions" | "autoTranslate">,
  languages: readonly string[],
): Promise<{ versions?: BlastVersion[]; error?: string }> {
  const known = [ORIGINAL_LANGUAGE, ...versions.map(({ language }) => languageOf(language))];
  const missing = languages.filter((language) => !known.includes(language));
  if (!autoTranslate || missing.length === 0) return {};
  try {
    const added = await completeVersions(translate, { original: { title, body }, versions: [], autoTranslate }, missing);
    return { versions: [...versions, ...added] };
  } catch {
    return { error: `The translation failed. Recipients with these languages got the original: ${missing.join(", ")}.` };
  }
}
