"""Rules about React, Next.js, Vue and Svelte components."""
