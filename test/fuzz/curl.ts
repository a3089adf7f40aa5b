/** Formats a request as a curl command. Tokens are replaced by variables. */
import { bytesOf, headersOf, targetOf, type FuzzRequest } from "./request.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Quotes text, or writes bytes as shell escapes. */
const quotedBytes = (bytes: string | Buffer): string =>
  typeof bytes === "string" ? quoted(bytes) : `$'${[...bytes].map((byte) => String.raw`\x${byte.toString(16).padStart(2, "0")}`).join("")}'`;

/** Returns a curl command for a request. `$TOKEN` is an admin's access token, `$STAFF_TOKEN` a staff user's, and so on. */
export function curlLine(baseUrl: string, sent: FuzzRequest): string {
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
