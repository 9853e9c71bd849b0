import { ComparePage } from "../compare/page";
import { frame } from "../frame/frame";
import { load } from "../lib/load";
import { drawn } from "../lib/page";

frame();
void drawn(async () => {
  const [index, runs] = await Promise.all([load("api/v1/index.json", "site"), load("api/v1/runs.json", "runs")]);
  return new ComparePage(index, runs);
});
