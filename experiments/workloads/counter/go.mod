module gotrace.example/counter

go 1.19
