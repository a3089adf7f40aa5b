/** A request as one line that anybody can paste. Tokens are named, never shown. */
import { bytesOf, headersOf, targetOf, type Sent } from "./request.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Bytes that are no text are written as the shell's escapes. */
const quotedBytes = (bytes: string | Buffer): string =>
  typeof bytes === "string" ? quoted(bytes) : `$'${[...bytes].map((byte) => String.raw`\x${byte.toString(16).padStart(2, "0")}`).join("")}'`;

/** One line that sends the same request; `$TOKEN` is an admin's access token, `$STAFF_TOKEN` a staff member's, and so on. */
export function curlLine(baseUrl: string, sent: Sent): string {
  const { role } = sent;
  const variable = role === undefined ? undefined : role === "admin" ? "$TOKEN" : `$${role.toUpperCase()}_TOKEN`;
  const named = variable === undefined ? sent : { ...sent, token: variable };
  const bytes = bytesOf(sent);
  const shown = (text: string) => (variable && text.includes(variable) ? quoted(text).replace(variable, `'"${variable}"'`) : quoted(text));
  return [
    targetOf(sent).includes("..") ? "curl -sgi --path-as-is" : "curl -sgi",
    ...(sent.method === (bytes === undefined ? "GET" : "POST") ? [] : [`-X ${sent.method}`]),
    shown(`${baseUrl}${targetOf(named)}`),
    ...Object.entries(headersOf(named)).map(([name, value]) => `-H ${value === "" ? quoted(`${name};`) : shown(`${name}: ${value}`)}`),
    ...(bytes === undefined ? [] : [`--data-binary ${quotedBytes(bytes)}`]),
  ].join(" ");
}
