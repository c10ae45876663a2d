import "htmx.org";
import { listen } from "../live";
import { keys } from "../keys";
import { preferences } from "../preferences";
import { folds } from "../folds";
import { MeterChart } from "../chart";

document.documentElement.classList.add("js");
customElements.define("meter-chart", MeterChart);
preferences();
keys();
folds();
if (!document.body.classList.contains("bare")) listen();
