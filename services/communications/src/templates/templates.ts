/** All that we write to people, by name. */
import { emailConfirmation } from "./email-confirmation.ts";
import { invite } from "./invite.ts";
import { passwordReset } from "./password-reset.ts";
import { workOrderAssigned } from "./work-order-assigned.ts";
import { toSingleLine, parseWebUrl, type RenderedMessage, type Template } from "./template.ts";

const templates: ReadonlyMap<string, Template> = new Map([
  ["invite", invite],
  ["password-reset", passwordReset],
  ["email-confirmation", emailConfirmation],
  ["work-order-assigned", workOrderAssigned],
]);

/** The content of a message, or why there is none. Fields lose what could break out of their line; a link must be a web address. */
export function renderTemplate(name: string, fields: Readonly<Record<string, string>>): RenderedMessage | { refused: string } {
  const template = templates.get(name);
  if (!template) return { refused: "unknown_template" };
  const clean = Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, isLink(field) ? (parseWebUrl(value) ?? "") : toSingleLine(value)]));
  const missing = template.requiredFields.find((field) => !clean[field]);
  return missing ? { refused: `missing_${missing}` } : template.render(clean);
}

const isLink = (field: string): boolean => field === "link" || field.endsWith("Link");
