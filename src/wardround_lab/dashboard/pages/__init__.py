"""The HTML of tabs whose pages have addresses of their own."""
