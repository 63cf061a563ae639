import assert from "node:assert/strict";
import { test } from "node:test";

import { mistakeIn, withReason } from "../src/suppression";

test("a reason stands behind the colon, before the line end", () => {
  assert.equal(withReason("  // ownlint: ignore[a-b]: \n", " owned by  the pool "), "  // ownlint: ignore[a-b]: owned by the pool\n");
  assert.equal(withReason("# ownlint: ignore[a-b]: \r\n", "x"), "# ownlint: ignore[a-b]: x\r\n");
});

test("a reason is one line, whatever is pasted", () => {
  assert.equal(withReason("# ownlint: ignore[a]: \n", "one\ntwo\u202e"), "# ownlint: ignore[a]: one two\n");
});

test("no reason is a mistake", () => {
  assert.notEqual(mistakeIn(" \n"), undefined);
  assert.equal(mistakeIn("kept alive by the pool"), undefined);
});
