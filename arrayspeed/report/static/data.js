// Everything to download, and what each column means.

import { el, load, page, table } from "./common.js";

page(async () => {
  const columns = await load("columns");
  const meta = await load("meta");
  return [
    el("ul", {}, ["csv", "parquet", "json"].map((suffix) => el("li", {}, el("a", { href: `data/results.${suffix}`, download: true }, `results.${suffix}`)))),
    el("p", {}, `Environments: ${meta.environments.length}, machines: ${meta.machines.length}; published ${meta.built.slice(0, 16).replace("T", " ")} UTC. The newest measurement of each combination.`),
    table("Columns", [{ title: "column" }, { title: "meaning", text: true }], columns),
  ];
});
