module probecost

go 1.19
