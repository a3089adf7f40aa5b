/** Formats a request as a curl command. Tokens are replaced by variables. */
import { bytesOf, headersOf, targetOf, type FuzzRequest } from "./request.ts";

const quoteText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Quotes text for a shell, or writes bytes as shell escapes. */
const quoteBytes = (bytes: string | Buffer): string =>
  typeof bytes === "string" ? quoteText(bytes) : `$'${[...bytes].map((byte) => String.raw`\x${byte.toString(16).padStart(2, "0")}`).join("")}'`;

/** Returns a curl command for a request. `$TOKEN` is an admin's access token, `$STAFF_TOKEN` a staff user's, and so on. */
export function curlLine(baseUrl: string, request: FuzzRequest): string {
  const { role } = request;
  const variable = role === undefined ? undefined : role === "admin" ? "$TOKEN" : `$${role.toUpperCase()}_TOKEN`;
  const withVariable = variable === undefined ? request : { ...request, token: variable };
  const bytes = bytesOf(request);
  const quoteWithVariable = (text: string) => (variable && text.includes(variable) ? quoteText(text).replace(variable, `'"${variable}"'`) : quoteText(text));
  return [
    targetOf(request).includes("..") ? "curl -sgi --path-as-is" : "curl -sgi",
    ...(request.method === (bytes === undefined ? "GET" : "POST") ? [] : [`-X ${request.method}`]),
    quoteWithVariable(`${baseUrl}${targetOf(withVariable)}`),
    ...Object.entries(headersOf(withVariable)).map(([name, value]) => `-H ${value === "" ? quoteText(`${name};`) : quoteWithVariable(`${name}: ${value}`)}`),
    ...(bytes === undefined ? [] : [`--data-binary ${quoteBytes(bytes)}`]),
  ].join(" ");
}
