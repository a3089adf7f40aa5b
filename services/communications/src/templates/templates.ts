/** All that we write to people, by name. */
import { emailConfirmation } from "./email-confirmation.ts";
import { invite } from "./invite.ts";
import { passwordReset } from "./password-reset.ts";
import { workOrderAssigned } from "./work-order-assigned.ts";
import { oneLine, webAddress, type Content, type Template } from "./template.ts";

const templates: ReadonlyMap<string, Template> = new Map([
  ["invite", invite],
  ["password-reset", passwordReset],
  ["email-confirmation", emailConfirmation],
  ["work-order-assigned", workOrderAssigned],
]);

/** The content of a message, or why there is none. Fields lose what could break out of their line; a link must be a web address. */
export function write(name: string, fields: Readonly<Record<string, string>>): Content | { refused: string } {
  const template = templates.get(name);
  if (!template) return { refused: "unknown_template" };
  const clean = Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, isLink(field) ? (webAddress(value) ?? "") : oneLine(value)]));
  const missing = template.needs.find((field) => !clean[field]);
  return missing ? { refused: `missing_${missing}` } : template.write(clean);
}

const isLink = (field: string): boolean => field === "link" || field.endsWith("Link");
