// Everything to download, and what each column means.

import { el, load, page, table } from "./common.js";

page(async () => {
  const columns = await load("columns");
  const meta = await load("meta");
  return [
    el("ul", {}, ["csv", "parquet", "json"].map((suffix) => el("li", {}, el("a", { href: `data/results.${suffix}`, download: true }, `results.${suffix}`)))),
    el("p", {}, `${meta.environments.length} environments on ${meta.machines.length} machines; published ${meta.built}. The newest measurement of each combination.`),
    table("Columns", [{ title: "column" }, { title: "meaning", text: true }], columns),
  ];
});
