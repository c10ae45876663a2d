import { styled } from "../quiet_document";
import { MeterTerminal } from "../terminal";

styled();
customElements.define("meter-terminal", MeterTerminal);
