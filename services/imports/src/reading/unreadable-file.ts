import { ApiError } from "@freehold/kit/errors";

/** Error of a file that cannot be read, with the row number if known. */
export class UnreadableFileError extends Error {
  readonly row: number | undefined;
  constructor(message: string, row?: number) {
    super(message);
    this.row = row;
  }
}

/** Creates the 400 for an unreadable file, with its name and row. */
export function unsupportedFile(fileName: string, { message, row }: { message: string; row?: number | undefined }): ApiError {
  const location = row === undefined ? fileName : `${fileName}, row ${row}`;
  const sentence = `${location}: ${message}`;
  return new ApiError(400, sentence, { code: "unsupported_file", errors: [{ path: "file", code: "format", message: sentence }] });
}
