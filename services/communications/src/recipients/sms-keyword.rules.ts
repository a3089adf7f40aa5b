/** Keywords by which recipients stop and restart text messages. */

const STOP_WORDS = ["STOP", "STOPALL", "END", "CANCEL", "UNSUBSCRIBE", "QUIT", "REVOKE", "OPTOUT"];
const START_WORDS = ["START", "UNSTOP"];

/** Returns the keyword that a text message consists of, in any case and with any punctuation, or undefined for another text. */
export function smsKeyword(body: string): { word: string; effect: "stop" | "start" } | undefined {
  const word = body.toUpperCase().replaceAll(/[^A-Z]/g, "");
  if (STOP_WORDS.includes(word)) return { word, effect: "stop" };
  return START_WORDS.includes(word) ? { word, effect: "start" } : undefined;
}
