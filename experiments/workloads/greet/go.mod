module gotrace.example/greet

go 1.19
