const SENT = {
  Escape: "\x1b", Tab: "\t", Enter: "\r", Menu: "\x10",
  ArrowUp: "\x1b[A", ArrowDown: "\x1b[B", ArrowRight: "\x1b[C", ArrowLeft: "\x1b[D",
  PageUp: "\x1b[5~", PageDown: "\x1b[6~",
};
const CUT = 1006;  // code of a connection that ended without a word
const terminal = document.getElementById("terminal");
const scheme = location.protocol === "https:" ? "wss:" : "ws:";
terminal.dataset.sessionWebsocketUrl = `${scheme}//${location.host}/ws`;
history.replaceState(null, "", "/");  // The token is kept as a cookie: nobody needs to see it.

// The connection that the terminal makes is the one for key buttons, and tells why it is closed.
let connection;
window.WebSocket = class extends WebSocket {
  constructor(address) {
    super(address);
    connection = this;
    this.addEventListener("message", ({ data }) => {
      if (typeof data === "string" && data.startsWith('["picture",')) savePicture(JSON.parse(data)[1]);
    });
    let wasOpen = false;
    this.addEventListener("open", () => { wasOpen = true; });
    this.addEventListener("close", ({ code, reason }) => {
      if (reason) document.getElementById("why").textContent = reason;
      else if (wasOpen && code === CUT) openAgain();
    });
  }
};

// A server that was killed, or a network that was cut, has said nothing. Once the server answers, the page begins anew.
async function openAgain() {
  document.getElementById("why").textContent =
    "The card room does not answer. This page keeps trying, and opens it as soon as it does.";
  for (let seconds = 1; ; seconds = Math.min(2 * seconds, 15)) {
    await new Promise((done) => setTimeout(done, 1000 * seconds));
    const answer = await fetch("/", { cache: "no-store" }).catch(() => null);
    if (answer && answer.status < 500) {  // a proxy answers in place of a server that is still down
      location.reload();
      return;
    }
  }
}

// A picture of the screen is kept where the browser keeps downloads.
function savePicture(encoded) {
  const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: "image/svg+xml" }));
  link.download = "cardtable.svg";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A finger chooses cards far more often than it types: letters come when they are asked for.
const letters = document.getElementById("letters");
const byTouch = matchMedia("(pointer: coarse)").matches;
function takeKeys() {
  const input = document.querySelector("textarea");
  if (!input) return;
  input.inputMode = byTouch && letters.ariaPressed === "false" ? "none" : "text";
  input.focus();
}
// Keys go to the table at once: nobody should have to click first.
new MutationObserver(takeKeys).observe(document.body, { attributeFilter: ["class"] });

document.querySelector(".keys").addEventListener("pointerdown", (event) => {
  event.preventDefault();  // The focus stays where it is.
  const button = event.target.closest("button");
  if (button === letters) {
    letters.ariaPressed = letters.ariaPressed === "false";
    document.querySelector("textarea")?.blur();
    takeKeys();
  } else if (button && connection?.readyState === WebSocket.OPEN) {
    const { key } = button.dataset;
    connection.send(JSON.stringify(["stdin", SENT[key] ?? key]));
  }
});

// As large as 80 by 24 cells can be; on a small screen as 60 by 18, where less cannot be played.
function size() {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = '100px "Roboto Mono", monospace';
  const cell = pen.measureText("W");
  const height = cell.fontBoundingBoxAscent + cell.fontBoundingBoxDescent;
  const fit = (columns, rows) =>
    100 * Math.min(terminal.clientWidth / cell.width / columns, terminal.clientHeight / height / (rows + 1));
  return Math.min(16, Math.max(fit(80, 24), Math.min(12, fit(60, 18))));
}

// The terminal keeps its font: where the screen is turned, all of it becomes larger or smaller.
function turn() {
  const viewport = document.getElementById("viewport");
  viewport.content = "width=device-width";
  requestAnimationFrame(() => {
    viewport.content = `width=${Math.ceil((document.body.clientWidth * terminal.dataset.fontSize) / size())}`;
  });
}

// The terminal measures its font when it begins: so the font has to be there.
document.fonts.load('16px "Roboto Mono"').finally(() => {
  terminal.dataset.fontSize = size();
  matchMedia("(orientation: portrait)").addEventListener("change", turn);
  const script = document.createElement("script");
  script.src = "/static/js/textual.js";
  script.onload = () => {
    const begin = window.onload;
    window.onload = null;
    begin();
  };
  document.body.append(script);
});
