/** Returns unique entry names of an archive: repeated names, ignoring case, get a number like `name (2).pdf`. */
export function archiveEntryNames(fileNames: readonly string[]): string[] {
  const usedNames = new Set<string>();
  return fileNames.map((fileName) => {
    const [extension = ""] = /\.[^.]*$/u.exec(fileName) ?? [];
    const stem = fileName.slice(0, fileName.length - extension.length);
    let name = fileName;
    for (let copy = 2; usedNames.has(name.toLowerCase()); copy++) name = `${stem} (${copy})${extension}`;
    usedNames.add(name.toLowerCase());
    return name;
  });
}
