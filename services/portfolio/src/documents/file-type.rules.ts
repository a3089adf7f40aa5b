/** Which files are taken, what they are called, and what is never taken. */

/** Each type with the endings that it may have; the first is given to a name that has none of them. */
export const acceptedTypes: Record<string, readonly string[]> = {
  "application/pdf": ["pdf"],
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg", "jfif"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "image/heic": ["heic", "heif"],
  "image/tiff": ["tif", "tiff"],
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": ["pptx"],
  "text/plain": ["txt", "text", "log", "md"],
  "text/csv": ["csv"],
};

/** What begins a page, or a picture that can run scripts. */
const MARKUP = /<(?:!doctype|html|head|body|script|svg|iframe|object|embed|img|meta|link|style|xsl|math|form|\?php)/i;

/** Whether a file begins as something that a browser could run, whatever else it is. */
export function isMarkup(head: Buffer): boolean {
  const text = head.toString("latin1");
  // Both ways to write two bytes a character, in which a page can hide.
  const [wide, swapped] = ["utf-16le" as const, "utf-16be" as const].map((encoding) => new TextDecoder(encoding).decode(head)) as [string, string];
  return [text, wide, swapped].some((each) => MARKUP.test(each));
}

const LONGEST = 200;

/** As much of a text as fits, without half a character at its end. */
export const truncate = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, "");

export const extensionOf = (fileName: string): string => (/\.([^.]+)$/.exec(fileName)?.[1] ?? "").toLowerCase();

/** A name without folders, control characters and what turns the direction of text, that ends as its type does. */
export function sanitizeFileName(sent: string, contentType: string): string {
  const endings = acceptedTypes[contentType] ?? [];
  const last = sent.normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const plain = last
    // How browsers write quotes and line breaks in the name of a file.
    .replaceAll(/%22|%0[ad]/gi, "")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}:*?"<>|]/gu, "")
    .replaceAll(/\s+/g, " ")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  const extension = extensionOf(plain);
  const isRight = endings.includes(extension);
  const ending = `.${isRight ? plain.slice(-extension.length) : endings[0]}`;
  const stem = (isRight ? plain.slice(0, -ending.length) : plain).trim() || "document";
  return truncate(stem, LONGEST - ending.length) + ending;
}
