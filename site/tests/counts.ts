// The last line of a run: counts in the words of `./bench test`.

import type { Reporter, TestModule } from "vitest/node";

export default class Counts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const of = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    console.log(`${of("passed")} passed, ${of("failed") + broken} failed`);
  }
}
