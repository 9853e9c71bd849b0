"""Charts as SVG without any script: drawn 360 units wide, so that text keeps its size from phone to desk.

Colours, fonts and dashes are classes of the page's style sheet, since the page forbids inline styles.
"""
