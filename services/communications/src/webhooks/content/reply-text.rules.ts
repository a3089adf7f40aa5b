/** The own text of an answer by e-mail, without what it quotes and without the signature. */

/** First lines of quotes and signatures, as common e-mail programs write them. */
const ENDS = [
  /^-- ?$/,
  /^\s*-{2,}\s*(original message|forwarded message|ursprüngliche nachricht|mensaje original|message d'origine)\s*-{2,}\s*$/i,
  /^_{20,}\s*$/,
  /^\s*(on|am|le|el)\b.{4,200}\b(wrote|schrieb|a écrit|escribió)(?!\p{L}).{0,100}:\s*$/iu,
];
const HEADER_LINE = /^\s*\*?(from|von|de)\s*:\*?\s.+/i;
const NEXT_HEADER_LINE = /^\s*\*?(sent|date|gesendet|datum|envoyé|enviado|to|an|à|para)\s*:\*?\s/i;
const MAX_LINES = 5_000;

/**
 * Returns the text before the first quote or signature, without quoted lines at its end. Where nothing of its own would be left, or the
 * text has an unusual number of lines, returns it as it is.
 */
export function replyText(text: string): { text: string; isCut: boolean } {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.length > MAX_LINES) return { text, isCut: false };
  const end = lines.findIndex((line, index) => startsQuote(line, lines[index + 1] ?? ""));
  const own = end < 0 ? lines : lines.slice(0, end);
  while (own.length > 0 && /^\s*(>.*)?$/.test(own.at(-1)!)) own.pop();
  const kept = own.join("\n").trim();
  const isCut = kept !== "" && kept !== text.replaceAll("\r\n", "\n").trim();
  return isCut ? { text: kept, isCut } : { text, isCut: false };
}

/** Tells whether a quote or a signature begins with a line. The introduction of a quote may be broken into two lines. */
function startsQuote(line: string, next: string): boolean {
  if (ENDS.some((end) => end.test(line))) return true;
  if (/^\s*(on|am|le|el)\b/i.test(line) && line.length + next.length < 220 && ENDS[3]!.test(`${line} ${next}`)) return true;
  return HEADER_LINE.test(line) && NEXT_HEADER_LINE.test(next);
}
