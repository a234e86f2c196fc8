// How the page talks to the program that served it.

const KEY = "halma-studio-token";
let token = null;

/** Takes the token out of the address, so that a link to the page has none; or the one of an earlier visit. */
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1));
  token = given.get("token") ?? token;
  try {
    if (token) localStorage.setItem(KEY, token);
    else token = localStorage.getItem(KEY);
  } catch {
    // A browser that keeps nothing: the token is known until the page is closed.
  }
  if (given.has("token")) {
    given.delete("token");
    history.replaceState(null, "", given.size ? `#${given}` : location.pathname);
  }
}

async function send(method, path, body) {
  return fetch(path, { method, body, headers: { Authorization: `Bearer ${token}` }, cache: "no-store" });
}

/** Asks; `{ status, value }`, where status 0 means that nobody answers. */
export async function ask(method, path, body) {
  try {
    const response = await send(method, path, body);
    return { status: response.status, value: await response.json() };
  } catch {
    return { status: 0, value: { message: "The studio does not answer. Has it been stopped? Start it again, and open its address." } };
  }
}

/** Lets the browser keep a file. */
export async function save(path, name) {
  const response = await send("GET", path);
  if (!response.ok) throw new Error((await response.json()).message);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** An element with attributes and children; a function is a listener. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
