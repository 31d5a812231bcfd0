// The linter of the app and of its tests: `cargo xtask test --only js`. Types are checked by tsc (app/tsconfig.json).

import js from "@eslint/js";
import globals from "globals";

/** What the recommended rules leave open. */
const rules = {
  "array-callback-return": "error",
  "default-case-last": "error",
  eqeqeq: "error",
  "logical-assignment-operators": "error",
  "max-len": ["error", { code: 130, ignoreUrls: true }],
  "no-constructor-return": "error",
  "no-duplicate-imports": "error",
  "no-else-return": "error",
  "no-eval": "error",
  "no-lonely-if": "error",
  "no-restricted-properties": [
    "error",
    { property: "innerHTML", message: "texts of players could be taken for tags: use html() of svg.js" },
    { property: "outerHTML", message: "texts of players could be taken for tags: use html() of svg.js" },
  ],
  "no-self-compare": "error",
  "no-shadow": ["error", { builtinGlobals: false }],
  "no-template-curly-in-string": "error",
  "no-throw-literal": "error",
  "no-unmodified-loop-condition": "error",
  "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
  "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
  "no-useless-return": "error",
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
};

export default [
  js.configs.recommended,
  { linterOptions: { reportUnusedDisableDirectives: "error" }, rules },
  { files: ["app/js/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["app/js/worker.js"], languageOptions: { globals: globals.worker } },
  { files: ["app/sw.js"], languageOptions: { globals: globals.serviceworker, sourceType: "script" } },
  {
    files: ["app-tests/**"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
    // Functions that are sent to the page have names of their own.
    rules: { "no-shadow": "off" },
  },
];
