/** Segments of text messages, which providers charge for. */
import { splitSms } from "../messages/sms/sms-parts.rules.ts";

/** Characters of the GSM 03.38 alphabet, and those of its extension, which take two places. */
const GSM_7 = new Set("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà");
const GSM_7_EXTENSION = new Set("^{}\\[~]|€\f");

export interface SmsSegments {
  segments: number;
  encoding: "gsm_7" | "ucs_2";
}

/** Returns the segments of a text message, of all its parts together, and its encoding: that of the part that needs the larger one. */
export function smsSegments(text: string): SmsSegments {
  const parts = splitSms(text).map(segmentsOfPart);
  return {
    segments: parts.reduce((sum, { segments }) => sum + segments, 0),
    encoding: parts.some(({ encoding }) => encoding === "ucs_2") ? "ucs_2" : "gsm_7",
  };
}

/** Returns the encoding of a part and its segments: 160 or 70 places in a single one, 153 or 67 in each of several. */
function segmentsOfPart(text: string): SmsSegments {
  const characters = Array.from(text);
  const isGsm = characters.every((character) => GSM_7.has(character) || GSM_7_EXTENSION.has(character));
  const places = isGsm ? characters.reduce((sum, character) => sum + (GSM_7_EXTENSION.has(character) ? 2 : 1), 0) : text.length;
  const [single, multiple] = isGsm ? [160, 153] : [70, 67];
  return { segments: places <= single ? 1 : Math.ceil(places / multiple), encoding: isGsm ? "gsm_7" : "ucs_2" };
}
