# SPDX-License-Identifier: BSD-2-Clause
"""svg_picture - what gnuplot drew, read back from an SVG: texts, tics, points and bars.

Figures come from the places of things: an axis is calibrated by two of its own tics.
"""
import re
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"


def numbers(text):
    return [float(n) for n in re.findall(r"-?\d+\.?\d*", text)]


def segments(path):
    """(x1, y1, x2, y2) of each line of a path."""
    found, at = [], None
    for letter, x, y in re.findall(r"([ML])(-?[\d.]+),(-?[\d.]+)", path.get("d")):
        to = (float(x), float(y))
        if letter == "L":
            found.append((*at, *to))
        at = to
    return found


class Plotted:
    """One element of a plot command."""

    def __init__(self, group, right):
        texts = [t.text.strip() for t in group.iter(SVG + "text") if t.text]
        self.title = texts[0] if texts else None
        self.points = []  # symbol, x, y, colour
        self.lines = []  # segments with their colour and dashes
        for use in group.iter(SVG + "use"):
            x, y = numbers(use.get("transform"))[:2]
            if x <= right and use.get("color") != "#FFFFFF":
                self.points.append((use.get(HREF), x, y, use.get("color").replace(" ", "")))
        for path in group.iter(SVG + "path"):
            self.lines += [(*s, path.get("stroke").replace(" ", ""), path.get("stroke-dasharray"))
                           for s in segments(path) if s[2] <= right]

    def bar(self, x, y):
        """Ends of the upright line through a point, from bottom to top."""
        ends = [sorted((s[1], s[3]), reverse=True) for s in self.lines
                if abs(s[0] - x) < 0.1 and abs(s[2] - x) < 0.1 and
                min(s[1], s[3]) - 0.1 <= y <= max(s[1], s[3]) + 0.1]
        return ends[0] if ends else None

    def level(self, x, y):
        """Likewise of the level line, from left to right."""
        ends = [sorted((s[0], s[2])) for s in self.lines
                if abs(s[1] - y) < 0.1 and abs(s[3] - y) < 0.1 and
                min(s[0], s[2]) - 0.1 <= x <= max(s[0], s[2]) + 0.1]
        return max(ends, key=lambda e: e[1] - e[0]) if ends else None


class Picture:
    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.width, self.height = (float(root.get(a)) for a in ("width", "height"))
        self.x_tics, self.y_tics = {}, {}  # label: place
        self.labels = {}  # text: place of its beginning or middle; its angle, if turned
        for group in root.iter(SVG + "g"):
            children = list(group)
            for before, after in zip([None] + children, children):
                text = after.find(SVG + "text") if after.tag == SVG + "g" else None
                if text is None or not text.text or after.get("transform") is None:
                    continue
                word = text.text.strip()
                self.labels.setdefault(word, tuple(numbers(after.get("transform"))))
                lines = segments(before) if before is not None and before.get("d") else []
                if len(lines) == 1 and "end" == after.get("text-anchor"):
                    self.y_tics[word] = lines[0][1]
                elif len(lines) == 1 and "middle" == after.get("text-anchor"):
                    self.x_tics[word] = lines[0][0]
        self.texts = [t.text.strip() for t in root.iter(SVG + "text") if t.text]
        right = max(s[2] for path in root.iter(SVG + "path")
                    if path.get("class") == "gridline" for s in segments(path)) + 1
        self.plotted = [Plotted(g, right) for g in root.iter(SVG + "g")
                        if re.fullmatch(r"gnuplot_plot_\d+", g.get("id") or "")]

    def by_title(self):
        return {p.title: p for p in self.plotted if p.title}

    @staticmethod
    def _figure(tics, place, scale):
        known = sorted((at, scale(float(label))) for label, at in tics.items()
                       if float(label) > 0 or scale(1) == 1)
        (a, u), (b, v) = known[0], known[-1]
        return u + (place - a) * (v - u) / (b - a)

    def y(self, place, scale=lambda v: v):
        """The figure at a height; `scale` as the axis is (math.log10)."""
        return self._figure(self.y_tics, place, scale)

    def x(self, place, scale=lambda v: v):
        return self._figure(self.x_tics, place, scale)
