# summary.csv -> overhead.png and overhead.svg. Called with -e "dir='...'; tool='...'".
# Bars: how many times the plain program's wall time, on a logarithmic scale.
set datafile separator ','
set style data histograms
set style histogram clustered gap 1.5
set style fill solid 0.85 border -1
set boxwidth 0.9
set logscale y
set grid ytics
set key top left
set ylabel 'wall time, times the plain program''s'
set title 'Overhead of tracing: '.tool.', medians'
set yrange [0.8:*]
rows(v) = "<awk -F, -v t=".tool." -v v=".v." '$2 == v && $3 == t' ".dir."/summary.csv"
do for [kind in 'png svg'] {
	if (kind eq 'png') { set terminal pngcairo size 1000,600 } else { set terminal svg size 1000,600 }
	set output dir.'/overhead.'.kind
	plot rows('thesis')      using 11:xtic(1) title 'thesis, target'           linecolor rgb '#c44e52', \
	     rows('thesis')      using 12         title 'thesis, end to end'       linecolor rgb '#e8a2a4', \
	     rows('emulated')    using 11         title 'emulated, target'         linecolor rgb '#55a868', \
	     rows('emulated')    using 12         title 'emulated, end to end'     linecolor rgb '#a8d5b5', \
	     rows('springboard') using 11         title 'springboard, target'      linecolor rgb '#4c72b0', \
	     rows('springboard') using 12         title 'springboard, end to end'  linecolor rgb '#a3b6d8'
}
