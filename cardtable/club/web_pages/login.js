// The link of a personal invitation has nick and word behind the #, which browsers send to nobody: fill them in, and take
// them out of the address, so that they stay in no history.
const invitation = new URLSearchParams(location.hash.slice(1));
for (const [field, name] of [["nick", "nick"], ["code", "word"]]) {
  const input = document.querySelector(`input[name="${field}"]`);
  if (input && invitation.has(name)) input.value = invitation.get(name);
}
if (location.hash) history.replaceState(null, "", location.pathname + location.search);
