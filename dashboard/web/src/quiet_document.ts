// A document for xterm.js under a policy without inline styles: what it would
// write as text goes through the object model, which the policy allows.
export function quietDocument(): Document {
  const own: Record<string, unknown> = { createElement: quiet };
  return new Proxy(document, {
    get(target, name) {
      if (typeof name === "string" && name in own) return own[name];
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}

function quiet(name: string): HTMLElement {
  return name === "style" ? redirected() : Document.prototype.createElement.call(document, name);
}

// quietly runs what makes elements by the page's own document all the same.
export function quietly(make: () => void): void {
  document.createElement = quiet as typeof document.createElement;
  try {
    make();
  } finally {
    Reflect.deleteProperty(document, "createElement");
  }
}

// redirected stands for a style element and keeps its rules in a sheet of their own:
// even an empty style element is inline style.
function redirected(): HTMLElement {
  const element = document.createElement("span");
  element.hidden = true;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  let text = "";
  Object.defineProperty(element, "textContent", {
    get: () => text,
    set: (value: string) => {
      text = value;
      sheet.replaceSync(value);
    },
  });
  Object.defineProperty(element, "remove", {
    value: () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => s !== sheet);
      Element.prototype.remove.call(element);
    },
  });
  return element;
}

// styled makes spans, of which rows of a terminal are, take a style attribute
// through their style; clones of them too.
export function styled(): void {
  HTMLSpanElement.prototype.setAttribute = function (this: HTMLSpanElement, name: string, value: string): void {
    if (name === "style") this.style.cssText = value;
    else Element.prototype.setAttribute.call(this, name, value);
  };
}
