const escapeText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The page a browser gets if the dashboard could not be built. */
export const makeMissingPage = (base: string, reason: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Stemwright</title>
</head>
<body>
<h1>The dashboard is not available</h1>
<p>The API works. The dashboard's pages could not be built when the service started:</p>
<pre>${escapeText(reason)}</pre>
<p>Run <code>npm install</code> and start the service again, or go to the <a href="${escapeText(base)}docs">API reference</a>.</p>
</body>
</html>
`;
