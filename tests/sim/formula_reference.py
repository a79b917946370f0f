# SPDX-License-Identifier: MIT
"""Formula models in Python: docs/formulas.md, evaluated on whole fields in float64 and rounded to
float32 after each operation. Written from that page."""

import itertools
import math
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from reference import f32, flush, random  # noqa: E402

TINY = 2.0**-60


def bits(x):
    return struct.unpack("I", struct.pack("f", x))[0]


def from_bits(word):
    return struct.unpack("f", struct.pack("I", word & 0xffffffff))[0]


def limit(x, low, high):
    return low if x < low else high if x > high else x


def mul(a, b):
    return f32(a * b)


def add(a, b):
    return f32(a + b)


def sub(a, b):
    return f32(a - b)


# --- lib/exact.glsl ------------------------------------------------------------------------------

def poly(x, *coefficients):
    """Horner's rule, highest first."""
    p = f32(coefficients[0])
    for c in coefficients[1:]:
        p = add(mul(p, x), f32(c))
    return p


def reciprocal(x):
    sign, d = bits(x) & 0x80000000, abs(x)
    y = from_bits(0x7ef311c7 - bits(d))
    for _ in range(3):
        y = mul(y, sub(2.0, mul(d, y)))
    y = add(y, mul(y, sub(1.0, mul(d, y))))
    return from_bits(bits(y) | sign)


def root(x):
    if x < f32(TINY):
        return 0.0
    y = from_bits(0x5f375a86 - (bits(x) >> 1))
    h = mul(0.5, x)
    for _ in range(3):
        y = mul(y, sub(1.5, mul(mul(h, y), y)))
    s = mul(x, y)
    return add(s, mul(mul(0.5, y), sub(x, mul(s, s))))


def sincos(angle):
    quadrant = ((angle + 0x20000000) & 0xffffffff) >> 30
    rest = (angle - (quadrant << 30)) & 0xffffffff
    rest = rest - (1 << 32) if rest >= 1 << 31 else rest
    x = mul(float((rest + 16) >> 5), f32(5.9604644775390625e-8))
    z = mul(x, x)
    s = mul(poly(z, -3.58772559e-05, 0.00248987204, -0.0807453692, 0.785398126), x)
    c = poly(z, -0.000319160143, 0.0158503968, -0.308424503, 1.0)
    sine, cosine = (s, c) if quadrant & 1 == 0 else (c, s)
    return (sine if quadrant & 2 == 0 else -sine), (cosine if (quadrant + 1) & 2 == 0 else -cosine)


def exp2(x):
    whole = math.floor(add(x, 0.5))
    t = sub(x, float(whole))
    p = poly(t, 0.00015353362, 0.0013398875, 0.00961843692, 0.0555033237, 0.240226477, 0.693147182,
             1.0)
    return mul(p, from_bits((whole + 127) << 23))


def log2(x):
    word = (bits(x) - 0x3f3504f3) & 0xffffffff
    signed = word - (1 << 32) if word >= 1 << 31 else word
    f = sub(from_bits((word & 0x7fffff) + 0x3f3504f3), 1.0)
    s = mul(f, reciprocal(add(2.0, f)))
    z = mul(s, s)
    p = poly(z, 0.431735903, 0.576714396, 0.961798847, 2.88539004)
    return add(float(signed >> 23), mul(s, p))


def exp(x):
    return exp2(mul(x, f32(1.44269502)))


def log(x):
    return mul(log2(x), f32(0.693147182))


# --- functions of formulas ------------------------------------------------------------------------

LARGE = 2.0**60


def f_reciprocal(x):
    return 0.0 if abs(x) < TINY else reciprocal(limit(x, -LARGE, LARGE))


def f_sincos(x):
    turns = mul(flush(limit(abs(x), 0.0, 1048576.0)), f32(0.159154937))
    rest = sub(turns, float(math.floor(turns)))
    sine, cosine = sincos(int(mul(rest, 4294967296.0)))
    return (-sine if x < 0 else sine), cosine


def f_tanh(x):
    above = add(exp(mul(2.0, flush(limit(x, -20.0, 20.0)))), 1.0)
    return sub(1.0, mul(2.0, reciprocal(above)))


def f_power(x, y):
    x, y = min(x, LARGE), flush(limit(y, -2.0**62, 2.0**62))
    if x < f32(TINY):
        return 0.0
    return exp2(limit(mul(y, log2(x)), -60.0, 60.0))


def f_normal(a, b):
    u = mul(add(float(a >> 8), 0.5), 2.0**-24)
    return mul(root(mul(-2.0, log(u))), sincos(b)[1])


FUNCTIONS = {
    "sqrt": lambda x: root(min(x, LARGE)),
    "exp": lambda x: exp(flush(limit(x, -41.0, 41.0))),
    "log": lambda x: log(limit(x, f32(TINY), LARGE)),
    "sin": lambda x: f_sincos(x)[0],
    "cos": lambda x: f_sincos(x)[1],
    "tanh": f_tanh,
    "sigmoid": lambda x: reciprocal(add(exp(-flush(limit(x, -20.0, 20.0))), 1.0)),
    "power": f_power,
    "abs": abs,
    "floor": lambda x: float(math.floor(x)),
    "sign": lambda x: float((x > 0) - (x < 0)),
    "neg": lambda x: -x,
    "not": lambda x: float(x == 0),
    "<": lambda a, b: float(a < b),
    "<=": lambda a, b: float(a <= b),
    "==": lambda a, b: float(a == b),
    "!=": lambda a, b: float(a != b),
    "&&": lambda a, b: float(a != 0 and b != 0),
    "||": lambda a, b: float(a != 0 or b != 0),
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if b > a else a,
    "?": lambda a, b, c: b if a != 0 else c,
    "+": add,
    "-": sub,
    "*": mul,
    "/": lambda a, b: mul(a, f_reciprocal(b)),
}

# The same on the host, for constants: float64, functions in float32.
HOST = dict(FUNCTIONS)
HOST.update({
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: 0.0 if abs(b) < TINY else a / b,
})
for _name in ("sqrt", "exp", "log", "sin", "cos", "tanh", "sigmoid", "power"):
    HOST[_name] = (lambda function: lambda *args: function(*(flush(f32(x)) for x in args)))(
        FUNCTIONS[_name])


# --- expressions: tuples (op, operands ...) -------------------------------------------------------

def num(x):
    return ("num", float(x))


def at(node, x=0, y=0, z=0):
    return ("at", node, (x, y, z)) if x or y or z else node


class Operators:
    def __init__(self, dimensions):
        self.dimensions = dimensions

    def along(self, a, axis, by):
        return at(a, *(by if i == axis else 0 for i in range(3)))

    def pair(self, a, axis):
        return ("+", self.along(a, axis, -1), self.along(a, axis, 1))

    def per(self, a, factor, power):
        dx = ("par", 1)
        length = ("*", num(factor), ("*", dx, dx) if power == 2 else dx)
        return ("*", a, ("/", num(1), length))

    def nearest(self, a):
        both = ("+", self.pair(a, 0), self.pair(a, 1))
        return ("+", both, self.pair(a, 2)) if self.dimensions == 3 else both

    def diagonal(self, a, axis, other):
        sides = self.pair(a, axis)
        return ("+", self.along(sides, other, -1), self.along(sides, other, 1))

    def lap(self, a):
        return self.per(("-", self.nearest(a), ("*", num(2 * self.dimensions), a)), 1, 2)

    def lap9(self, a):
        edges = self.diagonal(a, 0, 1)
        if self.dimensions == 2:
            both = ("+", ("*", num(4), self.nearest(a)), edges)
            return self.per(("-", both, ("*", num(20), a)), 6, 2)
        every = ("+", ("+", edges, self.diagonal(a, 0, 2)), self.diagonal(a, 1, 2))
        corners = ("+", self.along(edges, 2, -1), self.along(edges, 2, 1))
        near = ("+", ("*", num(14), self.nearest(a)), ("*", num(3), every))
        return self.per(("-", ("+", near, corners), ("*", num(128), a)), 30, 2)

    def bilap(self, a):
        return self.lap(self.lap(a))

    def trilap(self, a):
        return self.lap(self.bilap(a))

    def slope(self, a, axis):
        return self.per(("-", self.along(a, axis, 1), self.along(a, axis, -1)), 2, 1)

    def dx(self, a):
        return self.slope(a, 0)

    def dy(self, a):
        return self.slope(a, 1)

    def dz(self, a):
        return self.slope(a, 2)

    def curvature(self, a, axis):
        return self.per(("-", self.pair(a, axis), ("*", num(2), a)), 1, 2)

    def dxx(self, a):
        return self.curvature(a, 0)

    def dyy(self, a):
        return self.curvature(a, 1)

    def dzz(self, a):
        return self.curvature(a, 2)

    def dxy(self, a):
        across = ("-", self.along(a, 0, 1), self.along(a, 0, -1))
        return self.per(("-", self.along(across, 1, 1), self.along(across, 1, -1)), 4, 2)

    def over_axes(self, term):
        total = term(0)
        for axis in range(1, self.dimensions):
            total = ("+", total, term(axis))
        return total

    def grad2(self, a):
        return self.over_axes(lambda axis: ("*", self.slope(a, axis), self.slope(a, axis)))

    def div(self, c, a):
        def net(axis):
            mean = ("*", num(0.5), ("+", c, self.along(c, axis, 1)))
            flux = ("*", mean, ("-", self.along(a, axis, 1), a))
            return ("-", flux, self.along(flux, axis, -1))
        return self.per(self.over_axes(net), 1, 2)

    def toward(self, a, u, axis):
        ahead = ("-", self.along(u, axis, 1), u)
        step = ("?", ("<", num(0), a), self.along(ahead, axis, -1), ahead)
        return ("*", a, self.per(step, 1, 1))

    def upwind(self, a, u):
        return self.toward(a, u, 0)

    def upwind_y(self, a, u):
        return self.toward(a, u, 1)

    def upwind_z(self, a, u):
        return self.toward(a, u, 2)

    def sum8(self, a):
        return ("+", ("+", self.pair(a, 0), self.pair(a, 1)), self.diagonal(a, 0, 1))

    def line(self, a, axis, reach):
        total = self.along(a, axis, -reach)
        for i in range(1 - reach, reach + 1):
            total = ("+", total, self.along(a, axis, i))
        return total

    def mean(self, a, reach):
        reach = int(reach[1])
        total = self.line(self.line(a, 0, reach), 1, reach)
        return ("*", num(1 / (2 * reach + 1)**2), total)


TOKEN = re.compile(r"\s*(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\*\*|"
                   r"<=|>=|==|!=|&&|\|\||[-+*/^<>!?:(),\[\]])")


class Parser:
    def __init__(self, model, text):
        self.model, self.tokens, self.at = model, TOKEN.findall(text), 0
        assert "".join(self.tokens) == re.sub(r"\s", "", text), text

    def take(self, *signs):
        if self.at < len(self.tokens) and self.tokens[self.at] in signs:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def choice(self):
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        yes = self.choice()
        assert self.take(":")
        return ("?", condition, yes, self.choice())

    LEVELS = [("||",), ("&&",), ("<", "<=", ">", ">=", "==", "!="), ("+", "-"), ("*", "/")]

    def binary(self, level):
        if level == len(self.LEVELS):
            return self.unary()
        a = self.binary(level + 1)
        while True:
            sign = self.take(*self.LEVELS[level])
            if not sign:
                return a
            b = self.binary(level + 1)
            a = (sign.replace(">", "<"), b, a) if sign in (">", ">=") else (sign, a, b)
            if level == 2:
                return a

    def unary(self):
        if self.take("-"):
            return ("neg", self.unary())
        if self.take("!"):
            return ("not", self.unary())
        base = self.atom()
        return self.raised(base, self.unary()) if self.take("^", "**") else base

    def raised(self, a, b):
        negative = b[0] == "neg"
        n = b[1] if negative else b
        n = n[1] if n[0] == "num" else 0.5
        if n != math.floor(n) or not 1 <= n <= (8 if negative else 16):
            return ("power", a, b)
        power = a
        for bit in bin(int(n))[3:]:
            power = ("*", power, power)
            if bit == "1":
                power = ("*", power, a)
        return ("/", num(1), power) if negative else power

    def arguments(self):
        args = []
        if not self.take(")"):
            args.append(self.choice())
            while self.take(","):
                args.append(self.choice())
            assert self.take(")")
        return args

    def offset(self):
        sign = -1 if self.take("-") else 1
        self.at += 1
        return sign * int(self.tokens[self.at - 1])

    def atom(self):
        token = self.tokens[self.at]
        self.at += 1
        if token == "(":
            node = self.choice()
            assert self.take(")")
            return node
        if token[0].isdigit() or token[0] == ".":
            return num(token)
        if self.take("("):
            return self.call(token, self.arguments())
        node = self.model.name(token)
        if node[0] == "field" and self.take("["):
            offsets = [self.offset()]
            while self.take(","):
                offsets.append(self.offset())
            assert self.take("]")
            node = at(node, *offsets)
        return node

    def call(self, name, args):
        if name in ("random", "normal"):
            self.model.calls += 1
            return (name, self.model.calls - 1)
        if name == "clamp":
            return ("min", ("max", args[0], args[1]), args[2])
        if name in FUNCTIONS:
            return (name, *args)
        return getattr(self.model.operators, name)(*args)


# --- bounds ---------------------------------------------------------------------------------------

def grid_of(size):
    return math.frexp(size)[1] - 24


UP, DOWN = 1 + 2.0**-23, 1 - 2.0**-23


class Bound:
    """The largest magnitude, the smallest other than 0, and the power of 2 of which all values are
    multiples."""

    def __init__(self, most, least, grid):
        self.most, self.least, self.grid = most, least, max(grid, grid_of(least))

    def clamped(self):
        return Bound(min(self.most, 2.0**62), self.least, self.grid)

    def flushed(self):
        return Bound(self.most, max(self.least, TINY), max(self.grid, -83))


FIXED = {"sqrt": (2.0**31, 2.0**-31), "exp": (2.0**60, 2.0**-60), "log": (64.0, 2.0**-26),
         "sin": (2.0, 2.0**-40), "cos": (2.0, 2.0**-40), "tanh": (2.0, 2.0**-30),
         "sigmoid": (2.0, 2.0**-31), "power": (2.0**61, 2.0**-61)}
LOGIC = ("<", "<=", "==", "!=", "&&", "||", "not", "sign")


def exactly(number):
    size = abs(f32(number))
    if size < TINY:
        bound = Bound(0.0, 1.0, 0)
    else:
        grid = grid_of(size)
        while math.fmod(size, 2.0**(grid + 1)) == 0:
            grid += 1
        bound = Bound(size, size, grid)
        bound.grid = grid
    return bound


def of_sum(a, b):
    clamp = a.most + b.most > 2.0**126
    if clamp:
        a, b = a.clamped(), b.clamped()
    flushes = [x.grid < -126 for x in (a, b)]
    a, b = (x.flushed() if f else x for x, f in zip((a, b), flushes))
    grid = min(a.grid, b.grid)
    bound = Bound((a.most + b.most) * UP, 2.0**grid, grid)
    bound.grid = grid
    return bound, [clamp, clamp], flushes


def of_product(a, b):
    clamp = a.most * b.most > 2.0**126
    both = [a.clamped(), b.clamped()] if clamp else [a, b]
    flushes = [False, False]
    for _ in range(2):
        if both[0].least * both[1].least < 2.0**-126:
            smaller = 1 if both[1].least < both[0].least else 0
            both[smaller] = both[smaller].flushed()
            flushes[smaller] = True
    a, b = both
    return Bound(a.most * b.most * UP, a.least * b.least * DOWN, a.grid + b.grid), \
        [clamp, clamp], flushes


def of_reciprocal(b):
    least = max(b.least, TINY)
    most = min(max(b.most, least), LARGE)
    return Bound(2 / least, 0.5 / most, -149)


def either(a, b):
    bound = Bound(max(a.most, b.most), min(a.least, b.least), min(a.grid, b.grid))
    bound.grid = min(a.grid, b.grid)
    return bound


# --- models ---------------------------------------------------------------------------------------

SIDES = ("left", "right", "top", "bottom", "front", "back")


class Model:
    """`images` and `maps`: the values of cells of the images and mapped parameters that a run has,
    by name."""

    def __init__(self, data, images=None, maps=None):
        self.images, self.maps = images or {}, maps or {}
        self.fields = list(data["fields"])
        self.ranges = [tuple(map(float, field.get("range", (-2.0**30, 2.0**30))))
                       for field in data["fields"].values()]
        self.parameters = {name: [data.get(name, 1), 1e-6, 1e6] for name in ("dt", "dx")}
        for name, value in data.get("parameters", {}).items():
            self.parameters[name] = value if isinstance(value, list) else [value, -1e6, 1e6]
        self.values = [float(value[0]) for value in self.parameters.values()]
        self.calls, self.lets = 0, {}
        self.dimensions = 3 if data.get("volumes") else 2
        self.operators = Operators(self.dimensions)
        self.boundary = data.get("boundary", "periodic")
        edges = [field.get("boundary", self.boundary) for field in data["fields"].values()]
        self.by_side = any(edge is not self.boundary or isinstance(edge, dict) for edge in edges)
        for name, image in data.get("images", {}).items():
            if name not in self.images:
                self.lets[name] = self.parse(image.get("value", 0))
        for name, text in data.get("let", {}).items():
            self.lets[name] = self.parse(text)
        part = data.get("rates") or data["next"]
        self.scheme = "map" if "next" in data else data.get("scheme", "euler")
        self.rates = [self.parse(part[name]) for name in self.fields]
        self.inits = {name: [self.parse(init[field]) for field in self.fields]
                      for name, init in data["init"].items()}
        self.stops = [self.parse(text) for text in data.get("stop", {}).values()]
        self.edges = [self.edge(i, edge) for i, edge in enumerate(edges)] if self.by_side else []
        self.bounds, self.guards, self.constants = {}, {}, {}

    def replaced(self, node, op, with_):
        if node[0] == op:
            return with_
        if node[0] == "at":
            return at(self.replaced(node[1], op, with_), *node[2])
        args = self.operands(node)
        return (node[0], *(self.replaced(arg, op, with_) for arg in args)) if args else node

    def edge(self, index, edge):
        """For each side of a field: "periodic", "no-flux" or a node in which the field is the value
        at the mirrored cell."""
        sides = []
        for side in range(2 * self.dimensions):
            word = edge.get(SIDES[side], "no-flux") if isinstance(edge, dict) else edge
            if not isinstance(word, str):
                field, h = ("field", index), ("*", ("beyond", 0), ("par", 1))
                kind, texts = next(iter(word.items()))
                texts = texts if isinstance(texts, list) else [texts]
                nodes = [self.replaced(self.parse(text), "xyz"[side // 2], num(side % 2))
                         for text in texts]
                if kind == "value":
                    word = ("-", ("*", num(2), nodes[0]), field)
                elif kind == "slope":
                    word = ("+", field, ("*", nodes[0], h))
                else:
                    a, b = ("*", num(0.5), nodes[0]), ("/", nodes[1], h)
                    word = ("/", ("-", nodes[2], ("*", field, ("-", a, b))), ("+", a, b))
            sides.append(word)
        return sides

    def parse(self, text):
        parser = Parser(self, str(text))
        node = parser.choice()
        assert parser.at == len(parser.tokens), text
        return node

    def name(self, name):
        if name in self.fields:
            return ("field", self.fields.index(name))
        if name in self.images or name in self.maps:
            return ("image", name)
        if name in self.parameters:
            return ("par", list(self.parameters).index(name))
        if name in self.lets:
            return self.lets[name]
        if name == "t":
            return ("*", ("step", 0), ("par", 0))
        return num(math.pi) if name == "pi" else (name, 0)

    def operands(self, node):
        leaf = node[0] in ("num", "par", "field", "image", "x", "y", "z", "step", "beyond",
                           "random", "normal")
        return () if leaf else node[1:2] if node[0] == "at" else node[1:]

    def constant(self, node):
        """The value of a node of numbers and parameters; None for others."""
        if id(node) not in self.constants:
            args = [self.constant(arg) for arg in self.operands(node)]
            if node[0] == "num":
                value = node[1]
            elif node[0] == "par":
                value = self.values[node[1]]
            elif node[0] == "at":
                value = args[0]
            elif args and None not in args:
                value = HOST[node[0]](*args)
            else:
                value = None
            self.constants[id(node)] = (None if value is None else limit(value, -2.0**62, 2.0**62),
                                        node)
        return self.constants[id(node)][0]

    def leaf_bound(self, node):
        if node[0] == "field":
            most = max(map(abs, self.ranges[node[1] % len(self.fields)])) * UP
            return Bound(max(most, 2.0**30) if self.by_side else most, TINY, -83)
        if node[0] == "image":
            limits = self.parameters[node[1]][1:3] if node[1] in self.maps else (0, 1)
            return Bound(max(map(abs, limits)) * UP, TINY, -83)
        return {"step": Bound(2.0**33, 1.0, 0), "beyond": Bound(255.0, 1.0, 0),
                "random": Bound(1.0, 2.0**-24, -24),
                "normal": Bound(16.0, TINY, -83)}.get(node[0], Bound(2.0, 2.0**-26, -83))

    def constant_bound(self, node, args):
        """Before it is rounded and flushed; `least` is 0 if there is none."""
        op, least = node[0], 0.0
        if op == "num":
            most = least = abs(node[1])
        elif op == "par":
            low, high = list(self.parameters.values())[node[1]][1:3]
            most = max(abs(low), abs(high))
            least = min(abs(low), abs(high)) if low > 0 or high < 0 else 0.0
        elif op == "*":
            most, least = args[0].most * args[1].most, args[0].least * args[1].least
        elif op == "/":
            most, least = (args[0].most / max(args[1].least, TINY),
                           args[0].least / max(args[1].most, TINY))
        else:
            most = self.operation_bound(node, args)[0].most
        bound = Bound(min(most * UP, 2.0**62), 1.0, 0)
        bound.least = min(least * DOWN, 2.0**62)
        return bound

    def operand_bound(self, node):
        bound = self.bound(node)
        return exactly(node[1]) if node[0] == "num" else bound if self.constant(node) is None \
            else Bound(bound.most, max(bound.least, TINY), -83)

    def bound(self, node):
        if id(node) in self.bounds:
            return self.bounds[id(node)][0]
        if node[0] == "at":
            return self.bound(node[1])
        guards = [], []
        if self.constant(node) is not None:
            bound = self.constant_bound(node, [self.bound(arg) for arg in self.operands(node)])
        elif self.operands(node):
            args = [self.operand_bound(arg) for arg in self.operands(node)]
            bound, *guards = self.operation_bound(node, args)
        else:
            bound = self.leaf_bound(node)
        self.bounds[id(node)] = (bound, node)
        self.guards[id(node)] = guards
        return bound

    @staticmethod
    def operation_bound(node, args):
        clamps, flushes, op = [False] * 3, [False] * 3, node[0]
        if op in ("+", "-"):
            bound, clamps, flushes = of_sum(*args)
        elif op == "*":
            bound, clamps, flushes = of_product(*args)
        elif op == "/":
            bound, clamps, flushes = of_product(args[0], of_reciprocal(args[1]))
            clamps, flushes = [clamps[0], False], [flushes[0], False]
        elif op in LOGIC:
            bound = Bound(1.0, 1.0, 0)
            bound.grid = 0
        elif op in FIXED:
            bound = Bound(*FIXED[op], -126)
        elif op == "floor":
            bound = Bound(args[0].most + 1, 1.0, 0)
        elif op in ("min", "max"):
            bound = either(*args)
        elif op == "?":
            bound = either(*args[1:])
        else:
            bound = args[0]
        return bound, clamps, flushes


class Run:
    """A field of width x height (x depth) cells."""

    def __init__(self, model, size, seed, init, boundary=None):
        self.model, self.size, self.seed = model, (*size, 1)[:3], seed
        self.boundary = boundary or ("by-side" if model.by_side else model.boundary)
        self.cells = [(x, y, z) for z in range(self.size[2]) for y in range(self.size[1])
                      for x in range(self.size[0])]
        self.step, self.fields, self.memo = 0, [], {}
        self.fields = [self.stored(i, node) for i, node in enumerate(model.inits[init])]

    def inside(self, at, axis):
        side, edges = self.size[axis], self.boundary
        if edges == "by-side":
            edges = self.model.edges[0][2 * axis] if axis < self.model.dimensions else "no-flux"
        if edges == "periodic":
            return at % side
        at %= 2 * side
        return at if at < side else 2 * side - 1 - at

    def neighbour(self, cell, offset):
        return tuple(self.inside(a + o, axis) for axis, (a, o) in enumerate(zip(cell, offset)))

    def field_value(self, index, cell, offset):
        there = [a + o for a, o in zip(cell, offset)]
        value = self.fields[index][self.number(self.neighbour(cell, offset))]
        for axis in reversed(range(self.model.dimensions if self.boundary == "by-side" else 0)):
            size = self.size[axis]
            side = 2 * axis if there[axis] < 0 else 2 * axis + 1 if there[axis] >= size else None
            if side is None:
                continue
            node = self.model.edges[index % len(self.model.fields)][side]
            if not isinstance(node, str):
                beyond = -1 - 2 * there[axis] if side % 2 == 0 else 2 * (there[axis] - size) + 1
                stage = index // len(self.model.fields)
                node = self.shifted(node, stage, self.TIMES[self.model.scheme][stage], {}) \
                    if stage else node
                value = flush(limit(self.ghost(node, cell, offset, value, float(beyond)), -2.0**30,
                                    2.0**30))
        return value

    TIMES = {"heun": (0, 1), "rk4": (0, 0.5, 0.5, 1)}

    def ghost(self, node, cell, offset, mirrored, beyond):
        """The value of a node at a cell beyond an edge."""
        model = self.model
        constant = model.constant(node)
        if constant is not None:
            return flush(f32(constant))
        if node[0] == "at":
            return self.ghost(node[1], cell, [a + b for a, b in zip(offset, node[2])], mirrored,
                              beyond)
        if node[0] in ("field", "beyond", "step"):
            return {"field": mirrored, "beyond": beyond, "step": float(self.step)}[node[0]]
        if node[0] in "xyz":
            axis = "xyz".index(node[0])
            return self.centre(self.neighbour(cell, offset), axis)
        args = [self.ghost(arg, cell, offset, mirrored, beyond) for arg in model.operands(node)]
        return FUNCTIONS[node[0]](*self.guarded(node, [[arg] for arg in args], True))

    def centre(self, cell, axis):
        return mul(add(float(cell[axis]), 0.5), f32(1 / self.size[axis]))

    def guarded(self, node, args, single=False):
        model = self.model
        model.bound(node)
        for i, (clamp, flushes) in enumerate(zip(*model.guards[id(node)])):
            if clamp and i < len(args):
                args[i] = [limit(x, -2.0**62, 2.0**62) for x in args[i]]
            if flushes and i < len(args):
                args[i] = [flush(x) for x in args[i]]
        return [arg[0] for arg in args] if single else args

    def number(self, cell):
        return (cell[2] * self.size[1] + cell[1]) * self.size[0] + cell[0]

    def leaf(self, node, offset):
        op, values = node[0], []
        for cell in self.cells:
            there = self.neighbour(cell, offset)
            if op == "field":
                values.append(self.field_value(node[1], cell, offset))
            elif op == "image":
                image = {**self.model.images, **self.model.maps}[node[1]]
                values.append(image[self.number(there)])
            elif op == "step":
                values.append(float(self.step))
            elif op in ("random", "normal"):
                words = random(self.seed, self.number(there), self.step, node[1])
                values.append(f32((words[0] >> 8) * 2.0**-24) if op == "random"
                              else f_normal(words[0], words[1]))
            else:
                values.append(self.centre(there, "xyz".index(op)))
        return values

    def value(self, node, offset=(0, 0, 0)):
        key = (id(node), offset)
        if key not in self.memo:
            self.memo[key] = self.computed(node, offset)
        return self.memo[key]

    def computed(self, node, offset):
        model = self.model
        constant = model.constant(node)
        if constant is not None:
            return [flush(f32(constant))] * len(self.cells)
        if node[0] == "at":
            return self.value(node[1], tuple(a + b for a, b in zip(offset, node[2])))
        operands = model.operands(node)
        if not operands:
            return self.leaf(node, offset)
        args = self.guarded(node, [self.value(arg, offset) for arg in operands])
        values, bound = list(map(FUNCTIONS[node[0]], *args)), model.bound(node)
        sizes = [abs(x) for x in values if x]
        assert not sizes or bound.least <= min(sizes) and max(sizes) <= bound.most and \
            not any(map(math.fmod, sizes, itertools.repeat(2.0**bound.grid))), (node, vars(bound))
        return values

    def stored(self, index, node):
        low, high = (f32(x) for x in self.model.ranges[index % len(self.model.ranges)])
        return [flush(limit(x, low, high)) for x in self.value(node)]

    def shifted(self, node, stage, time, known):
        """A rate of the fields of a stage, `time` steps later."""
        if id(node) not in known:
            model = self.model
            if node[0] == "field":
                new = ("field", node[1] + stage * len(model.fields))
            elif node[0] == "step":
                new = ("+", node, num(time))
            elif node[0] == "at":
                new = ("at", self.shifted(node[1], stage, time, known), node[2])
            else:
                args = model.operands(node)
                new = (node[0], *(self.shifted(arg, stage, time, known) for arg in args)) \
                    if args else node
            known[id(node)] = new, node
        return known[id(node)][0]

    def rates(self, stage, time):
        known = {}
        return [self.shifted(rate, stage, time, known) if stage else rate
                for rate in self.model.rates]

    @staticmethod
    def advanced(u, share, rate):
        dt = ("par", 0) if share == 1 else ("*", num(share), ("par", 0))
        return ("+", u, ("*", dt, rate))

    def add_stage(self, stage, share, time):
        nodes = [self.advanced(("field", i), share, rate)
                 for i, rate in enumerate(self.rates(stage - 1, time))]
        self.fields += [self.stored(i, node) for i, node in enumerate(nodes)]

    def heun(self):
        self.add_stage(1, 1, 0)
        return [self.advanced(("field", i), 0.5, ("+", a, b))
                for i, (a, b) in enumerate(zip(self.rates(0, 0), self.rates(1, 1)))]

    def rk4(self):
        count, nodes = len(self.model.fields), []
        for stage, share, time in ((1, 0.5, 0), (2, 0.5, 0.5), (3, 1, 0.5)):
            self.add_stage(stage, share, time)
        for i, rate in enumerate(self.rates(3, 1)):
            u = ("field", i)
            a, b, c = (("-", ("field", i + count * stage), u) for stage in (1, 2, 3))
            middle = ("+", u, ("*", num(1 / 3), ("+", ("+", a, ("*", num(2), b)), c)))
            nodes.append(self.advanced(middle, 1 / 6, rate))
        return nodes

    def advance(self):
        scheme, count = self.model.scheme, len(self.model.fields)
        self.memo = {}
        if scheme == "symplectic":
            for i, rate in enumerate(self.model.rates):
                self.fields[i] = self.stored(i, self.advanced(("field", i), 1, rate))
                self.memo = {}
        else:
            nodes = self.model.rates if scheme == "map" else \
                [self.advanced(("field", i), 1, rate)
                 for i, rate in enumerate(self.model.rates)] if scheme == "euler" else \
                getattr(self, scheme)()
            self.fields = [self.stored(i, node) for i, node in enumerate(nodes)]
        self.fields = self.fields[:count]
        self.step += 1
