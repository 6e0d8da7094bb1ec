module example.org/probecost

go 1.19
