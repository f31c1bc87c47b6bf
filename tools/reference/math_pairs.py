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
import re
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
    # scientific notation, and Euler's e beside it
    [("2.5e-3", "R(25,10000)"), ("0.0025", "R(25,10000)"), (r"2.5\times 10^{-3}", "R(25,10000)"), ("2.5E-3", "R(25,10000)"), ("25e-4", "R(25,10000)")],
    [("1e-3", "R(1,1000)"), ("0.001", "R(1,1000)"), ("10^{-3}", "R(1,1000)")],
    [("1e3", "mpf(1000)"), ("1000", "mpf(1000)"), ("1E3", "mpf(1000)"), ("1e+3", "mpf(1000)")],
    [("1.5e+2", "mpf(150)"), ("150", "mpf(150)"), ("3 x 10^2/2", "mpf(150)")],
    [("6.02e23", "mpf('6.02e23')"), (r"6.02\cdot 10^{23}", "mpf('6.02e23')"), ("602e21", "mpf('6.02e23')")],
    [("-3e2", "mpf(-300)"), ("-300", "mpf(-300)")],
    [("5e0", "mpf(5)"), ("5", "mpf(5)")],
    [("2e3x", "2000*x"), ("2000x", "2000*x")],
    [(r"3e-2\pi", "R(3,100)*pi"), (r"0.03\pi", "R(3,100)*pi")],
    [("2e - 3", "2*e-3"), ("-3+2e", "2*e-3"), (r"2\exp(1)-3", "2*e-3"), (r"2\mathrm{e} - 3", "2*e-3")],
    [("2e^x", "2*exp(x)"), (r"2\exp(x)", "2*exp(x)"), ("2 e^x", "2*exp(x)"), (r"2\mathrm{e}^x", "2*exp(x)")],
    [("3e", "3*e"), (r"3\exp(1)", "3*e"), ("e+2e", "3*e")],
    [("x^2e-3", "x**2*e-3"), ("ex^2 - 3", "x**2*e-3")],
    [(r"\sqrt2e-3", "sqrt(2)*e-3"), (r"e\sqrt{2} - 3", "sqrt(2)*e-3")],
    [(r"\frac12e-3", "e/2-3"), (r"\frac{e}{2} - 3", "e/2-3")],
    [(r"10\,000", "mpf(10000)"), (r"10,\!000", "mpf(10000)"), ("10000", "mpf(10000)")],
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
    # what can be read in two ways (e-numbers, letters that are units, number words, 1/2x, decimal commas), and the rest of what
    # a reader tried in November 2026: quantities and words above all
    ("1e-3", "e-3", "undecided"), ("2e-3", "2e - 3", "undecided"), ("2e-3", "0.002", "equal"), ("2e-3", "-3+2e", "undecided"),
    ("2e-3", "5", "different"), ("2e", r"2\exp(1)", "equal"), ("2e - 3", "2.43656365691809", "different"), ("3e", r"3\mathrm{e}", "equal"),
    (r"2\mathrm{i}", "2i", "equal"), ("3.4e2", "340", "equal"), ("3e8 m/s", "300000 km/s", "equal"), ("300 cm", "3 m", "equal"),
    ("5 km", "5000 m", "equal"), ("3 m", "300 cm", "equal"), ("3 s", "3000 ms", "equal"), ("3 g", "0.003 kg", "equal"), ("3 h", "180 min", "equal"),
    ("60 s", "1 min", "equal"), ("1000 g", "1 kg", "equal"), ("72 km/h", "20 m/s", "equal"), ("72 km/h", "21 m/s", "different"),
    (r"72\text{ km/h}", r"20\text{ m/s}", "equal"), ("3m", "m+2m", "equal"), ("3m", "3", "different"), ("3 m", "3", "undecided"),
    ("3m", "4", "different"), ("3600 s", "1 h", "equal"), ("3 m", "3 s", "different"), ("3 m", "4 m", "different"), ("300 cm", "4 m", "different"),
    ("2mg", "2gm", "equal"), ("2 kJ", "2000 J", "equal"), ("1 kN", "1000 N", "equal"), ("5 mA", "0.005 A", "equal"), ("1 N", "1 kg m/s^2", "equal"),
    (r"1\text{ l}", r"1000\text{ cm}^3", "equal"), ("1 L", "1000 mL", "equal"), (r"\text{(B)}", "B", "equal"), (r"\textbf{(B)}", "(B)", "equal"),
    (r"\text{B}", "C", "different"), ("2 hours 30 minutes", "150 minutes", "equal"), ("2 hours and 30 minutes", "150 minutes", "equal"),
    (r"2\text{ hours }30\text{ minutes}", r"150\text{ minutes}", "equal"), ("2 hours and 30 minutes", "2 hours, 30 minutes", "equal"),
    ("5 ft 6 in", "66 inches", "equal"), ("1 h 30 min", "90 min", "equal"), ("1 m 50 cm", "150 cm", "equal"), ("1 m 50 cm", "151 cm", "different"),
    ("1/0", "1", "undecided"), ("(0,1)", "[0,1]", "undecided"), ("3,14", "3.14", "undecided"), ("12 in", "1 ft", "equal"), ("5 sec", "5 s", "equal"),
    ("3 million", "3000000", "equal"), (r"\$3 million", "3000000", "equal"), ("3 million dollars", "3000000 dollars", "equal"),
    (r"3\text{ million dollars}", r"\$3000000", "equal"), ("2 dozen", "24", "equal"), ("50 percent", "0.5", "equal"),
    (r"50\text{ percent}", r"50\%", "equal"), ("5", "50 mm", "undecided"), ("3 hours", "180", "undecided"), ("20°C", r"20^\circ\text{C}", "equal"),
    ("20°C", "68°F", "undecided"), ("20°C", "20", "equal"), (r"\frac{1}{2} cm", "5 mm", "equal"), (r"25\pi cm^2", r"25\pi", "equal"),
    (r"25\pi\text{ cm}^2", r"25\pi cm^2", "equal"), (r"\sqrt{2} m", r"100\sqrt{2} cm", "equal"),
    (r"3\text{ cm}\cdot 4\text{ cm}", r"12\text{ cm}^2", "equal"), (r"3\text{ m}+20\text{ cm}", r"3.2\text{ m}", "equal"),
    ("5 apples", "5 apple", "equal"), (r"90^\circ", r"\frac{\pi}{2}\text{ rad}", "equal"), (r"90^\circ", r"\frac{\pi}{2} rad", "equal"),
    ("2 cd", "2dc", "equal"), ("2nm", "2mn", "equal"), ("4 m^2", "40000 cm^2", "equal"), ("4 m^{-1}", "0.04 cm^{-1}", "equal"),
    ("5 units", "5", "equal"), ("12 square units", "12", "equal"), ("5 units", "5 cm", "undecided"), ("4186 J/(kg K)", "4.186 kJ/(kg K)", "equal"),
    ("9.8 m/s^2", "980 cm/s^2", "equal"), ("60 miles per hour", "1 mile per minute", "equal"), ("60 mi/h", "88 ft/s", "equal"),
    ("x = 3 m", "300 cm", "equal"), ("3 m, 5 m", "500 cm, 300 cm", "equal"), ("2m+30", "2m + 31", "different"), ("10 m / 2 s", "5 m/s", "equal"),
    ("1.2e-4", "0.00012", "equal"), ("1.2e-4", "0.0012", "different"), ("1e+6", "10^6", "equal"), ("2e-3x", "0.002x", "equal"),
    ("1e-3", "10^{-4}", "different"), ("1.0e3 m", "1 km", "equal"), ("6.022e23", "6.022 × 10^{23}", "equal"),
    ("6.022e23", "6.022 × 10^{22}", "different"), ("[1e-3,2e-3]", "[0.001,0.002]", "equal"), ("{1e2, 2e2}", "{100, 200}", "equal"),
    ("(1e3, 5)", "(1000, 5)", "equal"), ("x=1e-3", "0.001", "equal"), ("x > 1e-3", "x > 0.001", "equal"), ("1e-3%", "0.00001", "equal"),
    ("e^2", "7.389", "different"), ("e-1", r"\exp(1)-1", "equal"), ("2e+1", "21", "different"), ("2e+1", "2e + 1", "undecided"),
    ("5e", "13.59", "different"), ("ex", "xe", "equal"), ("250 mL", "0.25 L", "equal"), ("250 ml", "0.25 l", "equal"), ("0.5 kg", "500 g", "equal"),
    ("0.5 kg", "500 mg", "different"), ("100 cm", "1 m", "equal"), ("100 cm", "1 km", "different"), ("2.5 hours", "150 min", "equal"),
    ("1 day", "24 h", "equal"), ("2 weeks", "14 days", "equal"), ("36 km/h", "10 m/s", "equal"), ("36 km/h", "36 m/s", "different"),
    ("1 mile", "5280 feet", "equal"), ("3 feet", "1 yard", "equal"), ("1 inch", "2.54 cm", "equal"), ("90 degrees", r"\frac{\pi}{2}", "equal"),
    (r"45^\circ", r"\frac{\pi}{4}", "equal"), (r"45^\circ", r"\frac{\pi}{3}", "different"), (r"\$2.50", "250 cents", "equal"),
    (r"\$2.50", "2.5", "equal"), (r"\$1,000", "1000", "equal"), ("1,000 dollars", r"\$1000", "equal"), ("1 m^3", "1000 L", "equal"),
    ("1 cm^3", "1 mL", "equal"), ("5 J", "5 N m", "equal"), ("5 J", "5 N", "different"), ("100 W", "0.1 kW", "equal"), ("1 h", "3600", "undecided"),
    ("50 mph", "50", "equal"), (r"12.5\%", "0.125", "equal"), (r"12.5\%", r"\frac{1}{8}", "equal"), ("150%", "1.5", "equal"),
    ("0.5%", "0.005", "equal"), ("0.5%", "0.5", "undecided"), (r"33\frac{1}{3}\%", r"\frac{1}{3}", "equal"), (r"1\frac{3}{4}", "1.75", "equal"),
    ("-2 1/2", "-2.5", "equal"), ("-2 1/2", "-1.5", "different"), (r"2\frac{1}{2} hours", "150 minutes", "equal"),
    (r"3\frac12", r"\frac{7}{2}", "equal"), (r"(-\infty, 3]", r"x \le 3", "equal"), ("(2, 5)", "2 < x < 5", "equal"),
    ("(2, 5)", r"2 \le x \le 5", "different"), ("[2, 5)", r"2 \le x < 5", "equal"), (r"x \ne 3", r"(-\infty,3)\cup(3,\infty)", "undecided"),
    ("x<1 or x>2", r"(-\infty,1)\cup(2,\infty)", "equal"), (r"\{1,2,3\}", r"\{3,1,2\}", "equal"), (r"\{1,2\}", "(1,2)", "undecided"),
    (r"\{x | x > 3\}", "x>3", "undecided"), (r"\{a,b\}", r"\{b,a\}", "equal"), (r"\begin{pmatrix}1\\2\end{pmatrix}", "(1,2)", "undecided"),
    (r"\begin{pmatrix}1&0\\0&1\end{pmatrix}", r"\begin{pmatrix}1&0\\0&1.0\end{pmatrix}", "equal"),
    (r"\begin{bmatrix}1&2\end{bmatrix}", r"\begin{bmatrix}1&3\end{bmatrix}", "different"), ("3x+2y=6", "y = 3 - 1.5x", "equal"),
    ("y=2x+3", "2x+3", "equal"), ("3:4", "3/4", "undecided"), ("3:4", "0.75", "undecided"), (r"\text{yes}", "yes", "equal"),
    (r"\text{Yes}", r"\text{No}", "undecided"), (r"\text{even}", "even", "equal"), (r"\text{no solution}", r"\emptyset", "undecided"),
    (r"\frac{3}{4}\text{ cup}", "0.75", "equal"), ("the answer is 5", "5", "undecided"), (r"5 \text{ (approximately)}", "5", "equal"),
    (r"\approx 5", "5", "undecided"), ("5.0", "5", "equal"), ("5.00 m", "5 m", "equal"), (r"100\text{ m}^2", "100 m^2", "equal"),
    ("100 m^2", "100", "undecided"), (r"\frac{10}{3}", "3.33", "different"), (r"\frac{10}{3}", r"3.\overline{3}", "undecided"),
    ("x = 2, y = 3", "(2, 3)", "undecided"), ("2 or 3", "3, 2", "equal"), (r"\pm 3", "3 or -3", "equal"), (r"\log_{10} 100", "2", "equal"),
    (r"\ln e^2", "2", "equal"), ("2^{10}", "1024", "equal"), ("4!", "24", "equal"), ("0.1+0.2", "0.3", "equal"), ("i^2", "-1", "equal"),
    (r"\sqrt{-1}", "i", "equal"), ("|x|", r"\sqrt{x^2}", "equal"), (r"7\text{ and }8", "8, 7", "equal"), (r"\frac{a}{b}", "a/b", "equal"),
    ("a/bc", r"\frac{a}{bc}", "undecided"), ("1/2x", r"\frac{1}{2x}", "undecided"), ("1/2x", "x/2", "equal"), ("1/2%", "0.005", "equal"),
    ("33 1/3%", "1/3", "equal"), ("3 million", "3", "undecided"), ("2 dozen", "2", "undecided"), ("7 men", "7", "undecided"),
    ("7 men", r"7\text{ men}", "equal"), ("20 lb", "20", "equal"), ("2 pounds", "2 lbs", "equal"), ("1 gallon", "4 quarts", "equal"),
    ("3 x 10^8", "3e8", "equal"), ("3x10^8 m/s", "300000 km/s", "equal"), ("1/2(x+1)", r"\frac{1}{2(x+1)}", "undecided"),
    (r"\text{Yes}", "yes", "equal"), (r"\text{east}", "East", "equal"), ("x", "X", "different"), (r"\text{A}", "a", "undecided"),
    ("2 pairs", "4", "equal"),
    ("2 m", "2 s", "different"), ("5 N", "5 n", "different"), ("3 V", "3 kV", "different"), ("2x m", r"2x\text{ m}", "equal"),
    ("5 min", "300 s", "equal"), ("5 min", "300", "undecided"), (r"10\%", "10", "undecided"), ("1 km^2", "1000000 m^2", "equal"),
    ("1 km^2", "1000 m^2", "different"), ("60 km/h", "60000 m/h", "equal"), ("5 cm^3", "5 mL", "equal"),
    (r"7\text{ km}", r"7\text{ kg}", "different"), ("100°C", "373.15 K", "undecided"), (r"5\text{ ft }6\text{ in}", r"5.5\text{ ft}", "equal"),
    ("4 ft", "48 in", "equal"), ("4 ft", "48 inches", "equal"), ("0.75", "3/4 cup", "undecided"), (r"\frac{3}{4}", r"75\%", "equal"),
    ("2:30", "150", "undecided"), (r"1\text{ hour and }30\text{ minutes}", r"90\text{ minutes}", "undecided"), ("12 dollars", "1200 cents", "equal"),
    (r"\$12", "12 dollars", "equal"), ("-5°C", "-5", "equal"), (r"-5^{\circ}\text{C}", r"-5^\circ C", "equal"), (r"30^\circ", "30", "equal"),
    (r"30^\circ", r"\pi/6", "equal"), (r"30^\circ", r"30\text{ rad}", "different"), (r"2\pi\text{ rad}", r"360^\circ", "equal"),
    (r"2\pi", r"360^\circ", "equal"), ("(3 m, 4 m)", "(300 cm, 400 cm)", "equal"), (r"\{1 m, 2 m\}", r"\{200 cm, 100 cm\}", "equal"),
    (r"x = 5 \text{ m/s}", "5 m/s", "equal"), ("v = 5 m/s", "18 km/h", "equal"), ("5 m s^{-1}", "5 m/s", "equal"),
    (r"5 m\cdot s^{-1}", "18 km/h", "equal"), ("1000 kg/m^3", "1 g/cm^3", "equal"), ("1 kWh", "3600000 J", "undecided"),
    ("5 V", r"5\text{ volts}", "equal"), ("10 ohms", r"10\ \Omega", "equal"), ("4.5e-7 m", "450 nm", "equal"), ("4.5e-7 m", "45 nm", "different"),
    ("1.6e-19 C", "1.6 × 10^{-19} C", "equal"), ("3e8", "3 × 10^8", "equal"), ("3e8", "3 × 10^9", "different"),
    ("3e-8", r"3 \times 10^{-8}", "equal"), ("3E-8", "0.00000003", "equal"), ("1e-10", "0", "different"), ("1e2e3", "1", "undecided"),
    ("1e", "e", "equal"), ("10e", "10 e", "equal"), ("2e2", "2e^2", "different"), ("2e-2x", "2e - 2x", "undecided"), ("e2", "2e", "undecided"),
    ("x=2e-3", "x=2e - 3", "undecided"), ("2e-3 < x < 1", "0.002 < x < 1", "equal"), ("1,000e3", "1000000", "equal"), ("3e3/2", "1500", "equal"),
    (r"\frac{1e3}{2}", "500", "equal"), (r"\sqrt{1e4}", "100", "equal"), ("1e3!", "1", "undecided"), ("10^{1e1}", "10^{10}", "equal"),
    ("5e-1", r"\frac12", "equal"), ("5e-1", r"50\%", "equal"), ("1.5E3 kg", "1500 kg", "equal"), ("1.5E3 kg", "1.5 Mg", "equal"),
    ("8 m", r"8\text{ meters}", "equal"), ("8 m", r"8\text{ metres}", "equal"), ("8m", r"8\text{ meters}", "equal"),
    ("8 m", r"8\text{ cm}", "different"), ("5 hrs", "300 mins", "equal"), ("5 kms", "5 km", "equal"), ("25 square meters", "25 m^2", "equal"),
    (r"25\text{ sq. m}", "25", "equal"), ("25 m²", "25 m^2", "equal"), ("25 cm³", "25 mL", "equal"), ("1/3 m", r"\frac{100}{3} cm", "equal"),
    ("7 people", "7", "equal"), ("7 people", "8", "different"), ("no", "42", "different"), ("42.", "42", "equal"), ("$42$", "42", "equal"),
    ("42 %", r"42\%", "equal"), (r"\boxed{42}", "42", "undecided"), ("x + 1 = 3", "2", "undecided"),
    (r"6 \times 10^{-7}\text{ m}", r"600\text{ nm}", "equal"), ("1 m", "1", "undecided"), ("m", "1", "different"), ("m", "3 m", "different"),
    (r"3 \text{m}", "3m", "equal"), ("2 s", r"2\text{ seconds}", "equal"), ("2 g", r"2\text{ grams}", "equal"), ("2 l", r"2\text{ liters}", "equal"),
    ("2 L", r"2\text{ liters}", "equal"), ("9 t", "9000 kg", "equal"), ("9 d", r"9\text{ days}", "equal"), ("1 A", "1000 mA", "equal"),
    ("0.5 h", "30 min", "equal"), ("0.5 h", "1800 s", "equal"), ("1 h 1 min 1 s", "3661 s", "equal"), ("1h 30m", "90 min", "undecided"),
    ("6'", "6 ft", "undecided"), ("1 mile", "1.609344 km", "equal"), ("1 mile", "1.6 km", "different"), ("1 lb", "453.59237 g", "equal"),
    ("[0, 1]", r"0 \le x \le 1", "equal"), ("[0, 1)", r"0 \le x \le 1", "different"), ("(0, 1)", r"x \in (0,1)", "equal"),
    ("x>2 and x<5", "2<x<5", "undecided"), (r"x \geq 2, x \leq 5", "[2,5]", "undecided"), ("[2,5]", r"5 \ge x \ge 2", "equal"),
    (r"(-\infty, \infty)", r"\mathbb{R}", "undecided"), (r"\{2\}", "2", "equal"), (r"\{x=2\}", "2", "equal"), ("x=2 or x=3", r"\{2,3\}", "equal"),
    ("x=2,3", r"\{2,3\}", "equal"), ("1, 2, 3", r"\{1,2\}", "different"), ("(1,2), (3,4)", "(3,4), (1,2)", "equal"),
    ("(1,2), (3,4)", "(1,2), (4,3)", "different"),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\left[\begin{matrix}1&2\\3&4\end{matrix}\right]", "equal"),
    (r"2\begin{pmatrix}1&2\end{pmatrix}", r"\begin{pmatrix}2&4\end{pmatrix}", "undecided"),
    (r"\frac{1}{2}\begin{pmatrix}2\end{pmatrix}", "1", "undecided"), ("3 > x", "x < 3", "equal"), ("x^2 > 4", "x>2", "undecided"),
    (r"-x \le 3", r"x \ge -3", "equal"), ("2x+1 > 5", "x > 2", "equal"), ("1.5", "1 1/2", "equal"), ("1.5", "1 1/3", "different"),
    ("11/2", "5 1/2", "equal"), ("11/2", "1 1/2", "different"), (r"-1\frac12", "-1.5", "equal"), (r"-1\frac12", "-0.5", "different"),
    (r"5 1/4\%", r"5.25\%", "equal"), (r"5\frac14\%", "0.0525", "equal"), ("100%", r"100\%", "equal"), (r"200\%", "2", "equal"),
    ("a/2b", r"\frac{a}{2b}", "undecided"), ("a/(2b)", r"\frac{a}{2b}", "equal"), ("1/2 x", "0.5x", "equal"), ("1/xy", r"\frac{1}{xy}", "undecided"),
    ("x/2y", r"\frac{xy}{2}", "equal"), (r"5\,\mu m", "0.000005 m", "equal"), (r"5\ \mu\text{m}", "5e-6 m", "equal"), ("5 µm", "5000 nm", "equal"),
    ("5 µs", "0.005 ms", "equal"), (r"\mu m", r"m\mu", "equal"), (r"3\mu", r"3\mu", "equal"), ("1 1/2 cups", "1.5", "equal"),
    ("3/4 cups", "0.75", "equal"), ("a m", "a", "undecided"), ("2 rad", "2", "undecided"), ("2 rad", r"2\text{ radians}", "equal"),
    ("y=2x+1", "y<2x+1", "different"), ("x=3", r"x\le 3", "different"), (r"x^2\le 0", "x^2=0", "undecided"), (r"x^2+1\ge 0", "x^2+1>0", "undecided"),
    ("x<2", r"x\neq 2", "different"), (r"y\ge 2x", "y>2x", "different"), (r"-y\ge 2x", r"y\le -2x", "equal"), ("-y>2x", r"y\le -2x", "different"),
    ("1 GB", "1000 MB", "undecided"), ("16GB", "16", "equal"), ("16 oz", "1 lb", "undecided"), ("30 minutes", "0.5 degrees", "undecided"),
    ("3cc", "3c^2", "equal"), ("50 rpm", "50", "equal"), ("50 rpm", "60 rpm", "different"), ("2 yrs", r"2\text{ yr}", "equal"),
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
    text = a + " " + b
    if re.search(r"\d[eE][-+]?\d", text):
        return "digits, e and digits are scientific notation"
    if re.search(r"[\d}] ?(?!or\b|and\b)[a-zA-Z]*[a-zA-Z]{2}|[\d}i] [msghLJNWd]\b", text.replace("\\", " \\")) or "$" in text:
        return "units and number words count, and known ones convert"
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
