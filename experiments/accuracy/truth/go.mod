module gotrace.example/truth

go 1.19
