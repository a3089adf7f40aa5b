/** HTTP client of the translation service, which has the API of LibreTranslate. */
import { ApiError, notConfigured } from "@freehold/kit/errors";
import { truncate } from "@freehold/kit/truncate";
import type { BlastText } from "./blast.rules.ts";
import { ORIGINAL_LANGUAGE } from "./blast.rules.ts";

/** Translates a text into a language. Throws 502 when the service fails. */
export type Translate = (text: BlastText, language: string) => Promise<BlastText>;

const TIMEOUT_MS = 20_000;
const RETRY_AFTER_SECONDS = "5";
const [MAX_TITLE, MAX_BODY] = [160, 8_000];

/** Creates the client; undefined without the settings. */
export function createTranslator({ url, key }: { url: string | undefined; key: string | undefined }, timeoutMs = TIMEOUT_MS): Translate | undefined {
  if (!url) return undefined;
  const endpoint = `${url.replace(/\/$/, "")}/translate`;
  return async ({ title, body }, language) => {
    const request = { q: [title, body], source: ORIGINAL_LANGUAGE, target: language, format: "text", ...(key && { api_key: key }) };
    try {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(request),
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
      const { translatedText } = (await response.json()) as { translatedText?: unknown };
      const [newTitle, newBody] = Array.isArray(translatedText) ? (translatedText as unknown[]) : [];
      if (!response.ok || typeof newTitle !== "string" || typeof newBody !== "string" || !newTitle.trim() || !newBody.trim())
        throw new Error(`The translation service responded with ${response.status}.`);
      return { title: truncate(newTitle.trim(), MAX_TITLE), body: truncate(newBody.trim(), MAX_BODY) };
    } catch (error) {
      throw new ApiError(502, "The translation service failed.", { code: "provider_failed", headers: { "Retry-After": RETRY_AFTER_SECONDS }, cause: error });
    }
  };
}

/** Returns the translator, or throws 503 `not_configured` without one. */
export function requireTranslator(translate: Translate | undefined): Translate {
  if (translate) return translate;
  throw notConfigured("Translation is not configured. Ask the operator to set TRANSLATION_URL and TRANSLATION_KEY.");
}
