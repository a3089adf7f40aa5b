import { emailHtml } from "./html.ts";
import type { Template } from "./template.ts";

/** E-mail that informs a vendor of an assigned work order. The field `place` is the address of the work. */
export const workOrderAssigned: Template = {
  requiredFields: ["number", "title", "place"],
  render({ number = "", title = "", place: address = "", organizationName, fullName, dueOn }) {
    const subject = `Work order ${number}: ${title}`;
    const greeting = fullName ? `Hello ${fullName},` : "Hello,";
    const body = `${organizationName || "A property manager"} assigned work order ${number} to you: ${title}.`;
    const instruction = `The work is at ${address}${dueOn ? ` and should be done by ${dueOn}` : ""}.`;
    const footnotes = ["If you have questions, please contact the property manager."];
    return {
      subject,
      text: [greeting, "", body, instruction, "", ...footnotes, ""].join("\n"),
      html: emailHtml(subject, [greeting, body, instruction], undefined, footnotes),
    };
  },
};
