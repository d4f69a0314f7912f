"""Charts: pictures as SVG, drawn by the server from released and public numbers; classes only, no style, no script."""
