# summary.csv -> overhead.png and overhead.svg. Called with -e "dir='...'; tool='...'".
# Points with 95 % intervals: how many times the plain program's own wall time, on a logarithmic scale. What is not measurable
# or invalid has no point.
set datafile separator ','
set logscale y
set grid ytics
set key outside right top
set ylabel 'wall time of the program, times the plain one''s'
set title 'Overhead of tracing: '.tool.', medians and 95 % intervals'
variants = 'plain-again thesis emulated springboard nop inline'
points = '1 4 6 8 10 12'
programs = system("awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' ".dir."/summary.csv")
set xrange [0.5:words(programs) + 0.5]
set xtics ()
do for [i = 1:words(programs)] { set xtics add (word(programs, i) i) }
# x beside the program's middle, ratio, low, high of a variant
rows(n) = "<awk -F, -v t=".tool." -v v=".word(variants, n)." -v n=".n." 'NR > 1 && !($1 in at) { at[$1] = ++k } ".\
	"$2 == t && $3 == \"target\" && $4 == v && $11 != \"\" && $13 !~ /invalid|not meas/ { ".\
	"print at[$1] + (n - 3.5) * 0.1 \",\" $10 \",\" $11 \",\" $12 }' ".dir."/summary.csv; echo NaN,NaN,NaN,NaN"
do for [kind in 'png svg'] {
	if (kind eq 'png') { set terminal pngcairo size 1000,600 } else { set terminal svg size 1000,600 }
	set output dir.'/overhead.'.kind
	plot 1 with lines dashtype 2 linecolor rgb 'gray50' title 'no overhead', \
		for [n = 1:words(variants)] rows(n) using 1:2:3:4 with yerrorbars \
		pointtype int(word(points, n)) linewidth 1.5 linecolor rgb 'black' title word(variants, n)
}
