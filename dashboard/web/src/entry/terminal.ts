import { MeterTerminal } from "../terminal";

customElements.define("meter-terminal", MeterTerminal);
