// A badge as a link to the trend of its series, in the markup languages of READMEs.

import type { SeriesEntry } from "../data/api";

const trendOf = (entry: SeriesEntry): string => {
  const words = { host: entry.host, metric: entry.metric, phase: entry.phase, scenario: entry.scenario, subject: entry.subject };
  return `trends/?${Object.entries(words)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")}`;
};

const inMarkdown = (text: string): string => text.replace(/[\\[\]]/g, "\\$&");
const inHtml = (text: string): string => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

/** The lines to copy; `site` is the address of the site, with its slash. */
export function linesFor(site: string, entry: SeriesEntry, title: string): { name: string; text: string }[] {
  const [badge, trend] = [site + entry.badge, site + trendOf(entry)];
  return [
    { name: "Markdown", text: `[![${inMarkdown(title)}](${badge})](${trend})` },
    { name: "HTML", text: `<a href="${inHtml(trend)}"><img src="${inHtml(badge)}" alt="${inHtml(title)}"></a>` },
    { name: "AsciiDoc", text: `image:${badge}["${title.replace(/"/g, "'")}",link="${trend}"]` },
  ];
}
