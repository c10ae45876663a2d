// A document for xterm.js under a policy without inline styles: what it would
// write as text goes through the object model, which the policy allows.
export function quietDocument(): Document {
  const own: Record<string, unknown> = {
    createElement(name: string): HTMLElement {
      return name === "style" ? redirected() : attributed(document.createElement(name));
    },
  };
  return new Proxy(document, {
    get(target, name) {
      if (typeof name === "string" && name in own) return own[name];
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
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

// attributed sets a style attribute through the element's style.
function attributed(element: HTMLElement): HTMLElement {
  element.setAttribute = (name: string, value: string): void => {
    if (name === "style") element.style.cssText = value;
    else Element.prototype.setAttribute.call(element, name, value);
  };
  return element;
}
