import { MeterTimeline } from "../timeline";

customElements.define("meter-timeline", MeterTimeline);
