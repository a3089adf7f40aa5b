/** Rules of uploaded files: accepted types, markup detection and file names. */
import { truncate } from "@freehold/kit/truncate";

/** Accepted content types with their file extensions. The first extension is appended to file names that have none of them. */
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

/** Tags of HTML, SVG, XSL and PHP. */
const MARKUP = /<(?:!doctype|html|head|body|script|svg|iframe|object|embed|img|meta|link|style|xsl|math|form|\?php)/i;

/** Tells whether the first bytes of a file contain markup that a browser could execute. */
export function isMarkup(head: Buffer): boolean {
  const text = head.toString("latin1");
  // Markup can also be hidden in either byte order of UTF-16.
  const utf16 = ["utf-16le" as const, "utf-16be" as const].map((encoding) => new TextDecoder(encoding).decode(head));
  return [text, ...utf16].some((decoded) => MARKUP.test(decoded));
}

const MAX_NAME_LENGTH = 200;

/** Returns the extension of a file name in lower case, without the dot; empty for a name without one. */
export const extensionOf = (fileName: string): string => (/\.([^.]+)$/.exec(fileName)?.[1] ?? "").toLowerCase();

/** Returns the file name without folders, control and bidirectional characters, with an extension of its content type. */
export function sanitizeFileName(name: string, contentType: string): string {
  const extensions = acceptedTypes[contentType] ?? [];
  const baseName = name.normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const sanitized = baseName
    // Browsers percent-encode quotes and line breaks in multipart file names.
    .replaceAll(/%22|%0[ad]/gi, "")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}:*?"<>|]/gu, "")
    .replaceAll(/\s+/g, " ")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  const extension = extensionOf(sanitized);
  const hasMatchingExtension = extensions.includes(extension);
  const suffix = `.${hasMatchingExtension ? sanitized.slice(-extension.length) : extensions[0]}`;
  const stem = (hasMatchingExtension ? sanitized.slice(0, -suffix.length) : sanitized).trim() || "document";
  return truncate(stem, MAX_NAME_LENGTH - suffix.length) + suffix;
}
