/** Checks of the sender of an e-mail by the mail server that received it: SPF, DKIM and DMARC. */

type Check = "spf" | "dkim" | "dmarc";

/** Results by check, in the words of the mail server; several DKIM signatures have several results. */
export type SenderChecks = Partial<Record<Check, readonly string[]>>;

const isPass = (result: string): boolean => /^pass$/i.test(result);
const isFail = (result: string): boolean => /^(soft)?fail$/i.test(result);

/**
 * Tells whether the checks refute the sender: DMARC has failed or, without a result of DMARC, SPF or DKIM has failed and the other one has not
 * passed. A check that is missing or has no result refutes nothing.
 */
export function isSenderRefuted({ spf = [], dkim = [], dmarc = [] }: SenderChecks): boolean {
  if (dmarc.some(isFail)) return true;
  if (dmarc.some(isPass)) return false;
  return [...spf, ...dkim].some(isFail) && ![...spf, ...dkim].some(isPass);
}

const MAX_HEADER_LENGTH = 8_192;
const quoted = /"(?:[^"\\]|\\.)*"|\([^()]*\)/g;

/** Removes quoted texts, and comments from the inside out. */
function withoutTexts(header: string): string {
  const shortened = header.replaceAll(quoted, " ");
  return shortened === header ? header : withoutTexts(shortened);
}

/**
 * Returns the results in the `Authentication-Results` headers (RFC 8601) that name the given server as their author. Others are ignored, since any
 * sender can write such headers. Quoted texts and comments contain what the sender chooses, and are removed.
 */
export function readAuthenticationResults(headers: readonly string[], server: string): SenderChecks {
  const results: Record<Check, string[]> = { spf: [], dkim: [], dmarc: [] };
  for (const header of headers) {
    const [author = "", ...entries] = withoutTexts(header.slice(0, MAX_HEADER_LENGTH)).split(";");
    if (author.trim().split(/\s+/)[0]?.toLowerCase() !== server.toLowerCase()) continue;
    for (const entry of entries) {
      const [, check, result] = /^\s*(spf|dkim|dmarc)\s*=\s*([a-z]+)/i.exec(entry) ?? [];
      if (check !== undefined && result !== undefined) results[check.toLowerCase() as Check].push(result);
    }
  }
  return results;
}
