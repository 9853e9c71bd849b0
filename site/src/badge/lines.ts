// A badge that leads to its trend, in the languages of READMEs.

import type { SeriesEntry } from "../data/api";

const trendOf = (one: SeriesEntry): string => {
  const words = { host: one.host, metric: one.metric, phase: one.phase, scenario: one.scenario, subject: one.subject };
  return `trends/?${Object.entries(words)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")}`;
};

const inMarkdown = (text: string): string => text.replace(/[\\[\]]/g, "\\$&");
const inHtml = (text: string): string => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

/** The lines to copy; `site` is the address of the site, with its slash. */
export function linesFor(site: string, one: SeriesEntry, title: string): { name: string; text: string }[] {
  const [badge, trend] = [site + one.badge, site + trendOf(one)];
  return [
    { name: "Markdown", text: `[![${inMarkdown(title)}](${badge})](${trend})` },
    { name: "HTML", text: `<a href="${inHtml(trend)}"><img src="${inHtml(badge)}" alt="${inHtml(title)}"></a>` },
    { name: "AsciiDoc", text: `image:${badge}["${title.replace(/"/g, "'")}",link="${trend}"]` },
  ];
}
