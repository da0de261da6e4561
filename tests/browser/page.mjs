// Looks at the reference page of the service at KAURI_URL as its readers do: in the light, in the dark, on a phone,
// with the keyboard alone. Fails at the first thing that is not as it should be.
//
//   node page.mjs BROWSER SHOTS    the browser's binary, and the folder for screenshots

import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [executablePath, shots] = process.argv.slice(2);
const service = new URL(process.env.KAURI_URL).origin;
const operations = await listed();

/** How the page is looked at; each is a session of its own. */
const looks = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  { name: "phone-light", colorScheme: "light", viewport: { width: 375, height: 740 }, isMobile: true },
  { name: "phone-dark", colorScheme: "dark", viewport: { width: 375, height: 740 }, isMobile: true },
];

// The profile is new and empty, and is deleted afterwards.
const browser = await chromium.launch({
  executablePath,
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // Whatever the browser itself may want from outside is not found.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  ],
});
try {
  for (const look of looks) await session(look, read);
  await session({ ...looks[0], name: "keyboard" }, useKeyboard);
} finally {
  await browser.close();
}
console.log(`the page lists ${operations.length} operations and is in order: ${looks.map((look) => look.name).join(", ")}`);

/** The operations of the service's document, as the page names them. */
async function listed() {
  const document = await (await fetch(`${service}/openapi.json`)).json();
  const items = [document.paths, document.webhooks ?? {}].flatMap((items) => Object.values(items));
  const all = items.flatMap((item) => Object.values(item));
  return all.map((operation) => `operations-${operation.tags[0]}-${operation.operationId}`).sort();
}

/** Opens the page, does `use` with it, and fails at whatever went wrong meanwhile. */
async function session({ name, ...settings }, use) {
  const context = await browser.newContext(settings);
  const wrong = [];
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== service) wrong.push(`asks elsewhere: ${url}`);
  });
  context.on("requestfailed", (request) => wrong.push(`got nothing: ${request.url()}`));
  context.on("console", (line) => ["error", "warning"].includes(line.type()) && wrong.push(`says: ${line.text()}`));
  context.on("weberror", (error) => wrong.push(`throws: ${error.error()}`));
  const page = await context.newPage();
  await page.goto(`${service}/docs`);
  await page.locator(".opblock").first().waitFor();
  await use(page, name);
  assert.deepEqual(wrong, [], `${name}: the page`);
  await context.close();
}

async function read(page, name) {
  const shown = await page.locator(".opblock").evaluateAll((blocks) => blocks.map((block) => block.id));
  assert.deepEqual(shown.sort(), operations, `${name}: the operations on the page`);
  await fits(page, name);
  await page.screenshot({ path: `${shots}/${name}.png` });

  const answer = await tryOut(page);
  assert.equal(answer.phase, "move", `${name}: what the service answers`);
  await page.locator("#operations-games-list_games .opblock-summary-control").click();
  await page.locator("#operations-games-list_games .responses-table").waitFor();
  await fits(page, `${name}, with operations open`);
  const faint = await page.evaluate(faintTexts);
  assert.deepEqual(faint, [], `${name}: texts with a contrast below 4.5`);
  await page.locator("#operations-rules-apply_move .responses-inner").scrollIntoViewIfNeeded();
  await page.screenshot({ path: `${shots}/${name}-operation.png` });
  const [dark, ground] = await page.evaluate(() => [
    document.documentElement.classList.contains("dark-mode"),
    getComputedStyle(document.body).backgroundColor,
  ]);
  const brightness = ground.match(/\d+/g).reduce((sum, part) => sum + Number(part), 0) / 765;
  assert.equal(dark, name.endsWith("dark"), `${name}: the scheme`);
  assert.ok(dark ? brightness < 0.3 : brightness > 0.7, `${name}: the ground is ${ground}`);
}

/** Makes the move that the page suggests, and gives what the service answered it. */
async function tryOut(page) {
  const operation = page.locator("#operations-rules-apply_move");
  await operation.locator(".opblock-summary-control").click();
  await operation.locator(".execute").click();
  return answer(operation);
}

async function answer(operation) {
  const live = operation.locator(".live-responses-table .response");
  await live.waitFor();
  const [status] = (await live.locator(".response-col_status").innerText()).split("\n");
  const body = await live.locator(".response-col_description .microlight, .response-col_description code").first().innerText();
  assert.equal(status, "200", `the status on the page, with ${body}`);
  return JSON.parse(body);
}

/** Nothing sticks out at the side. */
async function fits(page, name) {
  const [content, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(content <= screen, `${name}: the page is ${content} px wide on ${screen}`);
}

/** Goes from control to control with Tab alone until an operation is tried out. */
async function useKeyboard(page, name) {
  const operation = page.locator("#operations-service-get_health");
  await tabTo(page, operation.locator(".opblock-summary-control"), `${name}: the operation`);
  await page.keyboard.press("Enter");
  await operation.locator(".execute").waitFor();
  await tabTo(page, operation.locator(".execute"), `${name}: Execute`);
  const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(ring, "none", `${name}: what has the focus is not marked`);
  await page.keyboard.press("Enter");
  assert.deepEqual(await answer(operation), { status: "ok" }, `${name}: what the service answers`);
  await operation.screenshot({ path: `${shots}/${name}.png` });
}

async function tabTo(page, wanted, what) {
  for (let pressed = 0; pressed < 300; pressed++) {
    await page.keyboard.press("Tab");
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
  }
  assert.fail(`${what} is not reached with Tab`);
}

/** The texts on the page that are hard to tell from their ground, by the measure of WCAG 2. Runs in the page. */
function faintTexts() {
  const parse = (color) => {
    const parts = color.match(/[\d.]+/g).map(Number);
    return parts.length < 4 ? [...parts, 1] : parts;
  };
  const over = (top, ground) => ground.map((below, part) => top[part] * top[3] + below * (1 - top[3]));
  const linear = (part) => (part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const path = (element) => (element ? [...path(element.parentElement), element] : []);
  const faint = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const text = texts.currentNode.textContent.trim();
    const seen = element.checkVisibility({ visibilityProperty: true }) && !element.closest("svg, option");
    if (!text || !seen) continue;
    const styles = path(element).map((one) => getComputedStyle(one));
    const ground = styles.reduce((below, style) => over(parse(style.backgroundColor), below), [255, 255, 255]);
    const ink = parse(styles.at(-1).color);
    ink[3] *= styles.reduce((opacity, style) => opacity * Number(style.opacity), 1);
    const [least, most] = [light(ground), light(over(ink, ground))].sort((a, b) => a - b);
    const contrast = (most + 0.05) / (least + 0.05);
    if (contrast < 4.5) faint.push(`${text.slice(0, 40)}: ${contrast.toFixed(2)} (${element.className || element.parentElement.className})`);
  }
  return [...new Set(faint)];
}
