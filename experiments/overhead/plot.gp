# summary.csv -> overhead.png and overhead.svg. Called with -e "dir='...'".
# A panel for each tool, points with 95 % intervals of every variant: how many times the plain program's own wall time, on a
# logarithmic scale. What the tables call invalid or not measurable (too wide) is grey. Shapes tell variants apart, not colours.
set datafile separator ','
csv = dir.'/summary.csv'
tools = system("awk -F, 'NR > 1 && !seen[$2]++ { print $2 }' ".csv." | LC_ALL=C sort")
programs = system("awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' ".csv)
variants = 'plain-again thesis thesis-links emulated springboard nop inline'
points = '1 4 5 6 8 10 12'
# All that is drawn, and 1, with some room: nothing is clipped.
ends = system("awk -F, 'NR > 1 && $3 == \"target\" && $10 != \"\" { ".\
	"l = $11 == \"\" ? $10 : $11; h = $12 == \"\" ? $10 : $12; if (!n++) low = high = 1; if (l + 0 < low) low = l; if (h + 0 > high) high = h } ".\
	"END { printf \"%.9g %.9g\", low / 1.08, high * 1.15 }' ".csv)
# x beside the program's middle, ratio, low, high of a variant; of what the tables tell, or of the rest
rows(t, n, told) = "<awk -F, -v t=".word(tools, t)." -v v=".word(variants, n)." -v n=".n." -v told=".told.\
	" 'NR > 1 && !($1 in at) { at[$1] = ++k } $2 == t && $3 == \"target\" && $4 == v && $10 != \"\" && ($13 !~ /invalid|not meas/) == told { ".\
	"print at[$1] + (n - 4) * 0.11 \",\" $10 \",\" ($11 == \"\" ? $10 : $11) \",\" ($12 == \"\" ? $10 : $12) }' ".csv."; echo NaN,NaN,NaN,NaN"
few = int(system("awk -F, 'NR > 1 && $5 + 0 < 5 { n = 1 } END { print n + 0 }' ".csv))
about = few ? 'fewer than five rounds, a trial and not a result' : 'medians of ratios within rounds, 95 % intervals'
set logscale y
set yrange [real(word(ends, 1)):real(word(ends, 2))]
set ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 1, 1.2, 1.5, 2, 3, 4, 6, 8, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000)
set grid ytics linetype 1 linewidth 0.5 linecolor rgb 'gray85'
set xrange [0.5:words(programs) + 0.5]
set xtics ()
do for [i = 1:words(programs)] { set xtics add (word(programs, i) i) }
set xtics scale 0
do for [i = 1:words(programs) - 1] { set arrow from i + 0.5, graph 0 to i + 0.5, graph 1 nohead linewidth 0.5 linecolor rgb 'gray70' }
set ylabel "program's wall time, times plain's"
set lmargin at screen 0.08
set rmargin at screen 0.76
set key at screen 0.77, screen 0.93 left top Left reverse spacing 1.3 samplen 3
do for [kind in 'png svg'] {
	if (kind eq 'png') { set terminal pngcairo size 1000,150 + 350 * words(tools) } else { set terminal svg size 1000,150 + 350 * words(tools) }
	set output dir.'/overhead.'.kind
	set multiplot layout words(tools),1 title 'Overhead of tracing: '.about
	do for [t = 1:words(tools)] {
		set title 'measured by '.word(tools, t)
		if (t > 1) { unset key } else { set key }
		plot 1 with lines dashtype 2 linewidth 1.5 linecolor rgb 'black' title 'no overhead', \
			for [n = 1:words(variants)] rows(t, n, 1) using 1:2:3:4 with yerrorbars \
			pointtype int(word(points, n)) pointsize 1.2 linewidth 1.5 linecolor rgb 'black' title word(variants, n), \
			for [n = 1:words(variants)] rows(t, n, 0) using 1:2:3:4 with yerrorbars \
			pointtype int(word(points, n)) pointsize 1.2 linewidth 1.5 linecolor rgb 'gray60' notitle, \
			NaN with lines linewidth 3 linecolor rgb 'gray60' title 'invalid, or too wide'
	}
	unset multiplot
}
