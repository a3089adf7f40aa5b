/** Returns unique entry names of an archive: repeated names, ignoring case, get a number like `name (2).pdf`. */
export function archiveEntryNames(fileNames: readonly string[]): string[] {
  const usedNames = new Set<string>();
  return fileNames.map((fileName) => {
    const [, stem, extension] = /^(.*?)(\.[^.]*)?$/su.exec(fileName) as unknown as [string, string, string | undefined];
    let name = fileName;
    for (let copy = 2; usedNames.has(name.toLowerCase()); copy++) name = `${stem} (${copy})${extension ?? ""}`;
    usedNames.add(name.toLowerCase());
    return name;
  });
}
