/** The comment that silences a finding, as the server offers it: without a reason, and with its line end. */
export function withReason(comment: string, reason: string): string {
  const end = /\r?\n$/.exec(comment)?.[0] ?? "";
  return comment.slice(0, comment.length - end.length).trimEnd() + " " + oneLine(reason) + end;
}

/** What is wrong with a reason; nothing where it is one. */
export function mistakeIn(reason: string): string | undefined {
  return oneLine(reason) === "" ? "The reason is what the next reader goes by." : undefined;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
}
