module example.org/duty

go 1.22
