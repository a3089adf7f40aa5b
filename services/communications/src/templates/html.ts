/** Safe HTML. Created by the `html` template tag, which escapes all values that are not `Html` themselves. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** Template tag for HTML. Values may appear in text and in quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: (string | Html | readonly Html[])[]): Html {
  const encoded = values.map((value) => {
    if (typeof value === "string") return escapeHtml(value);
    return value instanceof Html ? value.text : value.map(({ text }) => text).join("");
  });
  return new Html(parts.map((part, index) => part + (encoded[index] ?? "")).join(""));
}

/** Link shown as a button. */
interface Action {
  label: string;
  link: string;
}

const button = ({ label, link }: Action): Html =>
  html`<p style="margin:24px 0">
      <a href="${link}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#1d4ed8;color:#ffffff;text-decoration:none;font-size:16px"
        >${label}</a
      >
    </p>
    <p style="margin:0 0 16px;font-size:13px;line-height:20px;color:#616e7c">
      If the button does not work, open this address:<br /><a href="${link}" style="color:#1d4ed8;word-break:break-all">${link}</a>
    </p>`;

/** Returns an HTML e-mail with paragraphs, an optional button and footnotes, in one column for narrow screens. It loads no external resources. */
export const emailHtml = (title: string, paragraphs: readonly string[], action: Action | undefined, footnotes: readonly (string | Html)[]): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
      </head>
      <body style="margin:0;padding:24px 12px;background:#f4f5f7;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;color:#1f2933">
        <table role="presentation" align="center" width="100%" style="max-width:560px;margin:0 auto;background:#ffffff;border-radius:8px">
          <tr>
            <td style="padding:32px 24px">
              <h1 style="margin:0 0 16px;font-size:20px;line-height:28px">${title}</h1>
              ${paragraphs.map((text) => html`<p style="margin:0 0 16px;font-size:16px;line-height:24px">${text}</p> `)} ${action ? button(action) : ""}
              ${footnotes.map((text) => html`<p style="margin:0;font-size:13px;line-height:20px;color:#616e7c">${text}</p> `)}
            </td>
          </tr>
        </table>
      </body>
    </html> `.text;
