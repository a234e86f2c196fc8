// How the page talks to the program that served it.

const KEY = "halma-studio-token";
let token = null;

/** The token of an earlier visit. */
function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // A browser that keeps nothing: a token is known until the page is closed.
    return null;
  }
}

/** Takes the token out of the address, so that a link to the page has none, or that of an earlier visit. Says whether the address had one. */
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1));
  token = given.get("token") ?? token ?? kept();
  if (!given.has("token")) return false;
  given.delete("token");
  history.replaceState(null, "", given.size ? `#${given}` : location.pathname);
  return true;
}

/** After a token was refused: another one that was given since, or that of an earlier visit. False where there is none. */
function otherToken(refused) {
  if (token === refused) token = kept() ?? refused;
  return token !== refused;
}

/** Keeps a token that was accepted: a wrong one in a link must not take its place. */
function keepToken(accepted) {
  try {
    if (kept() !== accepted) localStorage.setItem(KEY, accepted);
  } catch {
    // As above.
  }
}

async function send(method, path, body, by = token) {
  return fetch(path, { method, body, headers: { Authorization: `Bearer ${by}` }, cache: "no-store" });
}

/** Asks; `{ status, value }`, where status 0 means that nobody answers. */
export async function ask(method, path, body) {
  try {
    // The token may change while an answer is under way.
    let used = token;
    let response = await send(method, path, body, used);
    if (response.status === 401 && otherToken(used)) {
      used = token;
      response = await send(method, path, body, used);
    }
    if (response.ok) keepToken(used);
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
