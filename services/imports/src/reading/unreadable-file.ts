import { ApiError } from "@freehold/kit/errors";

/** Error of a file that cannot be read, with the row number if one row is the cause. */
export class UnreadableFileError extends Error {
  readonly row: number | undefined;
  constructor(message: string, row?: number) {
    super(message);
    this.row = row;
  }
}

/** Returns the 400 for an unreadable file, with the name of the file and, if known, the row. */
export function unsupportedFile(fileName: string, { message, row }: { message: string; row?: number | undefined }): ApiError {
  const location = row === undefined ? fileName : `${fileName}, row ${row}`;
  const locatedMessage = `${location}: ${message}`;
  return new ApiError(400, locatedMessage, { code: "unsupported_file", errors: [{ path: "file", code: "format", message: locatedMessage }] });
}
