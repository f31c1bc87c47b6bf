#!/usr/bin/env python3
"""Labelled pairs of answers for math/: scalars by mpmath with 60 digits at random points, what mpmath has no form for by hand;
beside each what the PyPI package math-verify says where it parses.

    python3 math_pairs.py > ../../tests/golden/math/pairs.jsonl      (needs mpmath, math-verify[antlr4_13_2])

Scalars come in classes: texts of a class mean the same, neighbouring classes do not; the label is computed for every pair all
the same. A point counts where both values are real; constants always do. Disagreements of math-verify are printed with the
reason that settled them.
"""
import itertools
import json
import random
import sys

import mpmath
from mpmath import (acos, asin, atan, binomial, ceil, cos, cosh, cot, csc, e, exp, factorial, floor, log, mpf, pi, sec, sin, sinh,
                    sqrt, tan, tanh)

mpmath.mp.dps = 60
R = lambda a, b=1: mpf(a) / mpf(b)  # noqa: E731
cbrt = lambda v: mpmath.sign(v) * abs(v) ** R(1, 3)  # noqa: E731

CLASSES = [
    # fractions and decimals
    [(r"\frac{1}{2}", "R(1,2)"), ("0.5", "R(1,2)"), ("1/2", "R(1,2)"), (r"\dfrac12", "R(1,2)"), (".50", "R(1,2)"), (r"\frac{3}{6}", "R(3,6)")],
    [(r"\frac{2}{3}", "R(2,3)"), ("4/6", "R(4,6)"), (r"\tfrac{-2}{-3}", "R(2,3)")],
    [("0.6667", "R(6667,10000)"), (r"\frac{6667}{10000}", "R(6667,10000)")],
    [("-3/4", "R(-3,4)"), (r"-\frac{3}{4}", "R(-3,4)"), (r"\frac{-3}{4}", "R(-3,4)"), (r"\frac{3}{-4}", "R(-3,4)"), ("-0.75", "R(-3,4)")],
    [("3/4", "R(3,4)"), ("75/100", "R(75,100)"), ("1 - 1/4", "1-R(1,4)")],
    [("1000", "mpf(1000)"), ("1,000", "mpf(1000)"), ("1{,}000", "mpf(1000)"), ("10^3", "mpf(1000)"), ("1000.0", "mpf(1000)")],
    [("12,345,678", "mpf(12345678)"), ("12345678", "mpf(12345678)")],
    [("1000000000000000000001", "mpf(10)**21+1"), ("10^{21}+1", "mpf(10)**21+1")],
    [("10^{21}", "mpf(10)**21"), (r"10 \cdot 10^{20}", "mpf(10)**21")],
    [("2^{100}", "mpf(2)**100"), ("1267650600228229401496703205376", "mpf(1267650600228229401496703205376)"), ("4^{50}", "mpf(4)**50")],
    [("2^{10}", "mpf(1024)"), ("1024", "mpf(1024)"), ("2**10", "mpf(1024)")],
    [("5!", "mpf(120)"), ("120", "mpf(120)"), (r"6 \cdot 20", "mpf(120)")],
    [(r"\binom{10}{3}", "binomial(10,3)"), ("120 + 0", "mpf(120)"), (r"\frac{10!}{3! \cdot 7!}", "factorial(10)/factorial(3)/factorial(7)")],
    [("7 - 3 - 2", "mpf(2)"), ("2", "mpf(2)"), (r"8 \div 4", "mpf(2)"), ("8/2/2", "mpf(2)")],
    [("-2^2", "mpf(-4)"), ("-4", "mpf(-4)"), ("-(2^2)", "mpf(-4)")],
    [("(-2)^2", "mpf(4)"), ("4", "mpf(4)"), ("|-4|", "mpf(4)")],
    [("2(3+4)", "mpf(14)"), ("14", "mpf(14)"), (r"2\left(3+4\right)", "mpf(14)"), ("(2)(7)", "mpf(14)")],
    [("2^{3^{2}}", "mpf(512)"), ("512", "mpf(512)")],
    [("(2^3)^2", "mpf(64)"), ("64", "mpf(64)"), ("8^2", "mpf(64)")],
    [("3.14", "R(314,100)"), (r"\frac{157}{50}", "R(157,50)")],
    # pi, e, i
    [(r"\pi", "pi"), ("pi", "pi"), ("π", "pi"), (r"\frac{2\pi}{2}", "pi")],
    [("3.14159265358979", "mpf('3.14159265358979')")],
    [(r"2\pi", "2*pi"), (r"\pi+\pi", "2*pi"), (r"\pi \cdot 2", "2*pi")],
    [(r"\frac{\pi}{6}", "pi/6"), ("pi/6", "pi/6"), (r"\frac16\pi", "pi/6"), (r"\arcsin(1/2)", "asin(R(1,2))"), (r"\sin^{-1}\frac12", "asin(R(1,2))")],
    [("e^2", "exp(2)"), (r"\exp(2)", "exp(2)"), (r"e \cdot e", "exp(2)")],
    [(r"e^{\pi\sqrt{163}}", "exp(pi*sqrt(163))")],
    [("e^{i\\pi}", "mpf(-1)"), ("-1", "mpf(-1)"), ("i^2", "mpf(-1)")],
    [("3+4i", "mpmath.mpc(3,4)"), ("4i+3", "mpmath.mpc(3,4)"), ("(2+i)^2", "mpmath.mpc(3,4)")],
    [("3-4i", "mpmath.mpc(3,-4)"), ("(2-i)^2", "mpmath.mpc(3,-4)")],
    [(r"\frac{1}{i}", "mpmath.mpc(0,-1)"), ("-i", "mpmath.mpc(0,-1)")],
    # roots
    [(r"\sqrt{8}", "sqrt(8)"), (r"2\sqrt{2}", "2*sqrt(2)"), ("2sqrt(2)", "2*sqrt(2)"), (r"2\sqrt2", "2*sqrt(2)"), ("√8", "sqrt(8)"), ("8^{1/2}", "sqrt(8)"), ("8^0.5", "sqrt(8)")],
    [("2.83", "R(283,100)"), ("2.8300", "R(283,100)")],
    [(r"\frac{1}{\sqrt{2}}", "1/sqrt(2)"), (r"\frac{\sqrt{2}}{2}", "sqrt(2)/2"), ("sqrt(2)/2", "sqrt(2)/2"), (r"\sqrt{\frac12}", "sqrt(R(1,2))")],
    [(r"\sqrt{3}", "sqrt(3)"), (r"\frac{3}{\sqrt{3}}", "3/sqrt(3)"), (r"\sqrt[4]{9}", "mpf(9)**R(1,4)")],
    [(r"\sqrt[3]{27}", "mpf(3)"), ("3", "mpf(3)"), ("cbrt(27)", "mpf(3)"), ("27^{1/3}", "mpf(3)")],
    [(r"\sqrt[3]{-8}", "mpf(-2)"), ("-2", "mpf(-2)")],
    [(r"\sqrt{-4}", "mpmath.mpc(0,2)"), ("2i", "mpmath.mpc(0,2)")],
    [(r"(\sqrt{2}+\sqrt{3})^2", "(sqrt(2)+sqrt(3))**2"), (r"5+2\sqrt{6}", "5+2*sqrt(6)"), (r"5+\sqrt{24}", "5+sqrt(24)")],
    [(r"5+2\sqrt{5}", "5+2*sqrt(5)"), (r"\sqrt{5}(\sqrt{5}+2)", "5+2*sqrt(5)")],
    [(r"\sqrt{5-2\sqrt{6}}", "sqrt(5-2*sqrt(6))"), (r"\sqrt{3}-\sqrt{2}", "sqrt(3)-sqrt(2)")],
    [(r"\frac{1+\sqrt{5}}{2}", "(1+sqrt(5))/2"), (r"\frac{2}{\sqrt{5}-1}", "2/(sqrt(5)-1)"), (r"\frac{1}{2}+\frac{\sqrt5}{2}", "(1+sqrt(5))/2")],
    [(r"\frac{1-\sqrt{5}}{2}", "(1-sqrt(5))/2"), (r"1-\frac{1+\sqrt5}{2}", "(1-sqrt(5))/2")],
    # polynomials and rational functions
    [("(x+1)^2", "(x+1)**2"), ("x^2+2x+1", "x**2+2*x+1"), ("x**2 + 2*x + 1", "x**2+2*x+1"), ("(x+1)(x+1)", "(x+1)**2"), ("1+2x+x²", "(x+1)**2")],
    [("x^2+1", "x**2+1"), ("1+x^2", "1+x**2")],
    [("(x-1)(x+1)", "x**2-1"), ("x^2-1", "x**2-1"), ("-(1-x^2)", "x**2-1"), ("(x-1)*(1+x)", "x**2-1")],
    [("(x-2)(x+2)", "x**2-4"), ("x^2-4", "x**2-4")],
    [(r"\frac{x^2-1}{x-1}", "(x**2-1)/(x-1)"), ("x+1", "x+1"), ("1+x", "x+1")],
    [(r"\frac{1}{x}+\frac{1}{y}", "1/x+1/y"), (r"\frac{x+y}{xy}", "(x+y)/(x*y)"), ("(x+y)/(x*y)", "(x+y)/(x*y)")],
    [(r"\frac{1}{x+y}", "1/(x+y)"), ("(x+y)^{-1}", "1/(x+y)")],
    [("x^3-y^3", "x**3-y**3"), ("(x-y)(x^2+xy+y^2)", "x**3-y**3")],
    [("(x-y)^3", "(x-y)**3"), ("x^3-3x^2y+3xy^2-y^3", "(x-y)**3")],
    [("2x", "2*x"), ("x+x", "2*x"), (r"2\cdot x", "2*x")],
    [("x^2", "x**2"), ("x x", "x*x"), (r"x\cdot x", "x*x")],
    [("6x+3", "6*x+3"), ("3(2x+1)", "6*x+3"), (r"\frac{12x+6}{2}", "6*x+3")],
    [("x/2", "x/2"), (r"\frac{x}{2}", "x/2"), (r"\frac12 x", "x/2"), ("0.5x", "x/2")],
    [("2/x", "2/x"), (r"2x^{-1}", "2/x")],
    [("a(b+c)", "a*(b+c)"), ("ab+ac", "a*b+a*c")],
    [("ab+c", "a*b+c"), ("c+ba", "a*b+c")],
    [("x_1+x_2", "x*1+y*1"), ("x_2+x_1", "x+y")],
    # roots and signs with symbols
    [(r"\sqrt{x^2}", "sqrt(x**2)"), ("|x|", "abs(x)"), (r"\left|x\right|", "abs(x)"), ("abs(x)", "abs(x)")],
    [("x", "x"), (r"\frac{x^2}{x}", "x**2/x"), (r"\sqrt[3]{x^3}", "cbrt(x**3)")],
    [("-x", "-x"), ("0-x", "-x"), (r"\frac{x}{-1}", "-x")],
    # trigonometry
    [(r"\sin(2x)", "sin(2*x)"), (r"\sin 2x", "sin(2*x)"), (r"2\sin x\cos x", "2*sin(x)*cos(x)"), ("2sin(x)cos(x)", "2*sin(x)*cos(x)")],
    [(r"\sin x", "sin(x)"), ("sin(x)", "sin(x)"), (r"\cos(\frac{\pi}{2}-x)", "cos(pi/2-x)")],
    [(r"\sin^2 x+\cos^2 x", "mpf(1)+0*x"), ("1", "mpf(1)"), (r"\sin^2(x)+\cos^{2}(x)", "mpf(1)+0*x")],
    [(r"\cos(2x)", "cos(2*x)"), (r"1-2\sin^2 x", "1-2*sin(x)**2"), (r"2\cos^2(x)-1", "2*cos(x)**2-1"), (r"\cos^2x-\sin^2x", "cos(2*x)")],
    [(r"\cos^2 x", "cos(x)**2"), (r"\frac{1+\cos 2x}{2}", "(1+cos(2*x))/2")],
    [(r"\tan x", "tan(x)"), (r"\frac{\sin x}{\cos x}", "tan(x)"), (r"\frac{1}{\cot x}", "1/cot(x)")],
    [(r"\sec^2 x", "sec(x)**2"), (r"1+\tan^2 x", "1+tan(x)**2"), (r"\frac{1}{\cos^2 x}", "sec(x)**2")],
    [(r"\csc x", "csc(x)"), (r"\frac{1}{\sin x}", "csc(x)")],
    [(r"\sin(\pi/3)", "sin(pi/3)"), (r"\frac{\sqrt{3}}{2}", "sqrt(3)/2"), ("sqrt(3)/2", "sqrt(3)/2")],
    [(r"\cos\frac{\pi}{3}", "R(1,2)"), (r"\frac12", "R(1,2)")],
    [(r"\arctan(1)", "pi/4"), (r"\frac{\pi}{4}", "pi/4"), ("atan(1)", "pi/4")],
    [(r"\cosh^2 x-\sinh^2 x", "mpf(1)+0*x"), ("1", "mpf(1)")],
    [(r"\sinh x", "sinh(x)"), (r"\frac{e^x-e^{-x}}{2}", "(exp(x)-exp(-x))/2")],
    # logarithms and exponentials
    [(r"\ln(x^2)", "log(x**2)"), (r"2\ln x", "2*log(x)"), ("2ln(x)", "2*log(x)")],
    [(r"\ln x", "log(x)"), ("ln(x)", "log(x)"), (r"-\ln\frac1x", "log(x)")],
    [(r"\ln(xy)", "log(x*y)"), (r"\ln x+\ln y", "log(x)+log(y)")],
    [(r"\ln(x+y)", "log(x+y)"), (r"\ln(y+x)", "log(x+y)")],
    [(r"\log_2 8", "mpf(3)"), ("3", "mpf(3)"), (r"\log_{10}1000", "mpf(3)"), (r"\frac{\ln 8}{\ln 2}", "mpf(3)")],
    [(r"\log_2 x", "log(x)/log(2)"), (r"\frac{\ln x}{\ln 2}", "log(x)/log(2)"), (r"\frac{\log x}{\log 2}", "log(x)/log(2)")],
    [(r"\log_4 x", "log(x)/log(4)"), (r"\frac12\log_2 x", "log(x)/log(4)")],
    [("e^{2x}", "exp(2*x)"), ("(e^x)^2", "exp(2*x)"), (r"\exp(2x)", "exp(2*x)"), ("e^x e^x", "exp(2*x)")],
    [("e^{x^2}", "exp(x**2)"), (r"\exp(x^2)", "exp(x**2)")],
    [("e^{\\ln 5}", "mpf(5)"), ("5", "mpf(5)")],
    [("2^{x+1}", "2**(x+1)"), (r"2\cdot 2^x", "2**(x+1)"), (r"\frac{4^{x}}{2^{x-1}}", "2**(x+1)")],
    [("2^x", "2**x"), (r"e^{x\ln 2}", "2**x")],
    # near misses
    [("x^2+2x+1.0000001", "x**2+2*x+mpf('1.0000001')")],
    [("x^2+2x+1", "x**2+2*x+1")],
    [(r"\sqrt{2}", "sqrt(2)"), (r"2^{1/2}", "sqrt(2)")],
    [("1.41421356", "mpf('1.41421356')")],
    [("floor(3.7)", "mpf(3)"), ("3", "mpf(3)")],
    [("ceil(3.2)", "mpf(4)"), ("4", "mpf(4)")],
    # mixed numbers
    [(r"1\frac{1}{2}", "R(3,2)"), ("1 1/2", "R(3,2)"), ("3/2", "R(3,2)"), (r"\frac{3}{2}", "R(3,2)")],
    [(r"2\frac{3}{4}", "R(11,4)"), ("2 3/4", "R(11,4)"), ("2.75", "R(11,4)"), ("11/4", "R(11,4)")],
    [(r"2\cdot\frac{3}{4}", "R(3,2)"), ("1.5", "R(3,2)")],
    [(r"-1\frac{1}{3}", "R(-4,3)"), ("-4/3", "R(-4,3)"), (r"-\frac{4}{3}", "R(-4,3)")],
    [("-2/3", "R(-2,3)"), (r"-1+\frac13", "R(-2,3)")],
]

# (a, b, label): no form in mpmath; labelled by hand.
HAND = [
    # percent
    (r"50\%", "50%", "equal"), (r"50\%", "0.5", "equal"), ("12.5%", r"\frac{1}{8}", "equal"), ("50%", "5%", "different"),
    ("50%", "0.05", "different"), (r"100\%", "1", "equal"), ("20%", r"20\%", "equal"), ("7%", "0.7", "different"),
    ("-5%", "-0.05", "equal"), ("33%", "1/3", "different"),
    # units
    (r"5\text{ cm}", "5 cm", "equal"), (r"5\text{ cm}", "5", "equal"), (r"5\text{ cm}", r"50\text{ mm}", "equal"),
    (r"5\text{ cm}", r"5\text{ mm}", "different"), ("5 km", r"5000\text{ m}", "equal"), ("5 km", r"5\text{ kg}", "different"),
    (r"12\text{ inches}", r"1\text{ foot}", "equal"), (r"2\text{ hours}", r"120\text{ minutes}", "equal"),
    (r"2\text{ hours}", r"2\text{ minutes}", "different"), (r"10\text{ cm}^2", r"10\text{ cm}^2", "equal"),
    (r"10\text{ cm}^2", r"1000\text{ mm}^2", "equal"), (r"10\text{ cm}^2", r"10\text{ cm}^3", "different"),
    (r"10\text{ cm}^{2}", r"10\text{ square centimeters}", "equal"), (r"\$5", "5", "equal"), (r"\$5", r"5\text{ dollars}", "equal"),
    (r"\$5", "6", "different"), (r"90^\circ", "90", "equal"), (r"90^{\circ}", r"\frac{\pi}{2}", "equal"),
    (r"90^\circ", r"90\text{ degrees}", "equal"), (r"60^\circ", r"\frac{\pi}{2}", "different"), ("45°", r"45^\circ", "equal"),
    (r"3.5\text{ kg}", r"3500\text{ g}", "equal"), (r"3.5\text{ kg}", r"350\text{ g}", "different"),
    (r"25\text{ apples}", "25", "equal"), (r"25\text{ apples}", "26", "different"), (r"\mathrm{5\,m}", "5 m", "undecided"),
    # intervals and inequalities
    ("(1,2]", "1<x\\le 2", "equal"), ("x>3", r"(3,\infty)", "equal"), ("3<x", "x>3", "equal"), (r"x\ge 3", "x>=3", "equal"),
    (r"x\ge 3", "x>3", "different"), ("x<3", "x>3", "different"), (r"[3,\infty)", r"x\geq 3", "equal"),
    (r"(-\infty,2)", "x<2", "equal"), (r"(-\infty,2]", "x<2", "different"), ("[0,1]", "[0,1]", "equal"), ("[0,1]", "[0,1)", "different"),
    ("[0,1]", "[0,2]", "different"), (r"[0,\frac12]", "[0,0.5]", "equal"), (r"(0,\pi)", r"(0, 2\pi/2)", "equal"),
    ("(0,1)", "0<x<1", "equal"), ("0<x<1", "1>x>0", "equal"), ("0<x<1", r"0\le x<1", "different"), (r"-1\leq x\leq 1", "[-1,1]", "equal"),
    (r"(-\infty,-1)\cup(1,\infty)", r"(1,\infty)\cup(-\infty,-1)", "equal"), (r"(-\infty,-1)\cup(1,\infty)", r"x<-1\text{ or }x>1", "equal"),
    (r"(-\infty,-1)\cup(1,\infty)", r"(-\infty,-1]\cup[1,\infty)", "different"), (r"(-\infty,0)\cup(0,\infty)", r"(-\infty,\infty)", "different"),
    (r"x\in[2,3]", "[2,3]", "equal"), (r"x \in (2,3)", "2<x<3", "equal"), ("2x>6", "x>3", "equal"), ("2x>6", "x>2", "different"),
    ("-x<2", "x>-2", "equal"), ("y>2x+1", "2x-y<-1", "equal"), ("y>2x+1", "y<2x+1", "different"), (r"\infty", r"-\infty", "different"),
    (r"\infty", r"+\infty", "equal"), ("5", r"\infty", "different"), (r"x\neq 2", r"x\ne 2", "equal"), (r"x \neq 2", "2 != x", "equal"),
    # sets, lists, tuples
    (r"\{1,2,3\}", r"\{3,2,1\}", "equal"), (r"\{1,2,3\}", "1,2,3", "equal"), (r"\{1,2\}", r"\{1,2,3\}", "different"),
    (r"\{1,2,2\}", r"\{1,2\}", "equal"), ("1, 2", "2, 1", "equal"), ("1, 2", "1, 3", "different"), (r"\pm 2", "2, -2", "equal"),
    (r"\pm 2", r"\{-2,2\}", "equal"), (r"\pm 2", "2", "different"), (r"x=\pm 3", r"x=3\text{ or }x=-3", "equal"),
    (r"1\pm\sqrt{2}", r"1+\sqrt2, 1-\sqrt2", "equal"), (r"1\pm\sqrt{2}", r"1\pm\sqrt{3}", "different"),
    (r"\frac{-1\pm\sqrt{5}}{2}", r"\frac{-1-\sqrt5}{2}, \frac{-1+\sqrt5}{2}", "equal"), ("x=1, x=2", "x=2, x=1", "equal"),
    ("x=1, x=2", "1, 2", "equal"), ("x=1, y=2", "y=2, x=1", "equal"), ("(1,2)", "(1,2)", "equal"), ("(1,2)", "(2,1)", "different"),
    (r"(\frac12, 3)", "(0.5, 3)", "equal"), ("(1,2,3)", r"\left(1,2,3\right)", "equal"), ("(1,2,3)", "(1,2)", "different"),
    ("(x+1, y)", "(1+x, y)", "equal"), (r"\emptyset", r"\{\}", "equal"), (r"\emptyset", r"\{0\}", "different"), ("(3, -1)", "(3.0, -1.0)", "equal"),
    (r"\{\frac12,\frac13\}", r"\{\frac13,0.5\}", "equal"), ("0, 1, -1", "-1, 0, 1", "equal"), (r"2 \text{ and } 3", "3, 2", "equal"),
    (r"\left\{-1, 1\right\}", r"\pm1", "equal"), ("(1,1,1)", "(1,1,2)", "different"),
    # matrices
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{bmatrix}1&2\\3&4\end{bmatrix}", "equal"),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{pmatrix}1&2\\3&5\end{pmatrix}", "different"),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{pmatrix}1&3\\2&4\end{pmatrix}", "different"),
    (r"\begin{pmatrix}\frac12&0\\0&1\end{pmatrix}", r"\begin{pmatrix}0.5&0\\0&1\end{pmatrix}", "equal"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1&2\end{pmatrix}", "different"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{bmatrix}1\\2\\\end{bmatrix}", "equal"),
    ("[[1,2],[3,4]]", r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "equal"), ("[[1,2],[3,4]]", "[[1,2],[4,3]]", "different"),
    (r"\begin{pmatrix}x+x&0\\0&1\end{pmatrix}", r"\begin{pmatrix}2x&0\\0&1\end{pmatrix}", "equal"),
    (r"\begin{array}{cc}1&2\\3&4\end{array}", r"\begin{matrix}1&2\\3&4\end{matrix}", "equal"),
    # equations
    ("x=5", "5", "equal"), ("x=5", "6", "different"), ("5", "x = 5", "equal"), ("x=5", "x=5.0", "equal"), ("x=5", "x=4", "different"),
    ("y=2x+1", "y=1+2x", "equal"), ("y=2x+1", "2x-y+1=0", "equal"), ("y=2x+1", "y=2x-1", "different"), ("y=2x+1", "2y=4x+2", "equal"),
    ("f(x)=x^2", "x^2", "equal"), ("x^2+y^2=1", "1-x^2-y^2=0", "equal"), ("x^2+y^2=1", "y^2+x^2=1", "equal"), ("3=x", "x=3", "equal"),
    ("y = (x-1)^2", "y=x^2-2x+1", "equal"), ("f(x)=2x", "f(x)=3x", "different"),
    # texts and conventions: nothing may call these wrong
    (r"\text{east}", r"\text{east}", "equal"), ("the answer", "42", "undecided"), (r"\log 100", "2", "undecided"), ("50%", "50", "undecided"),
    ("x=5", "y>5", "undecided"), ("(1,2)", "[1,2]", "undecided"), (r"(-8)^{1/3}", "-2", "undecided"), ("2 3", "6", "undecided"),
    (r"\frac{1}{0}", "1", "undecided"), ("", "1", "undecided"), ("1+", "1", "undecided"), (r"\int x dx", "x^2/2", "undecided"),
    ("9^{9^{9^{9}}}", "1", "undecided"), ("x^2=4", r"x=\pm 2", "undecided"), ("((((", "1", "undecided"), ("a+b+c+d+f", "f+d+c+b+a", "undecided"),
]


def value(form, point):
    return eval(form, {**globals(), **point})  # our own forms above, never an answer


def oracle(form_a, form_b):
    """equal or different, by values."""
    rng = random.Random(1)
    names = [n for n in "abcxy" if any(n in f.replace("exp", "").replace("abs", "").replace("acos", "").replace("csc", "")
                                       .replace("mpc", "").replace("factorial", "").replace("binomial", "").replace("cosh", "")
                                       .replace("cos", "").replace("tanh", "").replace("tan", "").replace("sec", "")
                                       .replace("cbrt", "").replace("asin", "").replace("mpmath", "") for f in (form_a, form_b))]
    num_real = 0
    for k in range(40):
        point = {n: mpf(rng.uniform(.2, 3)) * (1 if k < 20 else rng.choice([-1, 1])) for n in names}
        try:
            a, b = mpmath.mpmathify(value(form_a, point)), mpmath.mpmathify(value(form_b, point))
        except (ZeroDivisionError, ValueError):
            continue
        if names and (mpmath.im(a) != 0 or mpmath.im(b) != 0):
            continue
        num_real += 1
        if abs(a - b) > mpf(10) ** -50 * max(1, abs(a)):
            return "different"
    assert num_real >= 1, (form_a, form_b)
    return "equal"


def second_opinion(a, b):
    from math_verify import parse, verify
    try:
        parsed = [parse(f"${t}$") for t in (a, b)]
        if not all(parsed):
            return None
        return "equal" if verify(*parsed) else "different"
    except Exception:
        return None


def reason(a, b, by):
    """Why our label stands where math-verify says otherwise."""
    if by == "mpmath":
        return "the values, to 50 digits; math-verify reads plain names as letters or rounds to 6 digits"
    text = a + b
    if "text" in text or "circ" in text or " k" in text:
        return "units count, and known ones convert"
    if any(sign in text for sign in ("<", ">", "\\le", "\\ge", "cup", "in (", "neq")):
        return "two notations of one set of numbers"
    return "two notations of one object"


def main():
    rows = []
    for group in CLASSES:
        first = group[0]
        pairs = list(zip(group, group[1:])) + ([(first, group[-1])] if len(group) > 2 else [])
        rows += [(p[0], q[0], oracle(p[1], q[1]), "mpmath") for p, q in pairs]
    for group, after in itertools.pairwise(CLASSES):
        rows.append((group[0][0], after[0][0], oracle(group[0][1], after[0][1]), "mpmath"))
    rows += [(a, b, label, "hand") for a, b, label in HAND]
    disagreements = 0
    for a, b, label, by in rows:
        opinion = second_opinion(a, b)
        if opinion and label != "undecided" and opinion != label:
            disagreements += 1
            print(f"math-verify says {opinion}, label {label} by {by}: {a!r} {b!r}", file=sys.stderr)
        row = {"a": a, "b": b, "label": label, "by": by, "math_verify": opinion}
        if opinion and label != "undecided" and opinion != label:
            row["why"] = reason(a, b, by)
        print(json.dumps(row, ensure_ascii=False))
    print(f"{len(rows)} pairs, {disagreements} disagreements of math-verify", file=sys.stderr)


if __name__ == "__main__":
    main()
