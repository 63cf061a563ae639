import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

import { mistakeIn, withReason } from "./suppression";

const LANGUAGES = ["c", "cpp", "cuda-cpp", "python"];

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("ownlint.restart", restart),
    vscode.commands.registerCommand("ownlint.suppressWithReason", suppress),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("ownlint.path")) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function start(): Promise<void> {
  const command = vscode.workspace.getConfiguration("ownlint").get<string>("path", "ownlint");
  const server: ServerOptions = { command, args: ["server"] };
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
    initializationOptions: { reasonPrompt: true },
    synchronize: { configurationSection: "ownlint" },
  };
  client = new LanguageClient("ownlint", "ownlint", server, options);
  try {
    await client.start();
  } catch (error) {
    const install = "python3 -m pip install 'ownlint[lsp]'";
    void vscode.window.showErrorMessage(`ownlint does not start: ${String(error)}. Install it: ${install}`);
  }
}

async function restart(): Promise<void> {
  await client?.stop().catch(() => undefined);
  await start();
}

/** Asks why a finding is no bug, and puts the comment there. */
async function suppress(uri: string, line: number, character: number, comment: string): Promise<void> {
  const reason = await vscode.window.showInputBox({
    prompt: "Why is this right?",
    validateInput: mistakeIn,
  });
  if (reason !== undefined) {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(vscode.Uri.parse(uri), new vscode.Position(line, character), withReason(comment, reason));
    await vscode.workspace.applyEdit(edit);
  }
}
