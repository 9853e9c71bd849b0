import { BadgePage } from "../badge/page";
import { frame } from "../frame/frame";
import { load } from "../lib/load";
import { drawn } from "../lib/page";

frame();
void drawn(async () => {
  const [index, series] = await Promise.all([load("api/v1/index.json", "site"), load("api/v1/series.json", "series-index")]);
  return new BadgePage(index, series);
});
