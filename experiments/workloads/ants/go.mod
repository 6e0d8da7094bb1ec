module gotrace.example/ants

go 1.19

require github.com/panjf2000/ants/v2 v2.9.1
